// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace freshet::pressure {

/// One bit a cell of a block: a word a layer of constant k, a byte a row, bit i for cell i.
template <class Shape>
using BlockBits = std::array<std::uint64_t, Shape::nz>;

constexpr std::uint64_t all_cells = ~std::uint64_t{0};
constexpr std::uint64_t first_column = 0x0101010101010101U;

/// The bits of a block whose rows' masks stand in memory one after the other.
template <class Shape>
BlockBits<Shape> load_bits(const std::uint8_t* row_masks) {
  BlockBits<Shape> bits;
  for (int k = 0; k < Shape::nz; ++k) {
    bits[k] = 0;
    for (int j = 0; j < Shape::ny; ++j) {
      bits[k] |= std::uint64_t{row_masks[j + Shape::ny * k]} << static_cast<unsigned>(8 * j);
    }
  }
  return bits;
}

template <class Shape>
void store_bits(const BlockBits<Shape>& bits, std::uint8_t* row_masks) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      row_masks[j + Shape::ny * k] = static_cast<std::uint8_t>(bits[k] >> static_cast<unsigned>(8 * j));
}

/// The last layer along `axis`, brought to where the first one is.
template <class Shape, int axis>
BlockBits<Shape> last_layer_as_first(const BlockBits<Shape>& bits) {
  BlockBits<Shape> result{};
  if constexpr (axis == 2) {
    result[0] = bits[Shape::nz - 1];
  } else {
    for (int k = 0; k < Shape::nz; ++k) result[k] = axis == 0 ? bits[k] >> 7U & first_column : bits[k] >> 56U;
  }
  return result;
}
template <class Shape, int axis>
BlockBits<Shape> first_layer_as_last(const BlockBits<Shape>& bits) {
  BlockBits<Shape> result{};
  if constexpr (axis == 2) {
    result[Shape::nz - 1] = bits[0];
  } else {
    for (int k = 0; k < Shape::nz; ++k) result[k] = axis == 0 ? (bits[k] & first_column) << 7U : bits[k] << 56U;
  }
  return result;
}

/// By axis, the cells whose low face lets through.
template <class Shape>
using PassableFaces = std::array<BlockBits<Shape>, 3>;

/// Spread `reached` inside a block, over passable faces and within `allowed`, until it spreads no further.
template <class Shape>
void spread_inside(const BlockBits<Shape>& allowed, const PassableFaces<Shape>& passable, BlockBits<Shape>& reached) {
  BlockBits<Shape> before;
  do {
    before = reached;
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t along_x = passable[0][k] & ~first_column;
      std::uint64_t now = reached[k];
      if constexpr (Shape::dim == 3) {
        if (k > 0) now |= reached[k - 1] & passable[2][k];
        if (k + 1 < Shape::nz) now |= reached[k + 1] & passable[2][k + 1];
      }
      now &= allowed[k];  // before every spread: what must not be reached must not lead on
      now |= (now << 1U & along_x) | (now & along_x) >> 1U;
      now &= allowed[k];
      now |= (now << 8U & passable[1][k]) | (now & passable[1][k]) >> 8U;
      reached[k] = now & allowed[k];
    }
  } while (reached != before);
}

}  // namespace freshet::pressure
