// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_cells.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/meshing/surface_particles.hpp"
#include "lattice.hpp"
#include "walls.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet::meshing {

/// A particle, or an image of a particle behind a wall.
struct Item {
  float x[3];            ///< position relative to the low corner of its bin [lattice cells]
  float r;               ///< radius [lattice cells]
  std::uint32_t source;  ///< row of the particle's attributes
};

/// The particles within reach of this rank's blocks, sorted by bin and within a bin by position, so that sums over them
/// have the same bits on every rank.
class ParticleBins {
 public:
  /// \param[in] comm  null: this rank alone holds all particles
  /// Parallel: collective
  ParticleBins(const Communicator* comm, const Lattice& lattice, const Walls& walls, const SurfaceOptions& options,
               const SurfaceParticles& particles);

  const Lattice& lattice() const { return lattice_; }
  const Splitters& splitters() const { return splitters_; }
  /// Particles of a bin; empty for a bin that this rank does not hold.
  std::span<const Item> bin(const Vec3i& bin) const {
    const std::int64_t place = place_of(bin);
    if (place < 0) return {};
    const std::uint32_t first = begin_[static_cast<std::size_t>(place)];
    return {items_.data() + first, begin_[static_cast<std::size_t>(place) + 1] - first};
  }
  /// Number in items() of a bin's first particle.
  std::uint32_t first_of(const Vec3i& bin) const {
    const std::int64_t place = place_of(bin);
    return place < 0 ? 0 : begin_[static_cast<std::size_t>(place)];
  }
  std::span<const Item> items() const { return items_; }

  /// Numbers of all attributes of an item, one attribute after the other.
  const float* attributes(const Item& item) const {
    return attributes_.data() + static_cast<std::size_t>(item.source) * n_components_;
  }
  /// Names and types of the attributes; their values are empty.
  const std::vector<SurfaceParticles::Attribute>& attribute_list() const { return attribute_list_; }

  /// Whether all bins that overlap a box of lattice cells, and `rings` layers of bins around them, hold particles.
  bool all_occupied(const Vec3i& first_cell, const Vec3i& last_cell, int rings) const;
  /// Call f(bin) for every bin with particles on this rank, in a fixed order.
  template <class Function>
  void for_each_occupied(Function&& f) const;

 private:
  /// A particle as it is sent between ranks.
  struct Copy {
    std::int32_t bin[3];
    float x[3];
    float r;
    std::uint32_t source;
  };
  std::vector<Copy> make_copies(const Walls& walls, const SurfaceParticles& particles) const;
  void choose_owners(const Communicator& comm, const std::vector<Copy>& copies);
  void send(const Communicator& comm, std::vector<Copy>& copies, std::vector<float>& attributes) const;
  std::size_t lattice_index(const Copy& copy) const;
  void find_blocks(const std::vector<Copy>& copies);
  void sort(std::vector<Copy>&& copies);
  Vec3i block_of(const Copy& copy) const;
  std::int64_t place_of(const Vec3i& bin) const {
    const Vec3i block(bin.x() >> 3, bin.y() >> 3, bin.z() >> 3);
    const Vec3i at = block - low_;
    if ((at.array() < 0).any() || (at.array() >= size_.array()).any()) return -1;
    const std::int32_t slot = slot_[static_cast<std::size_t>(
        at.x() + static_cast<std::int64_t>(size_.x()) * (at.y() + static_cast<std::int64_t>(size_.y()) * at.z()))];
    if (slot < 0) return -1;
    return static_cast<std::int64_t>(slot) * block_cells + ((bin.x() & 7) + 8 * ((bin.y() & 7) + 8 * (bin.z() & 7)));
  }

  Lattice lattice_;
  int reach_ = 1;  ///< number of blocks on each side of its own that a particle may reach
  double radius_ = 0.0;
  int min_cell_particles_ = 1;
  bool has_radii_ = false;
  Splitters splitters_;
  Vec3i low_ = Vec3i::Zero();                                ///< first block of 8^3 bins in the table
  Vec3i size_ = Vec3i::Zero();                               ///< number of blocks of the table on each axis
  std::vector<std::int32_t> slot_;                           ///< slot of each block; -1: it holds no particles
  std::vector<Vec3i> blocks_;                                ///< the block of each slot
  TrackedVector<std::uint32_t, MemoryKind::scratch> begin_;  ///< first item of each bin [slot][bin]; total at the end
  TrackedVector<Item, MemoryKind::scratch> items_;
  std::vector<SurfaceParticles::Attribute> attribute_list_;
  std::size_t n_components_ = 0;
  std::vector<float> attributes_;  ///< [source][component]
};

template <class Function>
void ParticleBins::for_each_occupied(Function&& f) const {
  for (std::size_t slot = 0; slot < blocks_.size(); ++slot)
    for (int c = 0; c < block_cells; ++c)
      if (begin_[slot * block_cells + static_cast<std::size_t>(c)] !=
          begin_[slot * block_cells + static_cast<std::size_t>(c) + 1])
        f(Vec3i(8 * blocks_[slot] + Vec3i(c & 7, c >> 3 & 7, c >> 6)));
}

}  // namespace freshet::meshing
