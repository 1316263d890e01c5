// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/air/atmosphere_sides.hpp"
#include "freshet/grid/layout.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// The connected regions of blocks that are far from the liquid, whether they exist or not: which of them exist depends
/// on the number of ranks. They count as full of air: AirWalls marks blocks with surfaces of solids as near.
///
/// Each rank stores four bytes for each block of the smallest box of blocks that holds all near ones, a 128th of what a
/// field of the box's cells takes. Regions are numbered by their first blocks in the order of coordinates.
class FarBlocks {
 public:
  struct Region {
    bool is_open = false;   ///< whether it reaches the atmosphere at a side of the domain
    GlobalIndex cells = 0;  ///< number of its cells in the domain
  };
  /// Find the regions. \param[in] near  by owned block, 1 if it is near the liquid, the same blocks on any ranks
  /// \return whether near blocks differ from those of the last call, on any rank
  /// Parallel: collective, one reduction, and one more if they differ
  bool find(const BlockLayout& layout, std::span<const std::uint8_t> near, const AtmosphereSides& atmosphere);
  /// The region of a far block; -1 if the block lies outside the lattice or is near. Parallel: local
  /// \param[in] block  block coordinates; wrapped on periodic axes
  std::int32_t region_of(Vec3i block) const;
  const std::vector<Region>& regions() const { return regions_; }

 private:
  bool is_in_box(const Vec3i& block) const;
  std::size_t index(const Vec3i& block) const;
  void find_ends();
  void mark_near(const Communicator& comm, const Vec3i& first, const Vec3i& last);
  void add_blocks_beyond_box(const AtmosphereSides& atmosphere);
  void flood(const Vec3i& seed, std::int32_t region, const AtmosphereSides& atmosphere);

  static constexpr std::int32_t near_liquid = -1;
  static constexpr std::int32_t not_seen = -2;

  bool has_found_ = false;
  std::vector<BlockKey> near_, last_near_;  ///< keys of this rank's near blocks
  std::array<double, 6> ends_{};            ///< their ends along the axes; the negatives of the low ends first
  Domain domain_;
  Vec3i low_ = Vec3i::Zero(), size_ = Vec3i::Zero();  ///< the box of blocks
  std::vector<std::int32_t> region_;                  ///< by block of the box, x fastest
  std::vector<GlobalIndex> bits_;                     ///< near blocks of the box
  std::vector<Vec3i> queue_;
  std::vector<Region> regions_;
};

}  // namespace freshet
