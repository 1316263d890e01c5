// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"

namespace freshet {

/// Call beyond(cell) for the cells outside the domain, and missing(cell) for those of blocks that do not exist, in an
/// owned block and `pad` layers around it. Cells are named by their place relative to the block.
template <class Shape, class Beyond, class Missing>
void for_each_outside_cell(const BlockLayout& layout, LocalIndex block, int pad, Beyond&& beyond, Missing&& missing) {
  if (!layout.touches_background(block) && !layout.touches_boundary(block)) return;
  const LocalIndex* const neighbours = layout.neighbours(block);
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  const bool is_whole = domain.contains_cell(begin + domain.block_cells() - Vec3i::Ones());
  const auto step = [](int i, int n) { return i < 0 ? -1 : i >= n ? 1 : 0; };
  const int z = Shape::dim == 3 ? pad : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -pad; j < Shape::ny + pad; ++j)
      for (int i = -pad; i < Shape::nx + pad; ++i) {
        const int s_x = step(i, Shape::nx), s_y = step(j, Shape::ny), s_z = step(k, Shape::nz);
        if (is_whole && s_x == 0 && s_y == 0 && s_z == 0) continue;
        const Vec3i cell(i, j, k);
        if (!domain.contains_cell(domain.wrap_cell(begin + cell))) {
          beyond(cell);
        } else if (neighbours[direction_index(s_x, s_y, s_z)] == layout.background()) {
          missing(cell);
        }
      }
}

}  // namespace freshet
