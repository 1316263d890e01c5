// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/layout.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <utility>

namespace freshet {
namespace {

void sort_unique(std::vector<BlockKey>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Sort keys into parcels for their owners; keys of this rank are appended to `kept`.
std::vector<Parcel<BlockKey>> parcels_by_owner(const Splitters& splitters, int self, const std::vector<BlockKey>& keys,
                                               std::vector<BlockKey>& kept) {
  std::vector<Parcel<BlockKey>> parcels;
  for (const BlockKey key : keys) {  // ascending, so owners ascend too
    const int owner = splitters.owner(key);
    if (owner == self) {
      kept.push_back(key);
      continue;
    }
    if (parcels.empty() || parcels.back().rank != owner) parcels.push_back({owner, {}});
    parcels.back().items.push_back(key);
  }
  return parcels;
}

}  // namespace

OwnedBlocks owned_blocks(const Communicator& comm, const Splitters& splitters, std::vector<BlockKey> wanted) {
  FRESHET_EXPECT(splitters.n_ranks() == comm.size());
  sort_unique(wanted);
  OwnedBlocks owned;
  const std::vector<Parcel<BlockKey>> outgoing = parcels_by_owner(splitters, comm.rank(), wanted, owned.keys);
  for (const Parcel<BlockKey>& parcel : exchange(comm, outgoing))
    owned.keys.insert(owned.keys.end(), parcel.items.begin(), parcel.items.end());
  sort_unique(owned.keys);
  return owned;
}

BlockLayout::BlockLayout(const Communicator& comm, const Domain& domain, const Splitters& splitters,
                         std::vector<BlockKey> wanted)
    : BlockLayout(comm, domain, splitters, owned_blocks(comm, splitters, std::move(wanted))) {}

BlockLayout::BlockLayout(const Communicator& comm, const Domain& domain, const Splitters& splitters,
                         const OwnedBlocks& owned)
    : comm_(comm),
      domain_(domain),
      splitters_(splitters),
      cells_per_block_(domain.block_cells().prod()),
      halo_(std::make_unique<Halo>(*this)) {
  FRESHET_EXPECT(std::is_sorted(owned.keys.begin(), owned.keys.end()));
  keys_.assign(owned.keys.begin(), owned.keys.end());
  n_owned_ = static_cast<LocalIndex>(keys_.size());
  n_global_ = comm.sum(static_cast<GlobalIndex>(n_owned_));
  first_global_ = comm.exclusive_sum(static_cast<GlobalIndex>(n_owned_));
  find_ghosts();
  link_neighbours();
}

BlockLayout::~BlockLayout() = default;

void BlockLayout::find_ghosts() {
  std::vector<BlockKey> candidates;
  for (LocalIndex b = 0; b < n_owned_; ++b)
    for (int direction = 0; direction < n_directions; ++direction) {
      Vec3i block = block_coords(b) + direction_offset(direction);
      if (!domain_.wrap_block(block)) continue;
      const BlockKey key = morton_key(block);
      if (splitters_.owner(key) != comm_.rank()) candidates.push_back(key);
    }
  sort_unique(candidates);

  // Ask each owner for its local numbers; -1 says that the block does not exist.
  std::vector<BlockKey> none_of_them;
  const std::vector<Parcel<BlockKey>> questions = parcels_by_owner(splitters_, comm_.rank(), candidates, none_of_them);
  std::vector<Parcel<LocalIndex>> answers;
  for (const Parcel<BlockKey>& question : exchange(comm_, questions)) {
    Parcel<LocalIndex> answer{question.rank, {}};
    for (const BlockKey key : question.items) {
      const LocalIndex block = find_owned(key);
      answer.items.push_back(block == background() ? -1 : block);
    }
    answers.push_back(std::move(answer));
  }
  const std::vector<Parcel<LocalIndex>> replies = exchange(comm_, answers);
  FRESHET_ASSERT(replies.size() == questions.size());
  for (std::size_t n = 0; n < replies.size(); ++n) {  // both ascend by rank
    FRESHET_ASSERT(replies[n].rank == questions[n].rank);
    for (std::size_t q = 0; q < replies[n].items.size(); ++q) {
      if (replies[n].items[q] < 0) continue;
      keys_.push_back(questions[n].items[q]);
      ghost_owner_.push_back(replies[n].rank);
      ghost_remote_.push_back(replies[n].items[q]);
    }
  }
}

void BlockLayout::link_neighbours() {
  neighbours_.resize(static_cast<std::size_t>(n_owned_) * n_directions);
  touches_boundary_.resize(static_cast<std::size_t>(n_owned_));
  const Vec3i width = domain_.block_cells();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned_; ++b) {
    const Vec3i coords = block_coords(b);
    LocalIndex* row = &neighbours_[n_directions * static_cast<std::size_t>(b)];
    bool at_boundary = false;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i offset = direction_offset(direction);
      Vec3i block = coords + offset;
      row[direction] = background();
      if (domain_.wrap_block(block)) row[direction] = find(morton_key(block));
    }
    for (int axis = 0; axis < domain_.dimension(); ++axis) {
      if (domain_.periodic(axis)) continue;
      // the next block counts too: a pad around this block then does not leave the domain elsewhere
      at_boundary = at_boundary || coords[axis] == 0 || (coords[axis] + 2) * width[axis] > domain_.cells()[axis];
    }
    touches_boundary_[b] = at_boundary ? 1 : 0;
  }
}

LocalIndex BlockLayout::find_owned(BlockKey key) const {
  const auto begin = keys_.begin();
  const auto end = begin + n_owned_;
  const auto found = std::lower_bound(begin, end, key);
  return found != end && *found == key ? static_cast<LocalIndex>(found - begin) : background();
}

LocalIndex BlockLayout::find(BlockKey key) const {
  const LocalIndex owned = find_owned(key);
  if (owned != background()) return owned;
  const auto begin = keys_.begin() + n_owned_;
  const auto found = std::lower_bound(begin, keys_.end(), key);
  return found != keys_.end() && *found == key ? static_cast<LocalIndex>(found - keys_.begin()) : background();
}

}  // namespace freshet
