// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/register_row.hpp"

#include <cstdint>
#include <cstring>

// Functions that take or return vectors are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace freshet {

namespace detail {

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

}  // namespace detail

/// The values of the eight cells i = 0 .. 7 that share j and k, as one vector.
template <class T>
using Row8 = typename detail::RowOf<T>::Vector;
using RealRow = Row8<double>;
using FloatRow = Row8<float>;
/// Masks of a RealRow and of a FloatRow: all bits of a selected lane are set.
using RealMask = Row8<std::int64_t>;
using FloatMask = Row8<std::int32_t>;

template <class T>
[[gnu::always_inline]] inline Row8<T> load_row(const T* row) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return load_register_row(row);
  } else {
    Row8<T> value;
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
[[gnu::always_inline]] inline RealRow to_reals(const RealMask& integers) {
  return RealRow::of_parts([&](auto p) { return __builtin_convertvector(integers.part[p], RealRow::Part); });
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
/// The inverse of bits_of().
[[gnu::always_inline]] inline RealMask real_mask(unsigned bits) {
  constexpr RealMask of_lanes = RealMask::of({1, 2, 4, 8, 16, 32, 64, 128});
  return (of_lanes & static_cast<std::int64_t>(bits)) == of_lanes;
}
[[gnu::always_inline]] inline FloatMask float_mask(unsigned bits) {
  return ((FloatMask{} + static_cast<std::int32_t>(bits)) & FloatMask{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}
/// The lanes of a mask as bits: bit i is set if lane i is selected.
template <class Mask>
[[gnu::always_inline]] inline std::uint8_t bits_of(const Mask& selected) {
#if defined(__AVX__)
  if constexpr (sizeof(Mask) == sizeof(__m256))
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

}  // namespace freshet
