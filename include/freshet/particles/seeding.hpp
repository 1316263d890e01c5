// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding_options.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// A body of liquid to fill with particles.
struct LiquidBody {
  std::shared_ptr<const Shape> shape;
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
  int tag = 0;
  std::vector<double> color = {};  ///< red, green, blue; empty: no colour
};

/// Numbers of a seeding over all ranks.
struct SeedingReport {
  GlobalIndex seeded = 0;
  GlobalIndex dropped_in_solid = 0;  ///< sample points that lie both in a liquid and in a solid
  GlobalIndex dropped_outside = 0;   ///< particles of files outside the domain, or moved out before the first step
  GlobalIndex left_out = 0;          ///< particles of deep blocks, which are not made
  /// A message on the particles in dropped_outside.
  std::string outside_text() const;
};

/// Fill the liquids with stratified, jittered particles (Zhu & Bridson 2005, section 4: 2x2x2 a cell).
///
/// Each cell is divided into n^dimension sub-cells with one sample each. The jitter is a function of seed, cell and
/// sub-cell, so that the particles are the same on any number of ranks. A sample inside several liquids belongs to the
/// first of them. Samples in solids (signed distance <= 0) or outside the domain are left out. Ids are 0 .. n-1 in
/// order of block key, cell and sub-cell. Samples are counted before particles are made, in equal shares of candidate
/// blocks, so that no rank needs memory for more than its part.
///
/// \param[out] splitters  owners that balance the seeded particles
/// \param[out] particles  the seeded particles; home() is valid, and home_keys() are the owned blocks with liquid.
///                        An array of colours holds the liquids' colours
/// \param[in]  count      called on all ranks with the number of blocks that will hold particles, before any particle
///                        is made; it may throw
/// \param[out] deep_blocks  null: no block is left out. If all liquids have one velocity, owned blocks that would be
///                        full and lie among full blocks and walls only. They get no particles, and the ids stay unused
/// Errors: InputError for more blocks or particles than the ranks can hold. Parallel: collective; OpenMP
SeedingReport seed_particles(const Communicator& comm, const Domain& domain, const SeedingOptions& options,
                             const std::vector<LiquidBody>& liquids,
                             const std::vector<std::shared_ptr<const Shape>>& solids, Splitters& splitters,
                             ParticleStore& particles, const std::function<void(GlobalIndex n_blocks)>& count = {},
                             std::vector<BlockKey>* deep_blocks = nullptr);

/// Given particles (world position [m], velocity [m/s]) to add to the store. Each rank may give any part of them.
///
/// Particles outside the domain or inside a solid are left out and counted. On periodic axes positions are wrapped, and
/// z is ignored in 2-D. If `ids` is empty, ids follow the largest id of all stores, in order of rank and of the list
/// (the id of a particle that is left out stays unused). If `tags` is empty, tags are 0.
struct GivenParticles {
  std::vector<Vec3> position;
  std::vector<Vec3> velocity;
  std::vector<ParticleId> ids;
  std::vector<std::uint8_t> tags;
};
struct PlacementReport {
  GlobalIndex placed = 0;
  GlobalIndex outside_domain = 0;
  GlobalIndex inside_solid = 0;
};
/// Add given particles to the store. \pre home()/home_keys() are valid, or the store is empty.  Parallel: collective
PlacementReport place_particles(const Communicator& comm, const Domain& domain, const GivenParticles& given,
                                const std::vector<std::shared_ptr<const Shape>>& solids, const Splitters& splitters,
                                ParticleStore& particles);

}  // namespace freshet
