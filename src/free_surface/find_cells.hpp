// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/kernels/tile.hpp"

#include <cstdint>
#include <cstring>

namespace freshet {

/// Find the cells of a block that pass a test; fast if few do, as rows without any are skipped.
/// \param[in]  test   function of the cell's index in arrays padded as `extents` and in the block; without branches
/// \param[out] cells  indices in the block, ascending; room for all
/// \return number of cells
template <class Shape, class Test>
int find_cells(const TileExtents<Shape>& extents, const Test& test, int* cells) {
  using Row = std::uint64_t;
  static_assert(Shape::nx == sizeof(Row));
  int n = 0;
  for (int c = 0; c < Shape::cells; c += Shape::nx) {
    const int at = extents.at(0, c / Shape::nx % Shape::ny, c / (Shape::nx * Shape::ny));
    std::uint8_t passes[Shape::nx];
    for (int i = 0; i < Shape::nx; ++i) passes[i] = test(at + i, c + i) ? 1 : 0;
    Row any;
    std::memcpy(&any, passes, sizeof any);
    if (any == 0) continue;
    for (int i = 0; i < Shape::nx; ++i) {
      cells[n] = c + i;
      n += passes[i];
    }
  }
  return n;
}

}  // namespace freshet
