// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

namespace freshet {

/// Whether the velocity across a side of the domain is 0, whatever the liquid does: a wall that liquid does not leave,
/// and at which no source flows in.
inline bool is_at_rest(const Domain& domain, int axis, int side) {
  return domain.is_wall(axis, side) && !domain.separates(axis, side) && !domain.stores_walls();
}

/// The faces normal to an axis that the flow decides: neither on a side at rest nor beyond the domain. Each is given as
/// the cell whose low face it is.
CellBox inner_faces(const Domain& domain, int axis);

/// Give the owned faces that are no inner_faces() a value.
///
/// A block may hold such faces at the low end of an axis and none at the high end, or the other way round, as the
/// number of cells and the conditions at the sides have it. No result may depend on that.
/// Parallel: local; OpenMP
void fill_outer_faces(FaceField<double>& faces, double value);

}  // namespace freshet
