// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet {

/// Whether the velocity across a side of the domain is always 0: the side is a wall that liquid does not leave and
/// where no source flows in.
inline bool is_at_rest(const Domain& domain, int axis, int side) {
  return domain.is_wall(axis, side) && !domain.separates(axis, side) && !domain.stores_walls();
}

/// The faces normal to an axis whose velocity the flow decides: neither on a side at rest nor beyond the domain. A face
/// is given by the cell whose low face it is.
CellBox inner_faces(const Domain& domain, int axis);

/// Set the owned faces that are no inner_faces() to a value.
///
/// Whether a block holds such faces at the low or the high end of an axis follows from the number of cells and the
/// conditions at the sides. No result may depend on that.
/// Parallel: local; OpenMP
void fill_outer_faces(FaceField<double>& faces, double value);

}  // namespace freshet
