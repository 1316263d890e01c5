// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// The operator A = W + scale K without a matrix, on padded copies of a block's velocities.
///
/// All functions visit the rows with unknowns only; faces there without an unknown get 0, other rows stay unchanged.
/// Parallel: local; OpenMP
class StrainOperator {
 public:
  /// \param[in] scale  dt / (rho dx^2) [m s/kg]. \param[in] weights  must outlive the calls below
  void reset(const StressWeights& weights, double scale);
  /// y = A x, or if `without_mass`, y = A x - W x for a flow x, in which thin walls have their own velocities, not 0.
  /// \pre ghosts of x valid to width 1
  void apply(const FaceField<double>& x, FaceField<double>& y, bool without_mass = false) const;
  /// apply() in one block. \param[out] y  the block's faces, one array for each component
  template <class Shape, class Number>
  void apply_in_block(const FaceField<Number>& x, LocalIndex block, bool without_mass, Number* const* y) const;
  /// The diagonal of A in one block, component after component; 1 on faces without an unknown.
  void diagonal(LocalIndex block, double* result) const;
  /// 1 / M in one block, M a diagonal matrix with x.A x <= x.M x for all x. M bounds each term of A by squares of its
  /// velocities: (a - b)^2 <= 2 a^2 + 2 b^2. In the liquid's interior the largest eigenvalue of M^-1 A is 1.
  void inverse_bound(LocalIndex block, float* const* result) const;

 private:
  const StressWeights* weights_ = nullptr;
  double scale_ = 0.0;
};

}  // namespace freshet::viscous
