// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/layout.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <map>
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
  for (const BlockKey key : keys) {  // keys ascend, so owners ascend too
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
  first_global_ = owned.n_before + comm.exclusive_sum(static_cast<GlobalIndex>(n_owned_));
  find_ghosts();
  link_neighbours();
  find_borders();
}

BlockLayout::~BlockLayout() = default;

/// Each rank sends the key of each of its blocks to the owners of all 26 places around the block, whether blocks exist
/// there or not. Received keys of blocks beside an own block are the ghosts.
void BlockLayout::find_ghosts() {
  const auto for_each_place_around = [this](BlockKey key, auto&& visit) {
    for (int direction = 0; direction < n_directions; ++direction) {
      Vec3i place = morton_block(key) + direction_offset(direction);
      if (direction != self_direction && domain_.wrap_block(place)) visit(morton_key(place));
    }
  };
  std::map<int, Parcel<BlockKey>> told;
  for (const BlockKey key : owned_keys()) {
    for_each_place_around(key, [&](BlockKey place) {
      const int owner = splitters_.owner(place);
      if (owner == comm_.rank()) return;
      std::vector<BlockKey>& keys = told[owner].items;
      if (keys.empty() || keys.back() != key) keys.push_back(key);
    });
  }
  std::vector<Parcel<BlockKey>> outgoing;
  std::vector<BlockKey> ghosts;
  for (auto& [rank, parcel] : told) outgoing.push_back({rank, std::move(parcel.items)});
  for (const Parcel<BlockKey>& incoming : exchange(comm_, outgoing))  // in order of rank; the keys of a rank ascend
    for (const BlockKey key : incoming.items) {
      bool is_beside = false;
      for_each_place_around(key, [&](BlockKey place) { is_beside = is_beside || find_owned(place) != background(); });
      if (!is_beside) continue;
      ghosts.push_back(key);
      ghost_borders_.push_back({incoming.rank, n_owned_ + static_cast<LocalIndex>(ghosts.size()) - 1, 0});
    }
  keys_.insert(keys_.end(), ghosts.begin(), ghosts.end());
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
      // the next block counts too, so that a pad around other blocks stays inside the domain
      at_boundary = at_boundary || coords[axis] == 0 || (coords[axis] + 2) * width[axis] > domain_.cells()[axis];
    }
    touches_boundary_[b] = at_boundary ? 1 : 0;
  }
}

void BlockLayout::find_borders() {
  std::vector<BlockBorder> of_block;
  for (LocalIndex b = 0; b < n_owned_; ++b) {
    of_block.clear();
    for (int t = 0; t < n_directions; ++t) {
      const LocalIndex neighbour = neighbours(b)[t];
      if (neighbour < n_owned_ || neighbour == background()) continue;
      BlockBorder& ghost = ghost_borders_[static_cast<std::size_t>(neighbour - n_owned_)];
      ghost.directions |= std::uint32_t{1} << (n_directions - 1 - t);
      const auto seen = std::find_if(of_block.begin(), of_block.end(),
                                     [&](const BlockBorder& border) { return border.rank == ghost.rank; });
      if (seen == of_block.end())
        of_block.push_back({ghost.rank, b, std::uint32_t{1} << t});
      else
        seen->directions |= std::uint32_t{1} << t;
    }
    (of_block.empty() ? inner_blocks_ : outer_blocks_).push_back(b);
    seen_blocks_.insert(seen_blocks_.end(), of_block.begin(), of_block.end());
  }
  std::stable_sort(seen_blocks_.begin(), seen_blocks_.end(),
                   [](const BlockBorder& a, const BlockBorder& b) { return a.rank < b.rank; });
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
