// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/solids.hpp"

#include <cstdint>

namespace freshet {

/// Mark the cells inside the liquid: neither the cell nor any of the 26 cells around it (8 in 2-D) is air.
///
/// A liquid cell that is not inside lies at the surface; it may be full or nearly empty. Solid cells without air around
/// them count as inside. Cells beyond walls are solid, cells beyond open faces are air. Cells that a thin wall cuts off
/// do not count as around the cell.
/// \param[in]  labels  ghosts valid to width 1
/// \param[out] inner   owned cells: 1 inside, else 0; bound to the labels' layout here. Parallel: local; OpenMP
void find_inner_cells(const LabelField& labels, const SolidFields& solids, CellField<std::uint8_t>& inner);

/// The fraction of each cell that lies outside solids, for an owned block and one layer of cells around it.
///
/// The surface of a body in a cell is taken as a plane, at the body's signed distance from the cell's centre. Where the
/// body is a thin wall, what lies on its other side counts apart.
/// \param[in]  extents  extents with pad 1
/// \param[out] open     extents.size() values; 0 beyond walls, 1 beyond open faces
/// \param[out] behind   extents.size() values or null: the fractions on the other side of a thin wall
/// \param[out] distance extents.size() values or null: signed distances of the cells' centres from the nearest body; 4
///                      where none is near [cells]
/// \return true if neither bodies nor walls are near: all values are 1. Parallel: local
template <class Shape>
bool find_open_parts(const BlockLayout& layout, const SolidFields& solids, LocalIndex block,
                     const TileExtents<Shape>& extents, double* open, double* behind = nullptr,
                     double* distance = nullptr);

/// The fraction of each cell of an owned block that lies outside solids; of what lies behind a thin wall, as far as
/// there is liquid in the cell on that side.
/// \param[in]  labels  ghosts valid to width 1
/// \param[out] full    by cell of the block. Parallel: local
template <class Shape>
void find_full_parts(const LabelField& labels, const SolidFields& solids, LocalIndex block, double* full);

}  // namespace freshet
