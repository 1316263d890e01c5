// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>

namespace freshet {

/// Volume of the liquid on a rank. [cells]
///
///   V / dx^3 = open parts of all inner cells  +  particles in other cells / particles of a full cell
///
/// Every cell inside the liquid counts as full, however many particles it holds. Cells at the surface count by their
/// particles, at most as two full cells: a cell with more is heaped up. V equals the volume of the particles while the
/// liquid keeps its density; it is smaller where liquid is compressed and larger where it has holes. (A count of liquid
/// cells would grow by half a cell at a rough surface.)
/// \param[in] particles  sorted by the blocks and cells of the labels' layout
/// \param[in] inner      marks of owned cells, from find_inner_cells()
/// \param[in] bulk       not 0 in owned cells that are liquid whatever particles they hold; null: none
/// Parallel: local; OpenMP; the sum over all ranks does not depend on their number
ExactSum liquid_volume_here(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                            const CellField<std::uint8_t>& inner, int per_cell,
                            const CellField<std::uint8_t>* bulk = nullptr);

}  // namespace freshet
