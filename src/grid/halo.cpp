// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace freshet {
namespace {

/// Cells of a block within `width` cells of the block at `offset`.
CellBox near_side(const Vec3i& block_cells, const Vec3i& offset, int width) {
  CellBox box{Vec3i::Zero(), block_cells};
  for (int axis = 0; axis < 3; ++axis) {
    if (offset[axis] < 0) box.upper[axis] = std::min(width, block_cells[axis]);
    if (offset[axis] > 0) box.lower[axis] = std::max(block_cells[axis] - width, 0);
  }
  return box;
}

/// Cells of a block within `width` cells of the blocks in these directions, ascending.
std::vector<LocalIndex> cells_toward(const Vec3i& n, std::uint32_t directions, int width) {
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(n.prod()), 0);
  for (int direction = 0; direction < n_directions; ++direction) {
    if ((directions >> direction & 1U) == 0) continue;
    const CellBox box = near_side(n, direction_offset(direction), width);
    for (int k = box.lower.z(); k < box.upper.z(); ++k)
      for (int j = box.lower.y(); j < box.upper.y(); ++j)
        for (int i = box.lower.x(); i < box.upper.x(); ++i)
          marked[static_cast<std::size_t>(i + n.x() * (j + n.y() * k))] = 1;
  }
  std::vector<LocalIndex> cells;
  for (std::size_t c = 0; c < marked.size(); ++c)
    if (marked[c] != 0) cells.push_back(static_cast<LocalIndex>(c));
  return cells;
}

}  // namespace

Halo::Halo(const BlockLayout& layout) : layout_(layout) {}
Halo::~Halo() = default;

BorderExchange& Halo::rim(int width) const {
  FRESHET_EXPECT(width >= 1 && width <= block_width);
  std::unique_ptr<BorderExchange>& rim = rims_[static_cast<std::size_t>(width - 1)];
  if (!rim)
    rim = std::make_unique<BorderExchange>(layout_, layout_.cells_per_block(), [&](std::uint32_t directions) {
      return cells_toward(layout_.domain().block_cells(), directions, width);
    });
  return *rim;
}

}  // namespace freshet
