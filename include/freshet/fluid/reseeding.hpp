// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/particle_care_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding_options.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>

namespace freshet {

/// Inputs of a reseeding besides the fields: its random numbers depend on seed and step.
struct ReseedingSource {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  ParticleId first_id = 0;  ///< id of the first new particle
  GlobalIndex surplus = 0;  ///< particles reseeded minus particles removed by earlier reseedings, on all ranks
};

/// Numbers of a reseeding on all ranks.
struct ReseedingReport {
  GlobalIndex reseeded = 0;
  GlobalIndex removed = 0;
};

/// Bring the number of particles in each liquid cell into a range.
///
/// A cell with fewer than `min` particles gets new ones at random places of a box. The box is the cell, but towards a
/// neighbour that is not liquid it ends at the outermost particle of the cell, so that the surface stays in place. New
/// particles take arrays from the grid or from the nearest particle of the cell, as particle_arrays says. From a cell
/// with more than `max` particles random ones are removed. Cells without particles do not change. With `cells = inner`
/// only cells inside the liquid (see find_inner_cells) change: liquid that spreads into a film then does not grow.
///
/// Particles stand for the liquid's mass. With `keep_volume` reseeding therefore follows three more rules:
///   - A cell at the surface gets no more particles than make its box as dense as the seeding.
///   - A cell inside the liquid gets no more particles than it lacks together with its neighbours inside the liquid,
///     relative to the seeding and without what bodies cover: particles may only have moved to a neighbour.
///   - No more particles are removed in all than were reseeded. As long as fewer were, particles that a cell inside the
///     liquid has above its seeding are removed as well.
/// A cell may then hold more than `max` particles or fewer than `min` for some time. Without `keep_volume` every such
/// cell ends with `min` to `max` particles, and the liquid's mass changes accordingly.
///
/// Random numbers depend on seed, step, cell and id: the particles are the same on any number of ranks.
/// \param[in]     labels     of these particles; ghosts valid to width 1
/// \param[in]     inner      owned cells
/// \param[in]     velocity   faces, ghosts valid to width 1 [m/s]
/// \param[in]     bulk       not 0 in owned cells that need no particles and do not change; null: none
/// \param[in,out] particles  sorted state of the labels' layout. If any particle came or went, home() is valid
///                           on return, and sort_particles() must be called next
/// Parallel: collective; OpenMP over blocks.  Source: Bridson 2008, section 10.3 (3 to 12 a cell); smart reseeding of
/// section 3.2.2 of "PIC/FLIP on a block-optimised grid", by its figure 7
ReseedingReport reseed_particles(const LabelField& labels, const CellField<std::uint8_t>& inner,
                                 const SolidFields& solids, const FaceField<double>& velocity,
                                 const SamplingOptions& sampling, const ReseedingOptions& options,
                                 const ReseedingSource& source, ParticleStore& particles,
                                 const CellField<std::uint8_t>* bulk = nullptr);

}  // namespace freshet
