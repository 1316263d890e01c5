// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// The data of a particle that its neighbours need.
struct Neighbour {
  ParticleReal x[3];  ///< relative to its block [cells]
  ParticleReal u[3];  ///< [m/s]
  ParticleId id;
};

/// Particles sorted by cell: those of this rank, and those of other ranks in the cells next to this rank's blocks.
///
/// Cells are visited in the same order on any number of ranks, and the particles of a cell in the order of their owner.
/// With CellOrder::by_id sums over neighbours therefore have the same bits on any number of ranks.
class ParticleNeighbours {
 public:
  /// Copy the particles. \pre the store is in the sorted state of the layout. Parallel: collective; OpenMP
  void gather(const ParticleStore& particles, const BlockLayout& layout);

  /// Call f(neighbour, offset) for every particle in a cell of an owned block and in the 26 cells (8 in 2-D) around it.
  /// neighbour.x + offset is its position relative to that block [cells]. Parallel: local, thread-safe
  template <class Shape, class Function>
  void for_each_near(LocalIndex block, const Vec3i& cell, Function&& f) const;

 private:
  template <class Shape>
  void gather_ghosts(const ParticleStore& particles, const BlockLayout& layout);
  const ParticleIndex* begins(LocalIndex slot) const { return &begin_[static_cast<std::size_t>(slot) * row_]; }

  const BlockLayout* layout_ = nullptr;
  std::size_t row_ = 0;  ///< number of cells of a block plus 1, the length of a row of begin_
  TrackedVector<ParticleIndex, MemoryKind::scratch>
      begin_;  ///< [slot][cell]; the last entry of a row is the end of the last cell
  TrackedVector<Neighbour, MemoryKind::scratch> all_;  ///< owned particles in the order of the store, then ghosts
};

template <class Shape, class Function>
void ParticleNeighbours::for_each_near(LocalIndex block, const Vec3i& cell, Function&& f) const {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int dz = -z; dz <= z; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int at[3] = {cell.x() + dx, cell.y() + dy, cell.z() + dz};
        int side[3] = {0, 0, 0};
        double offset[3];
        for (int d = 0; d < 3; ++d) {
          side[d] = at[d] < 0 ? -1 : at[d] >= Shape::n(d) ? 1 : 0;
          at[d] -= side[d] * Shape::n(d);
          offset[d] = side[d] * Shape::n(d);
        }
        const LocalIndex slot = layout_->neighbours(block)[direction_index(side[0], side[1], side[2])];
        const ParticleIndex* begin = begins(slot) + Shape::cell(at[0], at[1], at[2]);
        for (ParticleIndex n = begin[0]; n < begin[1]; ++n) f(all_[static_cast<std::size_t>(n)], offset);
      }
}

}  // namespace freshet
