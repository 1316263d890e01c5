// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

#include <vector>

namespace freshet {

/// What becomes of the particles that do not stay in a block this rank holds. Each list is in order of particle.
struct Routes {
  struct Leaver {
    ParticleIndex particle;
    BlockKey key;
    int rank;
  };
  struct Settler {
    ParticleIndex particle;
    BlockKey key;
  };
  std::vector<Leaver> leavers;         ///< to other ranks
  std::vector<Settler> settlers;       ///< into blocks that are this rank's but do not exist yet
  std::vector<ParticleIndex> removed;  ///< leavers, those that left the domain, and the lost ones
  std::vector<ParticleIndex> lost;     ///< those whose positions are no numbers, or beyond any lattice
  void append(const Routes& later);
};

/// Make every position relative to the block it lies in, and find that block and its owner.
///
/// \param[in,out] particles sorted state of the layout on entry; home() is set for all that stay in owned blocks
/// Parallel: local; OpenMP; the same result for any thread count
Routes route_particles(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters);

}  // namespace freshet
