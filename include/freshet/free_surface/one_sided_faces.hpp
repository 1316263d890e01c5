// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/solids/solids.hpp"

#include <array>
#include <vector>

namespace freshet {

/// Brings the deposited velocity of faces at the surface of the liquid from the particles' mean place to the face;
/// keeps its buffers.
///
/// Near the surface all particles of a face lie on one side of it, and the deposit gives the face their mean velocity:
/// that of a point deeper in the liquid. Across a plane surface at the distance phi_f from the face, with the deposit's
/// weight 1 - |s|, that point lies deeper by
///   c(phi) = integral of t (1 - |t|) / integral of (1 - |t|), both over phi < t < 1                                (1)
/// With the next face inwards, which has c(phi_f - 1), the velocity is extrapolated linearly to the face:
///   u_f += c(phi_f) / (1 - c(phi_f) + c(phi_f - 1)) sum_a |n_a| (u_f - u_a)                                        (2)
/// where u_a stands on the next face along axis a against the normal n. The factor is at most 1, and the difference
/// along an axis is 0 if that between the next two faces inwards has the other sign, and at most twice as large as it,
/// so that spray and rough flow gain no energy.
///
/// Without (2) the pressure has to make up at each step for what the faces at the surface lack: waves of 32 cells are
/// then 0.4 % slower, and lose twice the energy.
class OneSidedFaces {
 public:
  /// \param[in]     phi       of SurfaceDistance, ghosts valid to width 1
  /// \param[in]     labels    of labels with ghosts valid to width 1
  /// \param[in]     weight    of the deposit, ghosts valid to width 1
  /// \param[in]     solids    close faces: no velocity there is the liquid's, and no difference reaches through them
  /// \param[in,out] velocity  owned faces as the deposit gives them; ghosts are refreshed to width 2 before the change
  /// Parallel: collective (one gather); OpenMP; the same bits for any number of ranks and threads
  void operator()(const CellField<float>& phi, const LabelPlanes& labels, const SolidFields& solids,
                  const FaceField<double>& weight, FaceField<double>& velocity);

 private:
  struct Update {
    int axis;
    int face;
    double value;
  };
  template <class Shape>
  void find(const CellField<float>& phi, const LabelPlanes& labels, bool any_bodies, const FaceField<double>& velocity,
            LocalIndex b);

  std::array<CellPlanes, 3> reached_;         ///< by component: the faces that the deposit reached and no solid closes
  std::array<CellPlanes, 3> closed_;          ///< by axis: the faces that solids close
  std::vector<std::vector<Update>> updates_;  ///< by owned block
};

}  // namespace freshet
