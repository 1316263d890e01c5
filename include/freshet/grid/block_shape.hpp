// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace freshet {

constexpr int block_width = 8;  ///< cells of a block along x and y (and z in 3-D)

/// The compile-time shape of a block: 8x8x8 cells, or 8x8x1 for a one-cell-thick 2-D run.
///
/// Cells of a block are stored x fastest: cell(i, j, k) = i + 8 (j + 8 k).
template <int dimension>
struct BlockShape {
  static_assert(dimension == 2 || dimension == 3);
  static constexpr int dim = dimension;
  static constexpr int nx = block_width;
  static constexpr int ny = block_width;
  static constexpr int nz = dimension == 3 ? block_width : 1;
  static constexpr int cells = nx * ny * nz;
  static constexpr int rows = ny * nz;  ///< number of rows of nx cells
  static constexpr int n(int axis) { return axis == 2 ? nz : nx; }
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static constexpr int cell(int i, int j, int k) { return i + nx * (j + ny * k); }
  static int cell(const Vec3i& place) { return cell(place.x(), place.y(), place.z()); }
  static Vec3i place(int cell) { return {cell % nx, cell / nx % ny, cell / (nx * ny)}; }  ///< (i, j, k) of a cell
};

/// Call f(BlockShape<2>{}) or f(BlockShape<3>{}) according to the dimension.
template <class Function>
decltype(auto) with_shape(int dimension, Function&& f) {
  if (dimension == 2) return std::forward<Function>(f)(BlockShape<2>{});
  return std::forward<Function>(f)(BlockShape<3>{});
}

/// Call f(r) for each bit r that is set in `rows`. Bit r stands for row r of a block of n_rows rows.
template <class Function>
[[gnu::always_inline]] inline void for_each_set_row(std::uint64_t rows, int n_rows, Function&& f) {
  if (std::popcount(rows) == n_rows) {
    for (int r = 0; r < n_rows; ++r) f(r);
  } else {
    for (; rows != 0; rows &= rows - 1) f(std::countr_zero(rows));
  }
}

/// Call f(std::integral_constant<int, d>{}) for every axis of the shape.
template <class Shape, class Function>
[[gnu::always_inline]] inline void for_each_axis(Function&& f) {
  f(std::integral_constant<int, 0>{});
  f(std::integral_constant<int, 1>{});
  if constexpr (Shape::dim == 3) f(std::integral_constant<int, 2>{});
}

}  // namespace freshet
