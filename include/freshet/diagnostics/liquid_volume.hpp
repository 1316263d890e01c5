// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>

namespace freshet {

/// Volume that the liquid of a rank occupies, in cells.
///
///   V / dx^3 = open parts of all inner cells  +  particles in other cells / particles of a full cell
///
/// Inside the liquid every cell counts as full, no matter how many particles it holds; at the surface cells count by
/// their particles, but by no more than those of two full cells: more are not liquid but heaped up. V equals the volume
/// of the particles while the liquid keeps its density. V is smaller where liquid is compressed and larger where it has
/// holes. (A count of liquid cells would grow by half a cell at a rough surface.)
/// \param[in] particles  sorted state of the labels' layout
/// \param[in] inner      owned cells, from find_inner_cells()
/// Parallel: local; OpenMP; the sum over the ranks is the same for any number of them
ExactSum liquid_volume_here(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                            const CellField<std::uint8_t>& inner, int per_cell);

}  // namespace freshet
