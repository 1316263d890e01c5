// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "unknowns.hpp"

namespace freshet::pressure {

/// One symmetric multigrid cycle for A z = r.
class Multigrid {
 public:
  /// Build the levels. Both arguments must outlive apply(). Parallel: collective; OpenMP
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// The same system, but for PoissonCoefficients::diagonal. Parallel: collective; OpenMP
  void update_diagonal();
  /// z = M^-1 r on arrays of unknowns that do not overlap. Parallel: collective; OpenMP
  void apply(const double* r, double* z);

 private:
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
};

}  // namespace freshet::pressure
