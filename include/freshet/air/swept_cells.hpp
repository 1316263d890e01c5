// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

namespace freshet {

/// Let cells that moving bodies sweep in a step say nothing about where the air in them goes.
///
/// The air that lay in a cell is on the other side of the wall from the air that lies there afterwards if the wall
/// passes the cell's centre, which decides on the side of a thin wall that a cell belongs to (see CellParts). So the
/// mark of such a cell becomes BubbleOverlaps::no_air. A cell whose centre is in the body at the start or at the end of
/// the step may belong to either side: it counts as one beside its bubble. In the body's own coordinates the way of a
/// centre is taken as straight.
/// \param[in] solids  at the start of the step \param[in] dt  [s]
/// \param[in,out] marks  see BubbleOverlaps; owned cells
/// Parallel: local, the same marks on any ranks; OpenMP. Nothing is done while no body moves
void mark_swept_cells(const SolidFields& solids, double dt, CellField<double>& marks);

}  // namespace freshet
