// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// Pointers to rows of cells of a block and its neighbours, which grid kernels read without a padded copy.
template <class Shape, class T>
class BlockRows {
 public:
  BlockRows(const CellField<T>& field, LocalIndex owned_block)
      : own_(field.block(owned_block)), field_(field), neighbours_(field.layout().neighbours(owned_block)) {}

  /// The row of nx cells at (j, k); j and k may be one cell outside the block.
  const T* row(int j, int k) const { return neighbour_row(0, j, k); }
  /// The cell (-1, j, k), before the row's first one; j and k may be one cell outside the block.
  T before(int j, int k) const { return neighbour_row(-1, j, k)[Shape::nx - 1]; }
  /// The cell (nx, j, k), after the row's last one; j and k may be one cell outside the block.
  T after(int j, int k) const { return neighbour_row(1, j, k)[0]; }

  /// For each cell of the row at (j, k), write the value of the next lower cell along `axis`. \pre j and k inside
  void lower_row(int axis, int j, int k, T* lower) const {
    if (axis == 0) {
      const T* own = row(j, k);
      lower[0] = before(j, k);
      for (int i = 1; i < Shape::nx; ++i) lower[i] = own[i - 1];
      return;
    }
    const T* below = axis == 1 ? row(j - 1, k) : row(j, k - 1);
    for (int i = 0; i < Shape::nx; ++i) lower[i] = below[i];
  }

 private:
  /// The row at (j, k) of the block dx blocks away along x.
  const T* neighbour_row(int dx, int j, int k) const {
    const int dy = j < 0 ? -1 : j >= Shape::ny ? 1 : 0;
    const int dz = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
    if (dx == 0 && dy == 0 && dz == 0) return own_ + Shape::cell(0, j, k);
    return field_.block(neighbours_[direction_index(dx, dy, dz)]) +
           Shape::cell(0, j - dy * Shape::ny, k - dz * Shape::nz);
  }

  const T* own_;
  const CellField<T>& field_;
  const LocalIndex* neighbours_;
};

}  // namespace freshet
