// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"

namespace freshet::viscous {

/// B u: the flow through open faces with an unknown into cells of liquid. A viscous step keeps the net flow into each
/// cell: if a body starts to hold an open face, the other faces make up for it.
///
/// A cell is kept if `unknown` marks it and it has such a face. B^T q is minus the pressure difference across
/// each face.
class VolumeConstraint {
 public:
  /// \param[in] weights  must outlive the calls below. \param[in] unknown  nonzero in owned cells that are to be kept
  /// \param[in] strain  operator of the same weights Collective (ghosts); OpenMP
  void reset(const StressWeights& weights, const CellField<std::uint8_t>& unknown,
             const FaceField<float>& open_fraction, const StrainOperator& strain);
  /// y += B^T q on the faces of a block. \param[in] q  0 in cells that are not kept, ghosts valid to width 1
  template <class Shape>
  void add_gradient(const CellField<double>& q, LocalIndex block, double* const* y) const;
  /// b = B u in the cells of a block; 0 in those that are not kept. \pre ghosts of u valid to width 1
  template <class Shape>
  void inflow(const FaceField<double>& u, LocalIndex block, double* b) const;
  /// Set the flow that faces lose when bodies hold them. \param[in] before, after  velocities of all owned faces
  /// Collective (ghosts); OpenMP
  void set_held(const FaceField<double>& before, const FaceField<double>& after, const FaceField<float>& open_fraction);
  /// b = the inflow that kept cells of a block lose at held faces, which B (u' - u*) must make up for.
  template <class Shape>
  void lost_inflow(LocalIndex block, double* b) const;
  /// (B A^-1 B^T)^-1 of viscosity alone in the cells of an owned block, approximated from the diagonal of A = W + K: 1
  /// / sum_f (open_f^2 / K_ff) times a factor that makes it mu dt / (rho dx^2) inside the liquid. (mu W, W the cell's
  /// liquid, would need more iterations where bodies cut cells.) Negative in cells that are not kept.
  const float* stiffness(LocalIndex block) const { return stiffness_.block(block); }
  /// Coefficients of B W^-1 B^T on the kept cells.
  const PoissonCoefficients& inviscid() const { return inviscid_; }

 private:
  template <class Shape>
  void set_faces(const FaceField<float>& open_fraction, const StrainOperator& strain, LocalIndex block);
  template <class Shape>
  void set_cells(const CellField<std::uint8_t>& unknown, LocalIndex block);

  const StressWeights* weights_ = nullptr;
  FaceField<float> open_;        ///< open fractions of faces with an unknown, 0 on others
  FaceField<double> lost_;       ///< open fraction * velocity that a held face has lost [m/s]
  FaceField<float> weight_;      ///< weights of inviscid_: open^2 / W
  FaceField<float> compliance_;  ///< open^2 / K_ff
  CellField<float> stiffness_;
  PoissonCoefficients inviscid_;
};

}  // namespace freshet::viscous
