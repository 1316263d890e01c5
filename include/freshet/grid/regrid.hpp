// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// Carry a cell field's owned values from its layout to another one; blocks that are new get `initial`.
///
/// Values travel between ranks where owners differ. Ghosts of the result are not valid. Parallel: collective.
void transfer_field(CellField<double>& field, const BlockLayout& target, double initial);

/// to = from on the owned faces; both of one layout. Parallel: local; OpenMP
void copy_owned(const FaceField<double>& from, FaceField<double>& to);

}  // namespace freshet
