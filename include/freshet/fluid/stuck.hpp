// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>

namespace freshet {

/// What the places of freed particles are drawn from.
struct StuckSource {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

/// Numbers of a repositioning on all ranks.
struct StuckReport {
  GlobalIndex repositioned = 0;
  GlobalIndex left = 0;  ///< there is no liquid cell outside bodies to put them into
};

/// Put particles that no push has brought out of a body back into the liquid.
///
/// Each goes to the nearest full cell, that is one inside the liquid (see find_inner_cells) which no body touches, and
/// where there is none to the nearest liquid cell whose centre lies outside bodies: nearest of all ranks' cells, the
/// one of the lower number if two are as near. It stands at random in that cell, outside bodies, and takes the grid's
/// velocity there, for APIC with its gradient. Places depend on seed, step, cell and id alone: the same on any number
/// of ranks.
/// \param[in]     labels, inner  of these particles and bodies; owned cells
/// \param[in]     solids    bodies where they are now
/// \param[in]     velocity  faces, ghosts valid to width 1 [m/s]
/// \param[in,out] particles sorted state of the labels' layout; on return positions of the freed ones lie anywhere
///                          relative to their old blocks: migrate() comes next
/// Parallel: collective; what is exchanged grows with the number of stuck particles only. OpenMP
/// Source: "stuck particle repositioning" of a PIC/FLIP solver after Ando, Thuerey & Tsuruno 2012, which takes any full
/// cell and its particles' mean velocity; the nearest cell keeps liquid where it was
StuckReport free_stuck_particles(const LabelField& labels, const CellField<std::uint8_t>& inner,
                                 const SolidFields& solids, const FaceField<double>& velocity,
                                 const StuckSource& source, ParticleStore& particles);

}  // namespace freshet
