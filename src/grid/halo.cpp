// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/grid/block_shape.hpp"

#include <vector>

namespace freshet {
namespace {

/// Cells of the neighbour in direction `offset` that lie within `width` of the block, as an index range along each
/// axis.
CellBox rim_box(const Vec3i& block_cells, const Vec3i& offset, int width) {
  CellBox box{Vec3i::Zero(), block_cells};
  for (int axis = 0; axis < 3; ++axis) {
    if (offset[axis] > 0) box.upper[axis] = std::min(width, block_cells[axis]);
    if (offset[axis] < 0) box.lower[axis] = std::max(block_cells[axis] - width, 0);
  }
  return box;
}

/// Mark every ghost cell within `width` cells of an owned block.
std::vector<std::uint8_t> mark_rim(const BlockLayout& layout, int width) {
  const Vec3i n = layout.domain().block_cells();
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(layout.n_ghost()) * layout.cells_per_block(), 0);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int direction = 0; direction < n_directions; ++direction) {
      const LocalIndex neighbour = layout.neighbours(b)[direction];
      if (neighbour < layout.n_owned() || neighbour == layout.background()) continue;
      std::uint8_t* cells = &marked[static_cast<std::size_t>(neighbour - layout.n_owned()) * layout.cells_per_block()];
      const CellBox box = rim_box(n, direction_offset(direction), width);
      for (int k = box.lower.z(); k < box.upper.z(); ++k)
        for (int j = box.lower.y(); j < box.upper.y(); ++j)
          for (int i = box.lower.x(); i < box.upper.x(); ++i) cells[i + n.x() * (j + n.y() * k)] = 1;
    }
  return marked;
}

}  // namespace

const StarForest& Halo::forest(int width) const {
  FRESHET_EXPECT(width >= 1 && width <= block_width);
  std::unique_ptr<StarForest>& forest = forests_[width];
  if (forest) return *forest;
  const std::vector<std::uint8_t> marked = mark_rim(layout_, width);
  const LocalIndex cells = layout_.cells_per_block();
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for (LocalIndex ghost = layout_.n_owned(); ghost < layout_.n_blocks(); ++ghost) {
    const LocalIndex first_marked = (ghost - layout_.n_owned()) * cells;
    const RemotePlace first{layout_.ghost_owner(ghost), layout_.ghost_remote_index(ghost) * cells};
    for (LocalIndex c = 0; c < cells; ++c) {
      if (marked[static_cast<std::size_t>(first_marked + c)] == 0) continue;
      leaves.push_back(ghost * cells + c);
      roots.push_back({first.rank, first.index + c});
    }
  }
  forest = std::make_unique<StarForest>(layout_.comm(), static_cast<std::int64_t>(layout_.n_owned()) * cells,
                                        std::move(leaves), roots);
  return *forest;
}

}  // namespace freshet
