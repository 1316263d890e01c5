// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

namespace freshet::pressure {

/// Sum of the squares of b - A x, and its largest magnitude: infinite if an entry is not a number.
struct ResidualSize {
  ExactSum squares;
  double largest = 0.0;
};

/// A without a matrix, on arrays of unknowns: rows of cells, neighbour rows by pointer.
class Laplacian {
 public:
  /// Bind to a system; both must outlive the calls below. Parallel: local
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// y = A x in the rows with unknowns; ghosts of x are fetched, while the blocks without ghosts beside them are worked
  /// on. Collective; OpenMP; same bits for any thread count
  void apply(double* x, double* y) const;
  /// How large b - A x is here. \pre ghosts of x. Parallel: local; OpenMP; same bits for any thread count
  ResidualSize measure_residual(const double* b, const double* x) const;
  /// Parallel: local; OpenMP
  void diagonal(double* diagonal) const;

 private:
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
};

}  // namespace freshet::pressure
