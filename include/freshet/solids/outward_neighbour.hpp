// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/solids.hpp"

namespace freshet {

/// A cell of a block or of its neighbours.
struct CellPlace {
  LocalIndex slot;
  int cell;
};

/// The neighbour of a cut cell along the body's outward normal.
template <class Shape>
CellPlace outward_neighbour(const BlockLayout& layout, LocalIndex b, const CutCell& cut) {
  Vec3i cell = Shape::place(cut.cell);
  cell += direction_offset(cut.outward);
  Vec3i side = Vec3i::Zero();
  for (int d = 0; d < Shape::dim; ++d) side[d] = cell[d] < 0 ? -1 : cell[d] >= Shape::n(d) ? 1 : 0;
  for (int d = 0; d < Shape::dim; ++d) cell[d] -= side[d] * Shape::n(d);
  return {layout.neighbours(b)[direction_index(side.x(), side.y(), side.z())], Shape::cell(cell)};
}

}  // namespace freshet
