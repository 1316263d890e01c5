// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <array>

namespace freshet {

/// Rows of a field in a block and around it. Rows of blocks that do not exist hold the field's background value.
template <class Shape, class T>
class RowsAround {
 public:
  using Row = Row8<T>;

  RowsAround(const CellField<T>& field, LocalIndex owned_block) {
    const LocalIndex* neighbours = field.layout().neighbours(owned_block);
    for (int t = 0; t < n_directions; ++t) block_[t] = field.block(neighbours[t]);
  }

  /// Values of the cells (i + dx, j, k), i = 0 .. 7; j and k from -8 to 15.
  template <int dx>
  [[gnu::always_inline]] Row get(int j, int k) const {
    static_assert(dx >= -2 && dx <= 2);
    const int y = j < 0 ? -1 : j >= Shape::ny ? 1 : 0;
    const int z = Shape::dim == 2 ? 0 : k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
    const int first = Shape::cell(0, j - Shape::ny * y, k - Shape::nz * z);
    const Row here = load_row(block_[direction_index(0, y, z)] + first);
    if constexpr (dx == 0) {
      return here;
    } else if constexpr (dx < 0) {
      const Row before = load_row(block_[direction_index(-1, y, z)] + first);
      return lanes_from<Shape::nx + dx>(before, here);
    } else {
      const Row after = load_row(block_[direction_index(1, y, z)] + first);
      return lanes_from<dx>(here, after);
    }
  }
  /// Values of the cells at a distance of n along `axis` and of m along `other` from (i, j, k), i = 0 .. 7.
  template <int axis, int n, int other = 0, int m = 0>
  [[gnu::always_inline]] Row at(int j, int k) const {
    constexpr std::array<int, 3> along = [] {
      std::array<int, 3> sum{};
      sum[axis] += n;
      sum[other] += m;
      return sum;
    }();
    return get<along[0]>(j + along[1], k + along[2]);
  }

 private:
  const T* block_[n_directions];
};

}  // namespace freshet
