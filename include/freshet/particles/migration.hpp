// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

#include <vector>

namespace freshet {

/// What migration did on all ranks.
struct MigrationReport {
  GlobalIndex moved_rank = 0;         ///< particles that changed their rank
  GlobalIndex left_domain = 0;        ///< particles dropped: outside the domain
  GlobalIndex total = 0;              ///< particles on all ranks afterwards
  GlobalIndex lost = 0;               ///< particles dropped: their positions are no numbers, or beyond any lattice
  std::vector<ParticleId> lost_here;  ///< which of them this rank had
};

/// After motion: put every particle into the block it lies in, and on the rank that owns that block.
///
/// On entry particles are in the sorted state of `layout` but positions may lie anywhere (relative to the old block,
/// any distance). On return positions are block-relative again in [0, 8) (a remainder that rounds to 8 steps back one
/// float), periodic axes are wrapped, particles outside the domain (beyond an open face; motion keeps them inside
/// walls) are dropped and counted, lost ones too, leavers have travelled to their owner by the splitters, wherever it
/// is, and home()/home_keys() are valid: home_keys() starts with the layout's owned keys and goes on with owned blocks
/// that hold particles but do not exist in the layout yet.
///
/// \param[in] splitters  who owns what from now on; may differ from the layout's (rebalance)
///
/// Parallel: collective; OpenMP. The order that results is the same for any number of threads.
MigrationReport migrate(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters);

/// Blocks that must exist so that every cell within `band` cells of a particle's cell exists (inside the lattice).
///
/// \pre home()/home_keys() valid, positions block-relative; 0 <= band <= 8
/// \return keys, sorted, unique, owned by anyone. Parallel: local; OpenMP
std::vector<BlockKey> blocks_near_particles(const ParticleStore& particles, const Domain& domain, int band);

}  // namespace freshet
