// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/kernels/star_rows.hpp"

#include <array>
#include <bit>

/// Blocks in checkerboard order, which halves the work of a half-sweep of Gauss-Seidel.
///
/// A block's even cells (i + j + k even; blocks start at even cells, so that this is the global colour) come first,
/// then its odd ones; a colour consists of rows of four, j fastest, then k. A vector of eight holds two rows, of j and
/// j + 1 with j even. Neighbours along y and z have the same place in their row of the other colour; along x one
/// neighbour has the same place, too, and the other is one place away.
namespace freshet::pressure {

using FloatHalf [[gnu::vector_size(16)]] = float;

/// A weight: the upper half of a float, so that half-sweeps read less. Diagonals are sums of rounded weights: the
/// equations remain those of a liquid whose faces have slightly other areas.
using Weight = std::uint16_t;
using WeightRow [[gnu::vector_size(16)]] = std::uint16_t;
using WeightHalf [[gnu::vector_size(8)]] = std::uint16_t;
using BitRow [[gnu::vector_size(32)]] = std::uint32_t;
constexpr Weight weight_of_one = std::bit_cast<std::uint32_t>(1.0F) >> 16U;

inline float to_float(Weight weight) {
  return std::bit_cast<float>(std::uint32_t{weight} << 16U);
}
inline FloatRow to_floats(const WeightRow& weights) {
  return reinterpret_cast<FloatRow>(
      __builtin_shufflevector(WeightRow{}, weights, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
}
/// Values rounded to the nearest weight. \pre finite
inline WeightRow to_weights(const FloatRow& values) {
  const BitRow bits = reinterpret_cast<BitRow>(values);
  return __builtin_convertvector((bits + 0x7fff + (bits >> 16 & 1)) >> 16, WeightRow);
}

enum class Colour : int { even = 0, odd = 1 };
constexpr Colour other(Colour colour) {
  return colour == Colour::even ? Colour::odd : Colour::even;
}

template <class Shape>
struct Checkerboard {
  static constexpr int half = Shape::cells / 2;  ///< cells of one colour
  static constexpr int row = block_width / 2;    ///< cells of one colour in a row
  static constexpr int plane = row * Shape::ny;  ///< cells of one colour with the same k
  static constexpr int pair = 2 * row;           ///< cells of a vector
  static constexpr int faces = 2 * Shape::dim;
  static constexpr int weights = faces * Shape::cells;  ///< weights of a block
  static constexpr int plane_weights = faces * plane;
  static constexpr int index(int i, int j, int k) { return (i + j + k) % 2 * half + i / 2 + row * (j + Shape::ny * k); }
};

/// Index of the first cell of a colour in a block; below, of its first weight.
template <class Shape>
constexpr int start_of(Colour colour) {
  return colour == Colour::even ? 0 : Checkerboard<Shape>::half;
}
template <class Shape>
constexpr int weights_of(Colour colour) {
  return Checkerboard<Shape>::faces * start_of<Shape>(colour);
}

inline FloatRow load_floats(const float* values) {
  FloatRow result;
  std::memcpy(&result, values, sizeof result);
  return result;
}
inline FloatRow load_floats(const Weight* weights) {
  WeightRow result;
  std::memcpy(&result, weights, sizeof result);
  return to_floats(result);
}
inline void store_floats(float* target, const FloatRow& values) {
  std::memcpy(target, &values, sizeof values);
}
inline FloatHalf lower_half(const FloatRow& row) {
  return __builtin_shufflevector(row, row, 0, 1, 2, 3);
}
inline FloatHalf upper_half(const FloatRow& row) {
  return __builtin_shufflevector(row, row, 4, 5, 6, 7);
}
inline FloatRow join_halves(const FloatHalf& lower, const FloatHalf& upper) {
  return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Colour of the cells at even i of row r = j + ny k.
template <class Shape>
constexpr Colour colour_of_row(int r) {
  return (r + r / Shape::ny) % 2 == 0 ? Colour::even : Colour::odd;
}

/// Store row r, x fastest, in checkerboard order.
template <class Shape>
void store_row(float* block, int r, const FloatRow& row) {
  constexpr int width = Checkerboard<Shape>::row;
  const FloatHalf evens = __builtin_shufflevector(row, row, 0, 2, 4, 6);
  const FloatHalf odds = __builtin_shufflevector(row, row, 1, 3, 5, 7);
  const Colour colour = colour_of_row<Shape>(r);
  std::memcpy(block + start_of<Shape>(colour) + width * r, &evens, sizeof evens);
  std::memcpy(block + start_of<Shape>(other(colour)) + width * r, &odds, sizeof odds);
}
/// Store the weights of row r towards direction f in their order.
template <class Shape>
void store_weights(Weight* block, int f, int r, const WeightRow& row) {
  using Board = Checkerboard<Shape>;
  const int place = Board::plane_weights * (r / Shape::ny) + Board::plane * f + Board::row * (r % Shape::ny);
  const WeightHalf evens = __builtin_shufflevector(row, row, 0, 2, 4, 6);
  const WeightHalf odds = __builtin_shufflevector(row, row, 1, 3, 5, 7);
  const Colour colour = colour_of_row<Shape>(r);
  std::memcpy(block + weights_of<Shape>(colour) + place, &evens, sizeof evens);
  std::memcpy(block + weights_of<Shape>(other(colour)) + place, &odds, sizeof odds);
}
template <class Shape>
FloatRow load_row(const float* block, int r) {
  constexpr int width = Checkerboard<Shape>::row;
  FloatHalf evens;
  FloatHalf odds;
  const Colour colour = colour_of_row<Shape>(r);
  std::memcpy(&evens, block + start_of<Shape>(colour) + width * r, sizeof evens);
  std::memcpy(&odds, block + start_of<Shape>(other(colour)) + width * r, sizeof odds);
  return __builtin_shufflevector(evens, odds, 0, 4, 1, 5, 2, 6, 3, 7);
}

/// Number of a direction: 2 axis + (0 to the low side, 1 to the high side).
constexpr int n_faces = 6;

/// Index of the weight towards direction f of the cell at place c. A block's weights have the order in which a
/// half-sweep reads them: by colour, k, direction, then place in the plane.
template <class Shape>
constexpr int weight_index(int f, int c) {
  using Board = Checkerboard<Shape>;
  return Board::plane_weights * (c / Board::plane) + Board::plane * f + c % Board::plane;
}

/// Pointers to one colour of a block and of its six neighbours.
using ColourStar = Star<float>;

/// Neighbours at i - 1, and below at i + 1, of a pair of rows. first_is_even: the row of the lower j has even i.
template <bool first_is_even>
FloatRow left_of(const FloatRow& block_at_left, const FloatRow& self) {
  if constexpr (first_is_even) return __builtin_shufflevector(block_at_left, self, 3, 8, 9, 10, 12, 13, 14, 15);
  return __builtin_shufflevector(block_at_left, self, 8, 9, 10, 11, 7, 12, 13, 14);
}
template <bool first_is_even>
FloatRow right_of(const FloatRow& self, const FloatRow& block_at_right) {
  if constexpr (first_is_even) return __builtin_shufflevector(self, block_at_right, 0, 1, 2, 3, 5, 6, 7, 12);
  return __builtin_shufflevector(self, block_at_right, 1, 2, 3, 8, 4, 5, 6, 7);
}

/// The neighbours x of the other colour, in direction f, of the vector at place m in plane k.
template <class Shape, int f, bool first_is_even>
[[gnu::always_inline]] inline FloatRow neighbours_in(const ColourStar& x, int k, int m) {
  using Board = Checkerboard<Shape>;
  constexpr int last = Board::plane - Board::pair;
  const int plane = Board::plane * k;
  const float* self = x.self + plane;
  if constexpr (f == 0) return left_of<first_is_even>(load_floats(x.low[0] + plane + m), load_floats(self + m));
  if constexpr (f == 1) return right_of<first_is_even>(load_floats(self + m), load_floats(x.high[0] + plane + m));
  if constexpr (f == 2) {
    if (m > 0) return load_floats(self + m - Board::row);
    return join_halves(upper_half(load_floats(x.low[1] + plane + last)), lower_half(load_floats(self + m)));
  }
  if constexpr (f == 3) {
    if (m < last) return load_floats(self + m + Board::row);
    return join_halves(upper_half(load_floats(self + m)), lower_half(load_floats(x.high[1] + plane)));
  }
  if constexpr (f == 4) {
    return load_floats((k > 0 ? self - Board::plane : x.low[2] + Board::plane * (Shape::nz - 1)) + m);
  }
  if constexpr (f == 5) return load_floats((k < Shape::nz - 1 ? self + Board::plane : x.high[2]) + m);
}

/// Call write(place, sum_n w_n x_n) for the selected ones of a plane's four vectors of one colour.
template <class Shape, bool unit, bool first_is_even, class Write>
[[gnu::always_inline]] inline void sum_plane(const ColourStar& x, const Weight* weight, std::uint32_t vectors, int k,
                                             Write&& write) {
  using Board = Checkerboard<Shape>;
  const auto times = [weight, k](int f, int m, const FloatRow& value) {
    if constexpr (unit) return value;
    return load_floats(weight + Board::plane_weights * k + Board::plane * f + m) * value;
  };
#pragma GCC unroll 4
  for (int m = 0; m < Board::plane; m += Board::pair) {
    const int place = Board::plane * k + m;
    if ((vectors >> (place / Board::pair) & 1U) == 0) continue;
    FloatRow sum = times(0, m, neighbours_in<Shape, 0, first_is_even>(x, k, m));
    sum += times(1, m, neighbours_in<Shape, 1, first_is_even>(x, k, m));
    sum += times(2, m, neighbours_in<Shape, 2, first_is_even>(x, k, m));
    sum += times(3, m, neighbours_in<Shape, 3, first_is_even>(x, k, m));
    if constexpr (Shape::dim == 3) {
      sum += times(4, m, neighbours_in<Shape, 4, first_is_even>(x, k, m));
      sum += times(5, m, neighbours_in<Shape, 5, first_is_even>(x, k, m));
    }
    write(place, sum);
  }
}

/// Call write(place, sum_n w_n x_n), the sum over neighbours, for vectors of cells of one colour.
///
/// \param[in] x       the other colour's values
/// \param[in] weight  weights of this colour's faces; not read if `unit`
/// \param[in] vectors the selected vectors, one bit each, in order
template <class Shape, bool unit, class Write>
[[gnu::always_inline]] inline void sum_neighbours(Colour colour, const ColourStar& x, const Weight* weight,
                                                  std::uint32_t vectors, Write&& write) {
  for (int k = 0; k < Shape::nz; ++k) {
    if ((k + static_cast<int>(colour)) % 2 == 0) {
      sum_plane<Shape, unit, true>(x, weight, vectors, k, write);
    } else {
      sum_plane<Shape, unit, false>(x, weight, vectors, k, write);
    }
  }
}

}  // namespace freshet::pressure
