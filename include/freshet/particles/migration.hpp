// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/particle_store.hpp"

#include <vector>

namespace freshet {

/// What a migration has moved and removed.
struct MigrationReport {
  GlobalIndex moved_rank = 0;         ///< particles that changed rank
  GlobalIndex left_domain = 0;        ///< particles removed because they lie outside the domain
  GlobalIndex total = 0;              ///< particles on all ranks afterwards
  GlobalIndex lost = 0;               ///< particles removed because their positions are NaN or beyond any lattice
  std::vector<ParticleId> lost_here;  ///< ids of the lost particles of this rank

  void add_to(Reduction& reduction);
};

/// After motion: assign every particle to the block that contains it, and send it to the rank that owns the block.
///
/// On entry particles are in the sorted state of `layout`, but positions may lie anywhere relative to the old block. On
/// return positions are in [0, 8) relative to the new block (one that rounds to 8 becomes the next smaller float).
/// Positions are wrapped on periodic axes. Particles outside the domain and lost ones are removed and counted. Any rank
/// may receive particles. home() and home_keys() are valid: home_keys() holds the layout's owned keys, and after them
/// the keys of owned blocks that have particles but do not exist in the layout.
///
/// \param[in] splitters  the new owners; they may differ from the layout's owners
///
/// \return numbers of all ranks. Parallel: collective; OpenMP. The resulting order is the same for any number
/// of threads
MigrationReport migrate(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters);

/// migrate() without the reduction at its end. \return numbers of this rank, for add_to()
MigrationReport migrate_here(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters);

/// The blocks that contain all cells of the lattice within `band` cells of a particle's cell.
///
/// \pre home()/home_keys() valid, positions block-relative; 0 <= band <= 8
/// \return keys of blocks of any owner, sorted, unique. Parallel: local; OpenMP
std::vector<BlockKey> blocks_near_particles(const ParticleStore& particles, const Domain& domain, int band);

/// Whether one of the blocks_near_particles() does not exist in the layout. Particles of a block around which all
/// blocks exist are not read. \pre as of blocks_near_particles(). Parallel: local; OpenMP over particles
bool lacks_blocks(const ParticleStore& particles, const BlockLayout& layout, int band);

}  // namespace freshet
