// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/padded.hpp"

#include <cstdint>

namespace freshet {

/// Mark the cells inside the liquid: no air in them nor in any of the 26 cells around (8 in 2-D).
///
/// A liquid cell that is not inside is at the surface: full or nearly empty. Solid cells without air around are inside
/// too; beyond walls there is solid, beyond open faces air.
/// \param[in]  labels  ghosts valid to width 1
/// \param[out] inner   owned cells: 1 inside, else 0; bound to the labels' layout here. Parallel: local; OpenMP
void find_inner_cells(const LabelField& labels, CellField<std::uint8_t>& inner);

/// Part of each cell that particles can be in, 0 .. 1, for an owned block and one rim of cells around.
///
/// A body's surface cuts a cell as a plane across it would, at its signed distance from the centre.
/// \param[in]  extents  of pad 1
/// \param[out] open     extents.size() values; 0 beyond walls, 1 beyond open faces. Parallel: local
template <class Shape>
void find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex block,
                     const PaddedExtents<Shape>& extents, double* open);

}  // namespace freshet
