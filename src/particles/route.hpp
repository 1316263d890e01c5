// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/particles/particle_store.hpp"

#include <vector>

namespace freshet {

/// The particles that do not stay in an existing block of this rank. Each list is in order of particle index.
struct Routes {
  struct Leaver {
    ParticleIndex particle;
    BlockKey key;
    int rank;
  };
  struct NewHome {
    ParticleIndex particle;
    BlockKey key;
  };
  std::vector<Leaver> leavers;         ///< particles that go to other ranks
  std::vector<NewHome> new_homes;      ///< particles in blocks of this rank that do not exist yet
  std::vector<ParticleIndex> removed;  ///< leavers, particles outside the domain, and lost ones
  std::vector<ParticleIndex> lost;     ///< particles whose positions are NaN or beyond any lattice
  void append(const Routes& later);
};

/// Make every position relative to the block that contains it, and find that block and its owner.
///
/// \param[in,out] particles  sorted state of the layout on entry; home() is set for all that stay in owned blocks
/// Parallel: local; OpenMP; the same result for any thread count
Routes route_particles(ParticleStore& particles, const BlockLayout& layout, const Splitters& splitters);

}  // namespace freshet
