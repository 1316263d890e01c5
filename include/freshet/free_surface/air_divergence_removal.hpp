// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/face_updates.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/solids/solids.hpp"

#include <array>

namespace freshet {

/// Removes the divergence in cells of air next to the liquid; keeps its buffers.
///
/// Extrapolation gives a cell of air above the liquid the velocity of the liquid below, so that liquid in its lower
/// part is compressed along the surface without rising. In a cell of air with one liquid neighbour, the face opposite
/// to that neighbour gets the velocity without divergence:
///   u_opposite = u_liquid -+ (net outflow through the other faces)
/// if the cell beyond that face is air as well, and its other neighbour along the axis is not liquid. Liquid behind a
/// wall thinner than a cell is no neighbour. If liquid may leave a body that cuts cells, cells beside solids are left
/// out: there may be air between them and the solid.
/// The correction makes no face faster than a given speed: where a jet hits a wall, the fast air is almost empty.
class AirDivergenceRemoval {
 public:
  /// \param[in]     known     labels: liquid in cells whose faces extrapolation took as known; ghosts valid to width 2
  /// \param[in]     fastest   bound of corrected velocities [m/s]; faster faces are not sped up
  /// \param[in,out] velocity  owned faces, extrapolated; ghosts valid to width 1 before the change
  /// Parallel: local; OpenMP; the same bits for any number of ranks and threads
  void operator()(const LabelField& known, const SolidFields& solids, double fastest, FaceField<double>& velocity);

 private:
  template <class Shape>
  void find(const SolidFields& solids, double fastest, const FaceField<double>& velocity, LocalIndex b);

  FaceUpdates updates_;
  LabelPlanes labels_;
  std::array<CellPlanes, 3> closed_;  ///< by axis: faces that solids close
};

}  // namespace freshet
