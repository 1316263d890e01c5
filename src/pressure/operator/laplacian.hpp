// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

namespace freshet::pressure {

/// A without a matrix, on arrays of unknowns: rows of cells, neighbour rows by pointer.
class Laplacian {
 public:
  /// Bind to a system; both must outlive the calls below. Parallel: local
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// y = A x in the rows with unknowns; ghosts of x are fetched, while the blocks without ghosts beside them are worked
  /// on. Collective; OpenMP; same bits for any thread count
  void apply(double* x, double* y) const;
  /// r = b - A x. \pre ghosts of x. Parallel: local; OpenMP
  void residual(const double* b, const double* x, double* r) const;
  /// Parallel: local; OpenMP
  void diagonal(double* diagonal) const;

 private:
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
};

}  // namespace freshet::pressure
