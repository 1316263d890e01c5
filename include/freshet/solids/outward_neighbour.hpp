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

/// Where a cell at most a block's width away from a block is stored. \param[in] cell  from the block's first cell
template <class Shape>
CellPlace cell_near(const BlockLayout& layout, LocalIndex b, Vec3i cell) {
  Vec3i side = Vec3i::Zero();
  for (int d = 0; d < Shape::dim; ++d) side[d] = cell[d] < 0 ? -1 : cell[d] >= Shape::n(d) ? 1 : 0;
  for (int d = 0; d < Shape::dim; ++d) cell[d] -= side[d] * Shape::n(d);
  return {layout.neighbours(b)[direction_index(side.x(), side.y(), side.z())], Shape::cell(cell)};
}

/// The neighbour of a cut cell along the body's outward normal.
template <class Shape>
CellPlace outward_neighbour(const BlockLayout& layout, LocalIndex b, const CutCell& cut) {
  return cell_near<Shape>(layout, b, Shape::place(cut.cell) + direction_offset(cut.outward));
}

}  // namespace freshet
