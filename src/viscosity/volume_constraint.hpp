// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// B u: what flows through open faces with an unknown into cells of liquid. A viscous step changes nothing of all that
/// flows into a cell: where a body takes hold of an open face, the other faces make up for it.
///
/// A cell is kept if it is named so and such a face lies around it. B^T q is minus the difference of pressures
/// across each face.
class VolumeConstraint {
 public:
  /// \param[in] weights  must outlive the calls below. \param[in] unknown  not 0 in owned cells that are to be kept
  /// \param[in] strain  of the same weights
  /// Collective (ghosts); OpenMP
  void reset(const StressWeights& weights, const CellField<std::uint8_t>& unknown,
             const FaceField<float>& open_fraction, const StrainOperator& strain);
  /// y += B^T q on the faces of a block. \param[in] q  0 in cells that are not kept, ghosts valid to width 1
  template <class Shape>
  void add_gradient(const CellField<double>& q, LocalIndex block, double* const* y) const;
  /// b = B u in the cells of a block; 0 in those that are not kept. \pre ghosts of u valid to width 1
  template <class Shape>
  void inflow(const FaceField<double>& u, LocalIndex block, double* b) const;
  /// Tell what bodies do to the faces that they hold. \param[in] before, after  velocities of all owned faces
  /// Collective (ghosts); OpenMP
  void set_held(const FaceField<double>& before, const FaceField<double>& after, const FaceField<float>& open_fraction);
  /// b = what the kept cells of a block lose by that, which B (u' - u*) has to make up for.
  template <class Shape>
  void lost_inflow(LocalIndex block, double* b) const;
  /// What viscosity alone makes of (B A^-1 B^T)^-1 in a cell of an owned block, from the diagonal of A = W + K:
  /// 1 / sum_f (open_f^2 / K_ff) times a number that makes it mu dt / (rho dx^2) inside the liquid. (Half of that or
  /// twice that takes as many iterations. mu W, W the cell's liquid, takes twice as many where bodies cut cells.)
  /// Negative in cells that are not kept.
  const float* stiffness(LocalIndex block) const { return stiffness_.block(block); }
  /// B W^-1 B^T, on the cells that are kept.
  const PoissonCoefficients& inviscid() const { return inviscid_; }

 private:
  template <class Shape>
  void set_faces(const FaceField<float>& open_fraction, const StrainOperator& strain, LocalIndex block);
  template <class Shape>
  void set_cells(const CellField<std::uint8_t>& unknown, LocalIndex block);

  const StressWeights* weights_ = nullptr;
  FaceField<float> open_;        ///< open fractions of faces with an unknown, 0 on others
  FaceField<double> lost_;       ///< open fraction times the velocity that a held face has lost [m/s]
  FaceField<float> weight_;      ///< of inviscid_: the square of these by W
  FaceField<float> compliance_;  ///< open^2 / K_ff
  CellField<float> stiffness_;
  PoissonCoefficients inviscid_;
};

}  // namespace freshet::viscous
