// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/domain.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding_options.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// A liquid body to fill with particles.
struct LiquidBody {
  std::shared_ptr<const Shape> shape;
  Vec3 velocity = Vec3::Zero();  ///< [m/s]
  int tag = 0;
  std::vector<double> color = {};  ///< red, green, blue; empty: none
};

/// Numbers of a seeding on all ranks.
struct SeedingReport {
  GlobalIndex seeded = 0;
  GlobalIndex dropped_in_solid = 0;  ///< sample points inside a liquid but inside a solid too
  GlobalIndex dropped_outside = 0;   ///< particles of files outside the domain
};

/// Fill the liquids with particles, stratified and jittered (Zhu & Bridson 2005, section 4: 2x2x2 a cell).
///
/// Each cell is split into n^dimension sub-cells with one sample each, jittered by numbers keyed by (seed, cell,
/// sub-cell), so that the same particles appear on any number of ranks. A sample inside several liquids takes the
/// first. Samples in solids (signed distance <= 0) or outside the domain are not seeded. Ids are 0 .. n-1 by block key,
/// cell, sub-cell. The lattice is counted first, in equal shares of candidate blocks, so that no rank holds more than
/// its part. \param[in,out] splitters  who owns what; replaced by stretches that balance the seeded particles \return
/// via particles: home()/home_keys() valid (home_keys = owned blocks with particles); the attribute "color", if there,
/// holds the liquids' colours
/// Errors: InputError for more blocks or particles than the ranks can hold. Parallel: collective; OpenMP
SeedingReport seed_particles(const Communicator& comm, const Domain& domain, const SeedingOptions& options,
                             const std::vector<LiquidBody>& liquids,
                             const std::vector<std::shared_ptr<const Shape>>& solids, Splitters& splitters,
                             ParticleStore& particles);

/// Put given particles (world position [m], velocity [m/s]) into the store, each rank any part of them.
///
/// They join those that are there. Those outside the domain or inside a solid are dropped and counted; periodic axes
/// have no outside, and z is ignored in 2-D. If `ids` is empty, ids follow the largest one in the stores, in order of
/// rank and position in the list (a dropped particle leaves its number unused). `tags` may be empty: 0.
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
/// \pre home()/home_keys() are valid, or the store is empty.  Parallel: collective
PlacementReport place_particles(const Communicator& comm, const Domain& domain, const GivenParticles& given,
                                const std::vector<std::shared_ptr<const Shape>>& solids, const Splitters& splitters,
                                ParticleStore& particles);

}  // namespace freshet
