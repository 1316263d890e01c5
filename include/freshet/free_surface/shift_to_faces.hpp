// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/face_updates.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/solids/solids.hpp"

#include <array>

namespace freshet {

/// Extrapolates the deposited velocity of faces at the surface from the particles' mean position to the face; keeps
/// its buffers.
///
/// Near the surface all particles of a face lie on one side of it, and the deposit gives the face their mean velocity,
/// that of a point deeper in the liquid. For a plane surface at the distance phi_f from the face and the deposit's
/// weight 1 - |s|, that point lies deeper by
///   c(phi) = integral of t (1 - |t|) / integral of (1 - |t|), both over phi < t < 1                                (1)
/// With the next face inwards, which has c(phi_f - 1), the velocity is extrapolated linearly to the face:
///   u_f += c(phi_f) / (1 - c(phi_f) + c(phi_f - 1)) sum_a |n_a| (u_f - u_a)                                        (2)
/// where u_a is the velocity on the next face along axis a against the normal n. The factor is at most 1. The
/// difference along an axis is limited to twice that between the next two faces inwards, and is 0 if the two have
/// opposite signs, so that spray and rough flow gain no energy.
///
/// Without (2) the pressure would have to replace the missing velocity at the surface in each step, which slows waves
/// down and dissipates their energy.
class ShiftToFaces {
 public:
  /// \param[in]     phi       level set of SurfaceDistance, ghosts valid to width 1
  /// \param[in]     labels    planes of labels with ghosts valid to width 1
  /// \param[in]     weight    weights of the deposit, ghosts valid to width 1
  /// \param[in]     solids    closed faces have no velocity of the liquid, and no difference crosses them
  /// \param[in,out] velocity  owned faces as the deposit gives them; ghosts are refreshed to width 2 before the change
  /// Parallel: collective (one gather); OpenMP; the same bits for any number of ranks and threads
  void operator()(const CellField<float>& phi, const LabelPlanes& labels, const SolidFields& solids,
                  const FaceField<double>& weight, FaceField<double>& velocity);

 private:
  template <class Shape>
  void find(const CellField<float>& phi, const LabelPlanes& labels, bool any_bodies, const FaceField<double>& velocity,
            LocalIndex b);

  std::array<CellPlanes, 3> reached_;  ///< by component: faces that the deposit reached and no solid closes
  std::array<CellPlanes, 3> closed_;   ///< by axis: faces that solids close
  FaceUpdates updates_;
};

}  // namespace freshet
