// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// Move the owned values of a cell field from its layout to another one. New blocks get `initial`.
///
/// Ghosts of the result are not valid. Parallel: collective
void transfer_field(CellField<double>& field, const BlockLayout& target, double initial);

/// to = from on owned faces. \pre both fields have the same layout. Parallel: local; OpenMP
void copy_owned(const FaceField<double>& from, FaceField<double>& to);

}  // namespace freshet
