// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/particle_care_options.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/seeding_options.hpp"

#include <cstdint>

namespace freshet {

/// What a reseeding draws its random numbers from, the id that its first new particle gets, and what others did before.
struct ReseedingSource {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  ParticleId first_id = 0;
  GlobalIndex surplus = 0;  ///< reseeded less removed until now, on all ranks
};

/// Numbers of a reseeding on all ranks.
struct ReseedingReport {
  GlobalIndex reseeded = 0;
  GlobalIndex removed = 0;
};

/// Bring the number of particles in each liquid cell into a range.
///
/// Where a cell has fewer than `min`, new ones are put at random places of a box: the cell, but on a side towards a
/// cell that is not liquid it ends where the cell's particles end, so that the surface stays where it was. Their
/// velocity is the grid's, for APIC with its gradient; tag and named attributes are those of the cell's nearest
/// particle. Where there are more than `max`, random ones go. Cells without particles stay as they are. With `cells =
/// inner` only cells inside the liquid (see find_inner_cells) change: liquid that spreads into a film then does not
/// grow.
///
/// Particles are the liquid's mass: those that are crowded for a moment would be missed later, and those that fill a
/// cell must go elsewhere. So with `keep_volume` no more come than make the box as dense as seeded, and inside the
/// liquid no more than the cell lacks together with those around it that are inside as well, all without what bodies
/// cover of them: what is only somewhere else for the moment is not made again. And no more go than were ever reseeded;
/// as long as more came than went, those go too that a cell inside the liquid has above its seeding. A cell may hold
/// more than `max` then, or fewer than `min`, for a while. Without it every such cell has `min` to `max` particles at
/// the end, and the liquid's mass is what comes of that.
///
/// Random numbers depend on seed, step, cell and id: the same particles on any number of ranks.
/// \param[in]     labels     of these particles; ghosts valid to width 1
/// \param[in]     inner      owned cells
/// \param[in]     velocity   faces, ghosts valid to width 1 [m/s]
/// \param[in,out] particles  sorted state of the labels' layout; if anything has changed they stand at home in their
///                           blocks, and sort_particles() comes next
/// Parallel: collective; OpenMP over blocks.  Source: Bridson 2008, section 10.3 (3 to 12 a cell); smart reseeding of
/// section 3.2.2 of "PIC/FLIP on a block-optimised grid", by its figure 7
ReseedingReport reseed(const LabelField& labels, const CellField<std::uint8_t>& inner, const SolidFields& solids,
                       const FaceField<double>& velocity, const SamplingOptions& sampling,
                       const ReseedingOptions& options, const ReseedingSource& source, ParticleStore& particles);

}  // namespace freshet
