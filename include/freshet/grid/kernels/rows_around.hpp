// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/register_row.hpp"

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
template <>
struct RowOf<double> {
  using Vector = RegisterRow<double>;
};
template <>
struct RowOf<std::int64_t> {
  using Vector = RegisterRow<std::int64_t>;
};
using RealRow = RowOf<double>::Vector;
using FloatRow = RowOf<float>::Vector;
/// Masks of a RealRow and of a FloatRow: all bits of a selected lane are set.
using LanesOfReals = RowOf<std::int64_t>::Vector;
using LanesOfFloats = RowOf<std::int32_t>::Vector;

template <class T>
[[gnu::always_inline]] inline typename RowOf<T>::Vector load_row(const T* row) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return load_register_row(row);
  } else {
    typename RowOf<T>::Vector value;
    std::memcpy(&value, row, sizeof value);
    return value;
  }
}
/// Convert each lane.
[[gnu::always_inline]] inline RealRow to_reals(const FloatRow& row) {
  return RealRow::of_parts([&row](auto p) {
    constexpr int first = p * RealRow::n;
    return [&row]<int... lane>(std::integer_sequence<int, lane...>) {
      return convert<RealRow::Part>(__builtin_shufflevector(row, row, (first + lane)...));
    }
    (std::make_integer_sequence<int, RealRow::n>{});
  });
}
template <class Real>
[[gnu::always_inline]] inline FloatRow to_floats(const RegisterRow<Real>& row) {
  constexpr int n = RegisterRow<Real>::n;
  using Part [[gnu::vector_size(n * sizeof(float))]] = float;
  const auto part = [&row](int p) { return __builtin_convertvector(row.part[p], Part); };
  if constexpr (n == 8) {
    return part(0);
  } else if constexpr (n == 4) {
    return __builtin_shufflevector(part(0), part(1), 0, 1, 2, 3, 4, 5, 6, 7);
  } else {
    float lanes[block_width];
    store_converted(lanes, row);
    return load_row(lanes);
  }
}
/// Sum of the lanes, in one fixed order.
[[gnu::always_inline]] inline double sum_lanes(const RealRow& row) {
  return ((row[0] + row[4]) + (row[2] + row[6])) + ((row[1] + row[5]) + (row[3] + row[7]));
}
[[gnu::always_inline]] inline LanesOfReals lanes_of_reals(unsigned bits) {
  constexpr LanesOfReals of_lanes = LanesOfReals::of({1, 2, 4, 8, 16, 32, 64, 128});
  return (of_lanes & static_cast<std::int64_t>(bits)) == of_lanes;
}
[[gnu::always_inline]] inline LanesOfFloats lanes_of_floats(unsigned bits) {
  return ((LanesOfFloats{} + static_cast<std::int32_t>(bits)) & LanesOfFloats{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}
/// The lanes of a mask as bits: bit i is set if lane i is selected.
template <class Lanes>
[[gnu::always_inline]] inline std::uint8_t bits_of(const Lanes& selected) {
#if defined(__AVX__)
  if constexpr (sizeof(Lanes) == sizeof(__m256))
    return static_cast<std::uint8_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(selected)));
#endif
  using Bytes [[gnu::vector_size(block_width)]] = std::int8_t;
  const Bytes bytes = __builtin_convertvector(selected, Bytes) & 1;
  std::uint64_t word = 0;
  std::memcpy(&word, &bytes, sizeof word);
  word |= word >> 7U;  // no product: each bit depends on its own lane alone, also for tools that watch unset values
  word |= word >> 14U;
  word |= word >> 28U;
  return static_cast<std::uint8_t>(word);
}

/// Lanes first .. first + 7 of the sixteen lanes of two rows.
template <int n>
[[gnu::always_inline]] inline FloatRow lanes_from(const FloatRow& low, const FloatRow& high) {
  return __builtin_shufflevector(low, high, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
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
    constexpr int along[3] = {(axis == 0 ? n : 0) + (other == 0 ? m : 0), (axis == 1 ? n : 0) + (other == 1 ? m : 0),
                              (axis == 2 ? n : 0) + (other == 2 ? m : 0)};
    return get<along[0]>(j + along[1], k + along[2]);
  }

 private:
  const T* block_[n_directions];
};

}  // namespace freshet
