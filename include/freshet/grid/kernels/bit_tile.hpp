// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/kernels/label_planes.hpp"

#include <algorithm>
#include <cstdint>

namespace freshet {

/// The set of cells with a property, in a block and `pad` layers around it: one bit a cell.
///
/// A word is a row of cells along x, whose bit i + pad stands for cell i; words are stored by j = -pad, ..., then by k.
/// So a few instructions test all cells, without a branch for each.
template <class Shape, int pad>
class BitTile {
 public:
  static constexpr int z_pad = Shape::dim == 3 ? pad : 0;
  static constexpr int ny = Shape::ny + 2 * pad;
  static constexpr int nz = Shape::nz + 2 * z_pad;
  static constexpr int size = ny * nz;
  static_assert(Shape::nx + 2 * pad <= 16);

  BitTile() = default;  ///< the empty set
  /// \param[in] planes  valid in the block and within pad cells of it \param[in] around  the 27 slots around the block
  BitTile(const CellPlanes& planes, const LocalIndex* around) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(planes.data());
    for (int k = -z_pad; k < Shape::nz + z_pad; ++k) {
      const int z = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
      for (int y = -1; y <= 1; ++y) {
        const std::uint8_t* rows[3];
        for (int x = -1; x <= 1; ++x)
          rows[x + 1] = bytes + Shape::ny * (Shape::nz * static_cast<std::size_t>(around[direction_index(x, y, z)]) +
                                             static_cast<std::size_t>(k - Shape::nz * z));
        const int begin = y < 0 ? Shape::ny - pad : 0;
        const int end = y > 0 ? pad : Shape::ny;
        for (int j = begin; j < end; ++j)
          row_[at(j + Shape::ny * y, k)] =
              static_cast<std::uint16_t>(rows[0][j] >> (Shape::nx - pad) | rows[1][j] << pad |
                                         (rows[2][j] & ((1 << pad) - 1)) << (Shape::nx + pad));
      }
    }
  }

  /// Bit i stands for cell (i + dx, j, k), i = 0 .. 7; |dx| <= pad.
  template <int dx = 0>
  std::uint8_t row(int j, int k) const {
    return static_cast<std::uint8_t>(row_[at(j, k)] >> (pad + dx));
  }
  bool any() const {
    return std::any_of(row_, row_ + size, [](std::uint16_t word) { return word != 0; });
  }

  /// The cells whose neighbour at `distance` cells along an axis is in this set, which has no cells beyond the tile.
  template <int axis, int distance>
  BitTile neighbours() const {
    BitTile result;
    if constexpr (axis == 0) {
      for (int n = 0; n < size; ++n)
        result.row_[n] = static_cast<std::uint16_t>(distance > 0 ? row_[n] >> distance : row_[n] << -distance);
    } else {
      constexpr int words = distance * (axis == 1 ? 1 : ny);
      for (int n = std::max(0, -words); n < size - std::max(0, words); ++n) result.row_[n] = row_[n + words];
    }
    return result;
  }
  /// The set of cells within `width` <= pad cells (in the maximum norm) of this set; valid for the block's own cells.
  BitTile grown(int width) const {
    BitTile result = *this;
    for (int n = 0; n < size; ++n) {
      unsigned word = row_[n];
      for (int m = 0; m < width; ++m) word |= word << 1U | word >> 1U;
      result.row_[n] = static_cast<std::uint16_t>(word);
    }
    for (int axis = 1; axis < Shape::dim; ++axis) {
      const int step = axis == 1 ? 1 : ny;
      const BitTile before = result;
      for (int m = 1; m <= width; ++m)
        for (int n = m * step; n < size - m * step; ++n)
          result.row_[n] |= static_cast<std::uint16_t>(before.row_[n - m * step] | before.row_[n + m * step]);
    }
    return result;
  }

  BitTile operator|(const BitTile& other) const {
    return combine(other, [](unsigned a, unsigned b) { return a | b; });
  }
  BitTile operator&(const BitTile& other) const {
    return combine(other, [](unsigned a, unsigned b) { return a & b; });
  }
  BitTile operator^(const BitTile& other) const {
    return combine(other, [](unsigned a, unsigned b) { return a ^ b; });
  }
  BitTile operator~() const {
    return combine(*this, [](unsigned a, unsigned) { return ~a; });
  }

 private:
  static constexpr int at(int j, int k) { return (j + pad) + ny * (k + z_pad); }
  template <class Function>
  BitTile combine(const BitTile& other, Function f) const {
    BitTile result;
    for (int n = 0; n < size; ++n) result.row_[n] = static_cast<std::uint16_t>(f(row_[n], other.row_[n]));
    return result;
  }

  std::uint16_t row_[size] = {};
};

/// The cells whose low face along an axis touches a cell of `liquid` and no cell of `solid`.
template <int axis, class Tile>
Tile liquid_faces(const Tile& liquid, const Tile& solid) {
  return (liquid | liquid.template neighbours<axis, -1>()) & ~(solid | solid.template neighbours<axis, -1>());
}

}  // namespace freshet
