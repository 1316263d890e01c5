// SPDX-License-Identifier: Apache-2.0
#include "viscosity/coarse_link.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>

namespace freshet::viscous {
namespace {

/// Layers of coarse cells around the blocks of the finest level within which faces may have an unknown or be held. The
/// box of a coarser edge reaches up to half a coarse cell beyond a finer edge with stress, and the edge's faces lie a
/// cell beyond: over all levels 1/2 + 1/4 + ... + 1 < 2.
constexpr int reach = 2;

/// Ranks and local numbers of existing blocks of other ranks; keys ascend. Collective
std::vector<RemotePlace> locate(const BlockLayout& layout, const std::vector<BlockKey>& keys) {
  std::vector<Parcel<BlockKey>> questions;
  for (const BlockKey key : keys) {
    const int owner = layout.splitters().owner(key);
    if (questions.empty() || questions.back().rank != owner) questions.push_back({owner, {}});
    questions.back().items.push_back(key);
  }
  std::vector<Parcel<LocalIndex>> answers;
  for (const Parcel<BlockKey>& question : exchange(layout.comm(), questions)) {
    answers.push_back({question.rank, {}});
    for (const BlockKey key : question.items) answers.back().items.push_back(layout.find_owned(key));
  }
  std::vector<RemotePlace> places;
  for (const Parcel<LocalIndex>& reply : exchange(layout.comm(), answers))
    for (const LocalIndex block : reply.items) places.push_back({reply.rank, block});
  FRESHET_ASSERT(places.size() == keys.size());
  return places;
}

/// Place of the first cell of a block's octant in its parent.
LocalIndex first_of_octant(const BlockLayout& fine, LocalIndex block) {
  const Vec3i coords = fine.block_coords(block);
  const Vec3i n = fine.domain().block_cells();
  LocalIndex first = 0;
  LocalIndex stride = 1;
  for (int d = 0; d < fine.domain().dimension(); ++d) {
    first += (coords[d] & 1) * n[d] / 2 * stride;
    stride *= n[d];
  }
  return first;
}

}  // namespace

Domain CoarseLink::coarser_domain(const Domain& fine) {
  DomainOptions options;
  options.dimension = fine.dimension();
  options.cell_size = 2.0 * fine.dx();
  options.origin = fine.origin();
  for (int d = 0; d < 3; ++d) {
    options.cells[d] = (fine.lattice()[d] + 1) / 2 * fine.block_cells()[d];
    const FaceCondition condition = fine.periodic(d) ? FaceCondition::periodic : FaceCondition::free_slip;
    options.boundary[d] = {condition, condition};
  }
  return Domain(options);
}

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

CoarseLink::CoarseLink(const BlockLayout& fine, const BlockLayout& coarse) : cells_(coarse.cells_per_block()) {
  std::vector<BlockKey> elsewhere;
  for (LocalIndex block = 0; block < fine.n_owned(); ++block) {
    const BlockKey key = fine.key(block) >> 3U;
    LocalIndex parent = coarse.find_owned(key);
    const bool is_here = parent != coarse.background();
    if (!is_here) {
      if (elsewhere.empty() || elsewhere.back() != key) elsewhere.push_back(key);
      parent = static_cast<LocalIndex>(elsewhere.size()) - 1;
    }
    const auto begin = static_cast<std::size_t>(parent) * static_cast<std::size_t>(cells_);
    places_.push_back({is_here, begin + static_cast<std::size_t>(first_of_octant(fine, block))});
  }
  n_elsewhere_ = static_cast<LocalIndex>(elsewhere.size());
  if (fine.comm().size() == 1) return;
  const std::vector<RemotePlace> owners = locate(coarse, elsewhere);
  const Vec3i n = fine.domain().block_cells();
  const int nz = fine.domain().dimension() == 3 ? n[2] / 2 : 1;
  std::vector<LocalIndex> leaves;
  std::vector<RemotePlace> roots;
  for (const Place& place : places_) {
    if (place.is_here) continue;
    const auto first = static_cast<LocalIndex>(place.first);
    const RemotePlace& owner = owners[static_cast<std::size_t>(first / cells_)];
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < n[1] / 2; ++j)
        for (int i = 0; i < n[0] / 2; ++i) {
          const LocalIndex leaf = first + i + n[0] * (j + n[1] * k);
          leaves.push_back(leaf);
          roots.push_back({owner.rank, owner.index * cells_ + leaf % cells_});
        }
  }
  forest_ = std::make_unique<StarForest>(coarse.comm(), static_cast<std::int64_t>(coarse.n_owned()) * cells_,
                                         std::move(leaves), roots);
}

}  // namespace freshet::viscous
