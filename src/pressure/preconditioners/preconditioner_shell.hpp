// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

#include <span>

namespace freshet::pressure {

/// Base of freshet's own preconditioners: a symmetric positive definite M^-1 near A^-1, on arrays of unknowns.
///
/// A new one derives from this class and gets a row in preconditioners.cpp.
class PreconditionerShell {
 public:
  PreconditionerShell() = default;
  virtual ~PreconditionerShell() = default;
  PreconditionerShell(const PreconditionerShell&) = delete;
  PreconditionerShell& operator=(const PreconditionerShell&) = delete;

  /// Prepare for a system. Both arguments must outlive update() and apply(). Parallel: collective; OpenMP
  virtual void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) = 0;
  /// Prepare for the same system with another PoissonCoefficients::diagonal in some owned blocks; the Unknowns have
  /// examined these blocks. Parallel: collective; OpenMP
  virtual void update(std::span<const LocalIndex> changed_blocks) = 0;
  /// Set the norm of the next right-hand sides, the same on all ranks; M stays the same operator. Parallel: local
  virtual void set_magnitude(double /*magnitude*/) {}
  /// z = M^-1 r on arrays that do not overlap. \pre z is 0 in all rows without unknowns. Parallel: collective; OpenMP;
  /// same bits for any number of threads
  virtual void apply(const double* r, double* z) = 0;
};

}  // namespace freshet::pressure
