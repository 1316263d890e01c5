// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/register_row.hpp"
#include "freshet/grid/kernels/row.hpp"
#include "freshet/grid/kernels/star.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

/// Rows of a block, and of the cells and faces beside them, for kernels with a stencil along the axes.
namespace freshet {

/// A row of doubles or floats as doubles.
inline RealRow load_reals(const double* row) {
  return load_row(row);
}
inline RealRow load_reals(const float* row) {
  return to_register_row<double>(row);
}

/// Values of the cells at i-1, i-2, i-4; `before` is the row of the block at -x.
inline RealRow lower_by_1(const RealRow& before, const RealRow& row) {
  return lanes_from<7>(before, row);
}
inline RealRow lower_by_2(const RealRow& before, const RealRow& row) {
  return lanes_from<6>(before, row);
}
inline RealRow lower_by_4(const RealRow& before, const RealRow& row) {
  return lanes_from<4>(before, row);
}
/// Values of the cells at i+1, i+2, i+4; `after` is the row of the block at +x.
inline RealRow upper_by_1(const RealRow& row, const RealRow& after) {
  return lanes_from<1>(row, after);
}
inline RealRow upper_by_2(const RealRow& row, const RealRow& after) {
  return lanes_from<2>(row, after);
}
inline RealRow upper_by_4(const RealRow& row, const RealRow& after) {
  return lanes_from<4>(row, after);
}

/// Larger of each lane's `largest` and |value|; infinite if the value is not a number.
inline RealRow larger_magnitudes(const RealRow& largest, const RealRow& value) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const RealRow magnitude = select(value < 0.0, -value, value);
  return select(magnitude <= largest, largest, select(magnitude <= infinite, magnitude, RealRow::all(infinite)));
}
inline double largest_lane(const RealRow& row) {
  double result = row[0];
  for (int i = 1; i < block_width; ++i) result = row[i] > result ? row[i] : result;
  return result;
}
/// Mask whose bit i is the lowest bit of byte i. Bytes of a ghost block's cells off the rim are undefined.
inline std::uint8_t row_mask(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return static_cast<std::uint8_t>(((word & 0x0101010101010101U) * 0x0102040810204080U) >> 56U);
}
/// Mask whose bit i is set if lane i is selected.
inline std::uint8_t row_mask(const RealMask& selection) {
  return bits_of(selection);
}
/// The inverse of row_mask(): set byte i to bit i.
inline void store_bytes(std::uint8_t* bytes, std::uint8_t mask) {
  std::uint64_t word = (mask * 0x0101010101010101U) & 0x8040201008040201U;
  word = (word + 0x7f7f7f7f7f7f7f7fU) >> 7U & 0x0101010101010101U;
  std::memcpy(bytes, &word, sizeof word);
}
/// Mask whose bit i is set if cell i of a row is liquid, the only odd label.
inline std::uint8_t liquid_mask(const Label* row) {
  static_assert(static_cast<int>(Label::liquid) == 1 && static_cast<int>(Label::solid) % 2 == 0);
  std::uint8_t bytes[block_width];
  std::memcpy(bytes, row, sizeof bytes);
  return row_mask(bytes);
}
/// The values of the selected lanes, 0 in the others.
inline RealRow keep_lanes(std::uint8_t mask, const RealRow& row) {
  return select(real_mask(mask), row, RealRow{});
}

/// Rows whose lower neighbour along `axis` is set; along x, whose own bit or that of the block at -x is set.
template <class Shape, int axis>
constexpr std::uint64_t rows_below(std::uint64_t block, std::uint64_t low_block) {
  if constexpr (axis == 0) return block | low_block;
  if constexpr (axis == 1) {
    constexpr std::uint64_t first = 0x0101010101010101U;  // the rows at j = 0
    return (block << 1U & ~first) | (low_block >> (Shape::ny - 1) & first);
  }
  return block << Shape::ny | low_block >> (Shape::ny * (Shape::nz - 1));
}

/// Values of a face component on the high faces of the cells of row r.
template <class Shape, int axis, class T>
RealRow on_high_faces(const Star<T>& faces, int r) {
  if constexpr (axis == 0) {
    return upper_by_1(load_reals(faces.self + block_width * r), load_reals(faces.high[0] + block_width * r));
  } else {
    return load_reals(row_above<Shape, axis>(faces, r));
  }
}

/// Values of the cells one lower along `axis`, and one higher.
template <class Shape, int axis, class T>
RealRow lower_cells(const Star<T>& cells, int r) {
  if constexpr (axis == 0) {
    return lower_by_1(load_reals(cells.low[0] + block_width * r), load_reals(cells.self + block_width * r));
  } else {
    return load_reals(row_below<Shape, axis>(cells, r));
  }
}
template <class Shape, int axis, class T>
RealRow upper_cells(const Star<T>& cells, int r) {
  return on_high_faces<Shape, axis>(cells, r);
}

/// RealRow masks of the cells one lower along `axis`, and one higher; the field holds 0 and 1.
template <class Shape, int axis>
std::uint8_t lower_mask(const Star<std::uint8_t>& cells, int r) {
  if constexpr (axis == 0) {
    const unsigned own = row_mask(cells.self + block_width * r);
    return static_cast<std::uint8_t>(own << 1U | row_mask(cells.low[0] + block_width * r) >> 7U);
  } else {
    return row_mask(row_below<Shape, axis>(cells, r));
  }
}
template <class Shape, int axis>
std::uint8_t upper_mask(const Star<std::uint8_t>& cells, int r) {
  if constexpr (axis == 0) {
    const unsigned own = row_mask(cells.self + block_width * r);
    return static_cast<std::uint8_t>(own >> 1U | static_cast<unsigned>(row_mask(cells.high[0] + block_width * r))
                                                     << 7U);
  } else {
    return row_mask(row_above<Shape, axis>(cells, r));
  }
}

}  // namespace freshet
