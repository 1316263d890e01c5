// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// A cell that shares a face with a cell of an owned block.
struct CellBeside {
  LocalIndex slot;  ///< slot of its block; BlockLayout::background() where none exists
  int cell;
  LocalIndex face_slot;  ///< where fields store the face between the two cells
  int face;
};

/// The cell beside cell c of an owned block along an axis. \param[in] side  -1 or 1
template <class Shape>
CellBeside cell_beside(const BlockLayout& layout, LocalIndex block, int c, int axis, int side) {
  const int at = c / Shape::stride(axis) % Shape::n(axis);
  CellBeside result{block, c + side * Shape::stride(axis), block, c};
  if (at + side < 0 || at + side >= Shape::n(axis)) {
    result.slot = layout.neighbours(block)[side < 0 ? low_direction(axis) : high_direction(axis)];
    result.cell = c - side * (Shape::n(axis) - 1) * Shape::stride(axis);
  }
  if (side > 0) {
    result.face_slot = result.slot;
    result.face = result.cell;
  }
  return result;
}

/// Call f(CellBeside) for the cells that share a face with cell c of an owned block, axis by axis, low side first.
template <class Shape, class Function>
void for_each_cell_beside(const BlockLayout& layout, LocalIndex block, int c, Function&& f) {
  for (int axis = 0; axis < Shape::dim; ++axis)
    for (const int side : {-1, 1}) f(cell_beside<Shape>(layout, block, c, axis, side));
}

}  // namespace freshet
