// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// Move the owned values of a cell field to another layout. New blocks and ghosts get the value `initial`.
///
/// \param buffer  its memory becomes the field's, and the reverse: its values are lost
/// \tparam T  double or std::uint8_t
/// Parallel: collective; OpenMP
template <class T>
void transfer_field(CellField<T>& field, CellField<T>& buffer, const BlockLayout& target, T initial);

/// Add the places of blocks around these blocks. \param[out] keys  ascending, each once. Parallel: local
void add_ring(const Domain& domain, std::vector<BlockKey>& keys);

/// Copy owned faces. \pre both fields have the same layout. Parallel: local; OpenMP
void copy_owned(const FaceField<double>& from, FaceField<double>& to);
/// Copy owned cells. \pre both fields have the same layout. Parallel: local; OpenMP
void copy_owned(const CellField<double>& from, CellField<double>& to);

}  // namespace freshet
