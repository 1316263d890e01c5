// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/level_link.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

namespace freshet {
namespace {

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

std::uint8_t octant_of(const Vec3i& block) {
  return static_cast<std::uint8_t>((block.x() & 1) | (block.y() & 1) << 1 | (block.z() & 1) << 2);
}

/// Axes along which a block of this lattice is not coarsened, one bit each.
std::uint8_t kept_axes(const Domain& domain, const Vec3i& block) {
  unsigned kept = 0;
  for (int d = 0; d < domain.dimension(); ++d) {
    const int n = domain.lattice()[d];
    if (domain.periodic(d) && n % 2 == 1 && block[d] == n - 1) kept |= 1U << static_cast<unsigned>(d);
  }
  return static_cast<std::uint8_t>(kept);
}

}  // namespace

Domain coarser_domain(const Domain& fine) {
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

LevelLink::LevelLink(const BlockLayout& fine, const BlockLayout& coarse, const CellsOf& cells_of) {
  std::vector<BlockKey> elsewhere;
  for (LocalIndex block = 0; block < fine.n_owned(); ++block) {
    const BlockKey key = fine.key(block) >> 3U;
    LocalIndex slot = coarse.find_owned(key);
    if (slot == coarse.background()) {
      if (elsewhere.empty() || elsewhere.back() != key) elsewhere.push_back(key);
      slot = coarse.n_slots() + static_cast<LocalIndex>(elsewhere.size()) - 1;
    }
    const Vec3i coords = fine.block_coords(block);
    parents_.push_back({slot, octant_of(coords), kept_axes(fine.domain(), coords)});
  }
  n_stand_ins_ = static_cast<LocalIndex>(elsewhere.size());
  if (coarse.comm().size() == 1) return;
  const std::vector<RemotePlace> owners = locate(coarse, elsewhere);
  const LocalIndex cells = coarse.cells_per_block();
  std::vector<RemotePlace> roots;
  for (const ParentPlace& parent : parents_) {
    const LocalIndex stand_in = parent.slot - coarse.n_slots();
    if (stand_in < 0) continue;
    const RemotePlace& owner = owners[static_cast<std::size_t>(stand_in)];
    for (const LocalIndex c : cells_of(parent)) {
      sent_cells_.push_back(stand_in * cells + c);
      roots.push_back({owner.rank, owner.index * cells + c});
    }
  }
  forest_ = std::make_unique<StarForest>(coarse.comm(), static_cast<std::int64_t>(coarse.n_owned()) * cells,
                                         sent_cells_, roots);
}

std::vector<LocalIndex> LevelLink::received_cells() const {
  return forest_ ? forest_->roots_in_use() : std::vector<LocalIndex>();
}

}  // namespace freshet
