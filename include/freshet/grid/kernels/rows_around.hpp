// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

#include <cstdint>
#include <cstring>

// Functions that take or return vectors are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace freshet {

/// A vector of the values of the eight cells i = 0 .. 7 that share j and k.
template <class T>
struct RowOf {
  using Vector [[gnu::vector_size(block_width * sizeof(T))]] = T;
};
using RealRow = RowOf<double>::Vector;
using FloatRow = RowOf<float>::Vector;
/// Masks of a RealRow and of a FloatRow: all bits of a selected lane are set.
using LanesOfReals = RowOf<std::int64_t>::Vector;
using LanesOfFloats = RowOf<std::int32_t>::Vector;

template <class T>
[[gnu::always_inline]] inline typename RowOf<T>::Vector load_row(const T* row) {
  typename RowOf<T>::Vector value;
  std::memcpy(&value, row, sizeof value);
  return value;
}
[[gnu::always_inline]] inline void store_row(double* row, const RealRow& value) {
  std::memcpy(row, &value, sizeof value);
}
/// Sum of the lanes, in one fixed order.
[[gnu::always_inline]] inline double sum_lanes(const RealRow& row) {
  return ((row[0] + row[4]) + (row[2] + row[6])) + ((row[1] + row[5]) + (row[3] + row[7]));
}
[[gnu::always_inline]] inline LanesOfReals lanes_of_reals(unsigned bits) {
  return ((LanesOfReals{} + static_cast<std::int64_t>(bits)) & LanesOfReals{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}
[[gnu::always_inline]] inline LanesOfFloats lanes_of_floats(unsigned bits) {
  return ((LanesOfFloats{} + static_cast<std::int32_t>(bits)) & LanesOfFloats{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}
/// The lanes of a mask as bits: bit i is set if lane i is selected.
template <class Lanes>
[[gnu::always_inline]] inline std::uint8_t bits_of(const Lanes& selected) {
  using Bytes [[gnu::vector_size(block_width)]] = std::int8_t;
  const Bytes bytes = __builtin_convertvector(selected, Bytes) & 1;
  std::uint64_t word = 0;
  std::memcpy(&word, &bytes, sizeof word);
  word |= word >> 7U;  // no product: each bit depends on its own lane alone, also for tools that watch unset values
  word |= word >> 14U;
  word |= word >> 28U;
  return static_cast<std::uint8_t>(word);
}

/// Rows of a field in a block and around it. Rows of blocks that do not exist hold the field's background value.
template <class Shape, class T>
class RowsAround {
 public:
  using Row = typename RowOf<T>::Vector;

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
      constexpr int n = Shape::nx + dx;
      const Row before = load_row(block_[direction_index(-1, y, z)] + first);
      return __builtin_shufflevector(before, here, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
    } else {
      const Row after = load_row(block_[direction_index(1, y, z)] + first);
      return __builtin_shufflevector(here, after, dx, dx + 1, dx + 2, dx + 3, dx + 4, dx + 5, dx + 6, dx + 7);
    }
  }
  /// Values of the cells at a distance of n along `axis` and of m along `other` from (i, j, k), i = 0 .. 7.
  template <int axis, int n, int other = 0, int m = 0>
  [[gnu::always_inline]] Row at(int j, int k) const {
    constexpr int along[3] = {(axis == 0 ? n : 0) + (other == 0 ? m : 0), (axis == 1 ? n : 0) + (other == 1 ? m : 0),
                              (axis == 2 ? n : 0) + (other == 2 ? m : 0)};
    return get<along[0]>(j + along[1], k + along[2]);
  }

 private:
  const T* block_[n_directions];
};

}  // namespace freshet
