// SPDX-License-Identifier: Apache-2.0
#include "viscosity/coarse_link.hpp"

#include <algorithm>

namespace freshet::viscous {
namespace {

/// Layers of coarse cells around the blocks of the finest level within which faces may have an unknown or be held. The
/// box of a coarser edge reaches up to half a coarse cell beyond a finer edge with stress, and the edge's faces lie a
/// cell beyond: over all levels 1/2 + 1/4 + ... + 1 < 2.
constexpr int reach = 2;

/// Cells of each octant of a block, ascending; in 2-D only the first four octants have cells of their own.
template <class Shape>
std::array<std::vector<std::int16_t>, 8> cells_of_octants() {
  std::array<std::vector<std::int16_t>, 8> octants;
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) {
        const int octant = 2 * i / Shape::nx + 2 * (2 * j / Shape::ny) + 4 * (2 * k / Shape::nz);
        octants[static_cast<std::size_t>(octant)].push_back(static_cast<std::int16_t>(Shape::cell(i, j, k)));
      }
  return octants;
}

}  // namespace

std::vector<BlockKey> CoarseLink::blocks_in_reach(const BlockLayout& finest, const Domain& coarse, int factor) {
  const auto block_of = [factor](int cell) {  // coarse block that contains a finest cell, rounded down
    const int width = block_width * factor;
    return (cell + 2 * width) / width - 2;
  };
  std::vector<BlockKey> keys;
  for (LocalIndex block = 0; block < finest.n_owned(); ++block) {
    const Vec3i first = finest.first_cell(block);
    Vec3i low = Vec3i::Zero(), high = Vec3i::Zero();
    for (int d = 0; d < coarse.dimension(); ++d) {
      low[d] = block_of(first[d] - reach * factor);
      high[d] = block_of(first[d] + block_width - 1 + reach * factor);
    }
    for (int k = low.z(); k <= high.z(); ++k)
      for (int j = low.y(); j <= high.y(); ++j)
        for (int i = low.x(); i <= high.x(); ++i)
          if (Vec3i place(i, j, k); coarse.wrap_block(place)) keys.push_back(morton_key(place));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

CoarseLink::CoarseLink(const BlockLayout& fine, const BlockLayout& coarse)
    : n_slots_(coarse.n_slots()),
      n_cells_(coarse.cells_per_block()),
      octants_(with_shape(coarse.domain().dimension(), [](auto shape) { return cells_of_octants<decltype(shape)>(); })),
      link_(fine, coarse,
            [this](const ParentPlace& place) -> std::span<const std::int16_t> { return octants_[place.octant]; }),
      n_in_stand_ins_(static_cast<std::size_t>(link_.n_stand_ins()) * static_cast<std::size_t>(n_cells_)) {}

}  // namespace freshet::viscous
