// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

#include <vector>

namespace freshet::pressure {

/// y = A x on arrays of unknowns, without a matrix: rows of cells, neighbour rows by pointer.
///
/// A full block of x is read in place, from the array of unknowns. Only blocks with holes and blocks that other ranks
/// read are copied into a field first.
class Laplacian {
 public:
  /// Bind to a system; both must outlive the calls below. Parallel: local; OpenMP
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Parallel: collective (ghosts of x); OpenMP over blocks; same bits for any thread count
  void apply(const double* x, double* y);
  /// Parallel: local; OpenMP
  void diagonal(double* diagonal) const;

 private:
  void place(const double* x);
  template <class Shape>
  void apply_block(LocalIndex block, double* y) const;

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  CellField<double> x_;                  ///< blocks that cannot be read in place, and ghosts
  std::vector<const double*> x_blocks_;  ///< where each slot's cells stand
};

}  // namespace freshet::pressure
