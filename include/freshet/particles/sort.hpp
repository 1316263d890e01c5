// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace freshet {

/// The order of the particles inside one cell.
enum class CellOrder {
  arrival,  ///< order of arrival, which depends on ranks and history
  by_id     ///< ascending id, the same on any number of ranks
};

/// Buffers of the sort, which are kept from step to step.
struct SortWorkspace {
  /// A permuted attribute. It is swapped with the attribute: only attributes of equal stride share a buffer.
  struct Buffer {
    std::size_t stride = 0;
    TrackedVector<std::byte, MemoryKind::particles> values;
  };
  /// A thread's buffers to sort the particles of one block.
  struct BlockScratch {
    std::vector<std::uint32_t> order;  ///< indices of the block's particles, in order of arrival
    std::vector<std::uint16_t> cell;   ///< cells of the same particles
    std::vector<ParticleId> id;        ///< ids of the same particles
  };
  TrackedVector<std::uint32_t, MemoryKind::particles> order;  ///< by new place: the old place
  std::vector<Buffer> buffers;
  std::vector<LocalIndex> block_of_home;
  std::vector<ParticleIndex> counts;  ///< [chunk][block]
  std::vector<BlockScratch> scratch;  ///< by thread: the buffers
};

/// Sort particles by local block of `layout`, then by cell.
///
/// \pre    home()/home_keys() are valid and every home key that has particles is an owned block of the layout;
///         fewer than 2^32 particles a rank
/// \post   block_begin() and cell_begin() are valid for the layout; home() is empty
/// Parallel: local; OpenMP; the same order for any thread count.  Source: two-pass counting sort, stable
/// What limits the sort: one half of the work gathers the arrays in the new order and waits, in large runs, for memory
/// (an array that is the same for all particles stays as it is); the other half finds that order. Runs of particles
/// with one home and the cells of adjacent particles are found in lanes; counting and placing take one particle at a
/// time, which waits for the counter of its cell.
void sort_particles(ParticleStore& particles, const BlockLayout& layout, CellOrder order, SortWorkspace& workspace);

}  // namespace freshet
