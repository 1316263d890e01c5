// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/far_blocks.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <array>

namespace freshet {
namespace {

/// Number of cells of a block that lie in the domain.
GlobalIndex cells_in_domain(const Domain& domain, const Vec3i& block) {
  GlobalIndex n = 1;
  for (int d = 0; d < domain.dimension(); ++d) {
    const int first = block[d] * domain.block_cells()[d];
    n *= std::clamp(domain.cells()[d] - first, 0, domain.block_cells()[d]);
  }
  return n;
}

/// Whether a block holds cells at a side of the domain whose air belongs to the atmosphere.
bool is_at_atmosphere(const Domain& domain, const Vec3i& block, const AtmosphereSides& atmosphere) {
  for (int d = 0; d < domain.dimension(); ++d) {
    const int last = (domain.cells()[d] - 1) / domain.block_cells()[d];
    if ((atmosphere.side[d][0] && block[d] == 0) || (atmosphere.side[d][1] && block[d] == last)) return true;
  }
  return std::ranges::any_of(atmosphere.vents.blocks(), [&](const Vents::Block& vent) { return vent.place == block; });
}

}  // namespace

bool FarBlocks::is_in_box(const Vec3i& block) const {
  return ((block - low_).array() >= 0).all() && ((block - low_ - size_).array() < 0).all();
}

std::size_t FarBlocks::index(const Vec3i& block) const {
  const Vec3i at = block - low_;
  return static_cast<std::size_t>(at.x()) +
         static_cast<std::size_t>(size_.x()) * (static_cast<std::size_t>(at.y()) +
                                                static_cast<std::size_t>(size_.y()) * static_cast<std::size_t>(at.z()));
}

/// Find the ends of this rank's near blocks.
void FarBlocks::find_ends() {
  ends_.fill(-2.0 * domain_.lattice().maxCoeff());
  for (const BlockKey key : near_) {
    const Vec3i block = morton_block(key);
    for (std::size_t d = 0; d < 3; ++d) {
      const double at = block[static_cast<int>(d)];
      ends_[d] = std::max(ends_[d], -at);
      ends_[d + 3] = std::max(ends_[d + 3], at);
    }
  }
}

/// Find the box, one layer of blocks wider than the near ones, and the near blocks in it. Collective
/// \param[in] first, last  ends of the near blocks of all ranks; last < first if there are none
void FarBlocks::mark_near(const Communicator& comm, const Vec3i& first, const Vec3i& last) {
  const Vec3i& lattice = domain_.lattice();
  for (int d = 0; d < 3; ++d) {
    const bool is_whole = domain_.periodic(d) || last[d] < first[d];
    low_[d] = is_whole ? 0 : std::max(0, first[d] - 1);
    size_[d] = (is_whole ? lattice[d] : std::min(lattice[d], last[d] + 2)) - low_[d];
  }
  const std::size_t n =
      static_cast<std::size_t>(size_.x()) * static_cast<std::size_t>(size_.y()) * static_cast<std::size_t>(size_.z());
  bits_.assign((n + 63) / 64, 0);
  for (const BlockKey key : near_) {
    const std::size_t at = index(morton_block(key));
    bits_[at / 64] |= GlobalIndex{1} << (at % 64);
  }
  comm.sum_in_place(std::span<GlobalIndex>(bits_));  // each block has one owner: a sum of the words joins the bits
  region_.resize(n);
  for (std::size_t at = 0; at < n; ++at)
    region_[at] = (static_cast<std::uint64_t>(bits_[at / 64]) >> (at % 64) & 1U) != 0 ? near_liquid : not_seen;
}

void FarBlocks::flood(const Vec3i& seed, std::int32_t region, const AtmosphereSides& atmosphere) {
  Region& found = regions_[static_cast<std::size_t>(region)];
  queue_.assign(1, seed);
  region_[index(seed)] = region;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Vec3i block = queue_[next];
    found.cells += cells_in_domain(domain_, block);
    found.is_open = found.is_open || is_at_atmosphere(domain_, block, atmosphere);
    for (int d = 0; d < domain_.dimension(); ++d)
      for (const int side : {-1, 1}) {
        Vec3i beside = block;
        beside[d] += side;
        if (!domain_.wrap_block(beside) || !is_in_box(beside) || cells_in_domain(domain_, beside) == 0) continue;
        std::int32_t& state = region_[index(beside)];
        if (state != not_seen) continue;
        state = region;
        queue_.push_back(beside);
      }
  }
}

/// Add the blocks beyond the box to the regions that they belong to. No block of the box's outermost layer is near
/// where the lattice goes on beyond it.
void FarBlocks::add_blocks_beyond_box(const AtmosphereSides& atmosphere) {
  std::array<GlobalIndex, 3> width{1, 1, 1};  // number of cells of the domain along each axis, of the box so far
  for (int d = 0; d < domain_.dimension(); ++d) width[static_cast<std::size_t>(d)] = domain_.cells()[d];
  for (int d = 0; d < domain_.dimension(); ++d) {
    const auto axis = static_cast<std::size_t>(d);
    const int cells = domain_.block_cells()[d];
    const int low = low_[d] * cells;
    const int high = std::min((low_[d] + size_[d]) * cells, domain_.cells()[d]);
    GlobalIndex across = 1;
    for (std::size_t e = 0; e < 3; ++e) across *= e == axis ? 1 : width[e];
    for (int side = 0; side < 2; ++side) {
      const GlobalIndex beyond = side == 0 ? low : domain_.cells()[d] - high;
      if (beyond == 0) continue;
      Vec3i block = low_;
      if (side == 1) block[d] += size_[d] - 1;
      Region& region = regions_[static_cast<std::size_t>(region_[index(block)])];
      region.cells += beyond * across;
      for (int e = 0; e < domain_.dimension(); ++e)
        for (int end = 0; end < 2; ++end)
          region.is_open = region.is_open || (atmosphere.side[e][end] && (e != d || end == side));
    }
    width[axis] = high - low;
  }
  for (const Vents::Block& vent : atmosphere.vents.blocks()) {
    if (is_in_box(vent.place)) continue;
    const Vec3i beside = vent.place.cwiseMax(low_).cwiseMin(low_ + size_ - Vec3i::Ones());
    regions_[static_cast<std::size_t>(region_[index(beside)])].is_open = true;
  }
}

bool FarBlocks::find(const BlockLayout& layout, std::span<const std::uint8_t> near, const AtmosphereSides& atmosphere) {
  domain_ = layout.domain();
  near_.clear();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    if (near[static_cast<std::size_t>(b)] != 0) near_.push_back(layout.key(b));
  const bool is_as_before = has_found_ && near_ == last_near_;
  if (!is_as_before) find_ends();
  std::array<double, 7> largest;
  std::ranges::copy(ends_, largest.begin());
  largest[6] = is_as_before ? 0.0 : 1.0;
  layout.comm().max_in_place(largest);
  if (largest[6] == 0.0) return false;
  has_found_ = true;
  last_near_ = near_;
  const Vec3i first(-static_cast<int>(largest[0]), -static_cast<int>(largest[1]), -static_cast<int>(largest[2]));
  const Vec3i last(static_cast<int>(largest[3]), static_cast<int>(largest[4]), static_cast<int>(largest[5]));
  mark_near(layout.comm(), first, last);
  regions_.clear();
  for (int k = 0; k < size_.z(); ++k)
    for (int j = 0; j < size_.y(); ++j)
      for (int i = 0; i < size_.x(); ++i) {
        const Vec3i block = low_ + Vec3i(i, j, k);
        if (region_[index(block)] != not_seen || cells_in_domain(domain_, block) == 0) continue;
        regions_.emplace_back();
        flood(block, static_cast<std::int32_t>(regions_.size()) - 1, atmosphere);
      }
  add_blocks_beyond_box(atmosphere);
  return true;
}

std::int32_t FarBlocks::region_of(Vec3i block) const {
  if (!domain_.wrap_block(block) || !is_in_box(block)) return -1;
  return std::max(region_[index(block)], std::int32_t{-1});
}

}  // namespace freshet
