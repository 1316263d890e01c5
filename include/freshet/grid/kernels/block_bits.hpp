// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace freshet {

/// One bit for each cell of a block: a word for each layer of constant k, a byte for each row, bit i for cell i. Cell c
/// is bit c % 64 of word c / 64, and the words equal the rows' masks in memory.
template <class Shape>
using BlockBits = std::array<std::uint64_t, Shape::nz>;

constexpr std::uint64_t all_cells = ~std::uint64_t{0};
constexpr std::uint64_t first_column = 0x0101010101010101U;

/// \param[in] words  the layers' words, or the rows' masks
template <class Shape>
BlockBits<Shape> load_bits(const void* words) {
  BlockBits<Shape> bits;
  std::memcpy(bits.data(), words, sizeof bits);
  return bits;
}

/// The last layer of bits along `axis`, moved to the first layer.
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
/// The first layer of bits along `axis`, moved to the last layer.
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

/// The bits moved to the next cell along `axis`, or to the previous one; bits that leave the block are lost.
template <class Shape, int axis>
BlockBits<Shape> one_up(const BlockBits<Shape>& bits) {
  BlockBits<Shape> result{};
  for (int k = axis == 2 ? 1 : 0; k < Shape::nz; ++k)
    result[k] = axis == 0 ? bits[k] << 1U & ~first_column : axis == 1 ? bits[k] << 8U : bits[k - (axis == 2)];
  return result;
}
template <class Shape, int axis>
BlockBits<Shape> one_down(const BlockBits<Shape>& bits) {
  BlockBits<Shape> result{};
  for (int k = 0; k < Shape::nz - (axis == 2); ++k)
    result[k] = axis == 0 ? (bits[k] & ~first_column) >> 1U : axis == 1 ? bits[k] >> 8U : bits[k + (axis == 2)];
  return result;
}

/// For each axis, the cells whose low face has a weight and so couples two unknowns.
template <class Shape>
using OpenFaces = std::array<BlockBits<Shape>, 3>;

/// Spread `reached` inside a block, across open faces and within `allowed`, until nothing changes.
template <class Shape>
void spread_inside(const BlockBits<Shape>& allowed, const OpenFaces<Shape>& open, BlockBits<Shape>& reached) {
  BlockBits<Shape> before;
  do {
    before = reached;
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t along_x = open[0][k] & ~first_column;
      std::uint64_t now = reached[k];
      if constexpr (Shape::dim == 3) {
        if (k > 0) now |= reached[k - 1] & open[2][k];
        if (k + 1 < Shape::nz) now |= reached[k + 1] & open[2][k + 1];
      }
      now &= allowed[k];  // before each spread: cells that are not allowed pass nothing on
      now |= (now << 1U & along_x) | (now & along_x) >> 1U;
      now &= allowed[k];
      now |= (now << 8U & open[1][k]) | (now & open[1][k]) >> 8U;
      reached[k] = now & allowed[k];
    }
  } while (reached != before);
}

}  // namespace freshet
