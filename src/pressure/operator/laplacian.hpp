// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

namespace freshet::pressure {

/// Sum of squares and largest magnitude of b - A x; the latter is infinite if an entry is not a number.
struct ResidualSize {
  ExactSum squares;
  double largest = 0.0;
};

/// The operator A without a matrix, on arrays of unknowns, by rows of cells.
class Laplacian {
 public:
  /// Bind to a system; both must outlive the calls below. Parallel: local
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// y = A x in the rows with unknowns. Ghosts of x are gathered while blocks without ghost neighbours are computed.
  /// Collective; OpenMP; same bits for any thread count
  void apply(double* x, double* y) const;
  /// The size of b - A x on this rank. \pre ghosts of x. Parallel: local; OpenMP; same bits for any thread count
  ResidualSize measure_residual(const double* b, const double* x) const;
  /// Parallel: local; OpenMP
  void diagonal(double* diagonal) const;

 private:
  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
};

}  // namespace freshet::pressure
