// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// Move the owned values of a cell field from its layout to another one. New blocks get `initial`.
///
/// Ghosts of the result have `initial`.
/// \param buffer  lends its memory, and has that of the field before afterwards: what it holds is lost
/// Parallel: collective; OpenMP
void transfer_field(CellField<double>& field, CellField<double>& buffer, const BlockLayout& target, double initial);

/// to = from on owned faces. \pre both fields have the same layout. Parallel: local; OpenMP
void copy_owned(const FaceField<double>& from, FaceField<double>& to);

}  // namespace freshet
