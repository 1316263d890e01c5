// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>

namespace freshet {

/// The numbers that determine the random positions of repositioned particles.
struct StuckSource {
  std::uint64_t seed = 0;
  std::int64_t step = 0;
};

/// Numbers of a repositioning on all ranks.
struct StuckReport {
  GlobalIndex repositioned = 0;
  GlobalIndex left = 0;  ///< particles that stay: there is no liquid cell outside bodies
};

/// Put particles back into the liquid that could not be pushed out of a body.
///
/// Each particle is put into the nearest full cell: a cell inside the liquid (see find_inner_cells) that no body
/// touches. Without such a cell it is put into the nearest liquid cell whose centre lies outside bodies. The nearest
/// cell of all ranks is taken, and of two equally near cells the one with the lower number. Its position in the cell is
/// random and outside bodies. It takes the grid's values there for the arrays that come from the grid (see
/// particle_arrays). Positions depend on seed, step, cell and id alone: they are the same on any number of ranks.
/// \param[in]     labels, inner  fields for these particles and bodies; owned cells
/// \param[in]     solids    bodies where they are now
/// \param[in]     velocity  faces, ghosts valid to width 1 [m/s]
/// \param[in,out] particles sorted state of the labels' layout; on return positions of repositioned particles lie
///                          anywhere relative to their old blocks: call migrate() next
/// Parallel: collective; the amount of data exchanged grows with the number of stuck particles only. OpenMP
/// Source: "stuck particle repositioning" of a PIC/FLIP solver after Ando, Thuerey & Tsuruno 2012, which takes any full
/// cell and its particles' mean velocity; the nearest cell keeps liquid where it was
StuckReport free_stuck_particles(const LabelField& labels, const CellField<std::uint8_t>& inner,
                                 const SolidFields& solids, const FaceField<double>& velocity,
                                 const StuckSource& source, ParticleStore& particles);

}  // namespace freshet
