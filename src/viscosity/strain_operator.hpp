// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// A = W + scale K without a matrix: padded copies of a block's velocities, rows of eight faces.
///
/// All functions visit the blocks with unknowns only, and faces without an unknown get 0. Parallel: local; OpenMP
class StrainOperator {
 public:
  /// \param[in] scale  dt / (rho dx^2) [m s/kg]. \param[in] weights  must outlive the calls below
  void reset(const StressWeights& weights, double scale);
  /// y = A x, or y = A x - W x if `without_mass`. \pre ghosts of x valid to width 1
  void apply(const FaceField<double>& x, FaceField<double>& y, bool without_mass = false) const;
  /// The same in one block.
  template <class Shape>
  void apply_in_block(const FaceField<double>& x, LocalIndex block, bool without_mass, FaceField<double>& y) const;
  /// 1 / diagonal of A.
  void inverse_diagonal(FaceField<double>& result) const;

 private:
  const StressWeights* weights_ = nullptr;
  double scale_ = 0.0;
};

}  // namespace freshet::viscous
