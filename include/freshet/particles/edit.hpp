// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>
#include <span>

namespace freshet {

/// Prepare a sorted store for edits: home() and home_keys() become valid. home_keys() are the layout's owned keys, so
/// that home h is local block h. Further keys that this rank owns may be appended to them.
///
/// After edits call sort_particles(), with a layout that has all home keys with particles.
/// \pre the store is in the sorted state of `layout`.  Parallel: local; OpenMP
void open_for_edits(ParticleStore& particles, const BlockLayout& layout);

/// Remove the particles whose mark is not 0. The others keep their order and all their attributes.
///
/// \param[in] remove  one value a particle
/// \pre home() is valid: see open_for_edits().  Parallel: local; OpenMP over attributes
void remove_particles(ParticleStore& particles, std::span<const std::uint8_t> remove);

/// A particle to be added.
struct NewParticle {
  LocalIndex home = 0;            ///< index into home_keys()
  ParticleReal position[3] = {};  ///< relative to its block [cells]
  ParticleReal velocity[3] = {};  ///< [m/s]
  std::uint8_t tag = 0;
  ParticleIndex like = -1;  ///< index of the particle whose other attributes are copied; -1: initial values
};

/// Append particles with ids first_id, first_id + 1, ... in order of block key over all ranks. Particles of one block
/// are numbered in the given order, which must not depend on ranks.
///
/// \param[in] added  sorted by ascending key of the home
/// \pre home() is valid; `like` is below the store's size on entry
/// \return the number of particles added on all ranks.  Parallel: collective
GlobalIndex append_particles(const Communicator& comm, ParticleStore& particles, std::span<const NewParticle> added,
                             ParticleId first_id);

}  // namespace freshet
