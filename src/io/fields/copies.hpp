// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/io/output_fields.hpp"

#include <algorithm>

namespace freshet {

/// The values of a field as they are. \pre the field outlives the result
template <class T>
BlockFunction copy_of(const CellField<T>& field) {
  const int n = field.layout().cells_per_block();
  return [&field, n](LocalIndex block, double* values) {
    std::transform(field.block(block), field.block(block) + n, values,
                   [](T value) { return static_cast<double>(value); });
  };
}

/// For a component that a 2-D field does not have.
inline BlockFunction zeros(const BlockLayout& layout) {
  const int n = layout.cells_per_block();
  return [n](LocalIndex, double* values) { std::fill_n(values, n, 0.0); };
}

}  // namespace freshet
