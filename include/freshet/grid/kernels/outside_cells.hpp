// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"

#include <array>
#include <cstddef>

namespace freshet {

/// Call beyond(cell) for the cells outside the domain, and missing(cell) for those of blocks that do not exist, in an
/// owned block and `pad` layers around it. Cells are named by their place relative to the block.
template <class Shape, class Beyond, class Missing>
void for_each_outside_cell(const BlockLayout& layout, LocalIndex block, int pad, Beyond&& beyond, Missing&& missing) {
  constexpr int most = 3;  // layers around a block
  FRESHET_EXPECT(pad <= most);
  if (!layout.touches_background(block) && !layout.touches_boundary(block)) return;
  const LocalIndex* const neighbours = layout.neighbours(block);
  const Domain& domain = layout.domain();
  const Vec3i begin = layout.first_cell(block);
  // by axis and place: whether cells there lie outside the domain, and in which block they are, -1, 0 or 1
  std::array<std::array<bool, block_width + 2 * most>, 3> is_out{};
  std::array<std::array<int, block_width + 2 * most>, 3> step{};
  bool is_whole = true;
  for (int d = 0; d < Shape::dim; ++d)
    for (int i = -pad; i < Shape::n(d) + pad; ++i) {
      const int cell = begin[d] + i;
      const auto at = static_cast<std::size_t>(i + pad);
      is_out[d][at] = !domain.periodic(d) && (cell < 0 || cell >= domain.cells()[d]);
      step[d][at] = i < 0 ? -1 : i >= Shape::n(d) ? 1 : 0;
      is_whole = is_whole && (step[d][at] != 0 || !is_out[d][at]);
    }
  const int z = Shape::dim == 3 ? pad : 0;
  for (int k = -z; k < Shape::nz + z; ++k)
    for (int j = -pad; j < Shape::ny + pad; ++j) {
      const auto at_j = static_cast<std::size_t>(j + pad), at_k = static_cast<std::size_t>(k + z);
      const bool row_is_out = is_out[1][at_j] || is_out[2][at_k];
      const bool row_is_own = is_whole && step[1][at_j] == 0 && step[2][at_k] == 0;
      for (int i = -pad; i < Shape::nx + pad; ++i) {
        if (row_is_own && i == 0) i = Shape::nx;
        const auto at_i = static_cast<std::size_t>(i + pad);
        if (row_is_out || is_out[0][at_i]) {
          beyond(Vec3i(i, j, k));
        } else if (neighbours[direction_index(step[0][at_i], step[1][at_j], step[2][at_k])] == layout.background()) {
          missing(Vec3i(i, j, k));
        }
      }
    }
}

}  // namespace freshet
