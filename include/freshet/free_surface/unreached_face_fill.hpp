// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/face_updates.hpp"
#include "freshet/grid/kernels/label_planes.hpp"

namespace freshet {

/// Gives a velocity to faces of liquid cells that no particle reaches; keeps its buffers.
///
/// A cell may be liquid without a particle near each of its faces: a cut cell below the liquid, or a hole that the
/// level set fills. The deposit leaves 0 there, and the projection would treat this as liquid at rest. Such a face gets
/// the mean over its neighbours of the same axis that particles reach (26, in 2-D 8).
class UnreachedFaceFill {
 public:
  /// \param[in]     labels    planes of labels with ghosts valid to width 1
  /// \param[in,out] weight, velocity  results of the deposit on owned faces; ghosts of both are refreshed to width 1
  /// before the change
  /// Parallel: collective (one gather); OpenMP; the same bits for any number of ranks and threads
  void operator()(const LabelPlanes& labels, FaceField<double>& weight, FaceField<double>& velocity);

 private:
  template <class Shape>
  void find(const LabelPlanes& labels, const FaceField<double>& weight, const FaceField<double>& velocity,
            LocalIndex b);

  FaceUpdates updates_;
};

}  // namespace freshet
