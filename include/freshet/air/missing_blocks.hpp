// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/atmosphere_sides.hpp"
#include "freshet/grid/layout.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// The connected regions of blocks that do not exist. Such blocks hold air, however solids cross them.
///
/// Each rank stores four bytes for each block of the smallest box of blocks that holds all existing ones, a 128th of
/// what a field of the box's cells takes. Regions are numbered by their first blocks in the order of coordinates, the
/// same on all ranks.
class MissingBlocks {
 public:
  struct Region {
    bool is_open = false;   ///< whether it reaches the atmosphere at a side of the domain
    GlobalIndex cells = 0;  ///< number of its cells in the domain
  };
  /// Find the regions. Does nothing if the layout is that of the last call. Parallel: collective
  void find(const BlockLayout& layout, const AtmosphereSides& atmosphere);
  /// The region of a block that does not exist; -1 if the block lies outside the lattice or exists. Parallel: local
  /// \param[in] block  block coordinates; wrapped on periodic axes
  std::int32_t region_of(Vec3i block) const;
  const std::vector<Region>& regions() const { return regions_; }

 private:
  bool is_in_box(const Vec3i& block) const;
  std::size_t index(const Vec3i& block) const;
  void mark_existing(const BlockLayout& layout);
  void add_blocks_beyond_box(const AtmosphereSides& atmosphere);
  void flood(const Vec3i& seed, std::int32_t region, const AtmosphereSides& atmosphere);

  static constexpr std::int32_t existing = -1;
  static constexpr std::int32_t not_seen = -2;

  std::uint64_t layout_id_ = 0;
  Domain domain_;
  Vec3i low_ = Vec3i::Zero(), size_ = Vec3i::Zero();  ///< the box of blocks
  std::vector<std::int32_t> region_;                  ///< by block of the box, x fastest
  std::vector<std::uint64_t> bits_;                   ///< blocks of the box that exist
  std::vector<Vec3i> queue_;
  std::vector<Region> regions_;
};

}  // namespace freshet
