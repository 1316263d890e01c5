// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/face_bits.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/solids/solids.hpp"

#include <array>

namespace freshet {

/// Planes of the faces of each axis that solids close, for all slots.
using ClosedPlanes = std::array<CellPlanes, 3>;

/// Find the closed faces of all slots. Parallel: local; OpenMP
template <class Shape>
void find_closed_planes(const SolidFields& solids, ClosedPlanes& closed) {
  const BlockLayout& layout = solids.wall().layout();
  for (int d = 0; d < Shape::dim; ++d) {
    CellPlanes& planes = closed[static_cast<std::size_t>(d)];
    planes.assign(static_cast<std::size_t>(layout.n_slots()) * Shape::nz, 0);
    parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
      if (!solids.has_closed_face(b)) return;
      for (int k = 0; k < Shape::nz; ++k)
        for (const WallBits bit : {solid_below, solid_above, covered, thin_wall})
          planes[static_cast<std::size_t>(Shape::nz * b + k)] |=
              plane_of(solids.wall()[d].block(b) + 64 * k, std::countr_zero(unsigned{bit}));
    });
  }
}

}  // namespace freshet
