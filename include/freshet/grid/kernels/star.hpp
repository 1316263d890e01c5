// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

#include <array>
#include <cstddef>

namespace freshet {

/// Pointers to the values of a block and of the six blocks that share a face with it. Kernels with a stencil along the
/// axes read rows through them, without a copy. In 2-D the third axis is not read.
template <class T>
struct Star {
  const T* self;
  const T* low[3];
  const T* high[3];
};

/// A Star for the faces along each axis.
template <class T>
using FaceStar = std::array<Star<T>, 3>;

/// The slots of a Star's blocks.
struct StarSlots {
  LocalIndex self = 0;
  std::array<LocalIndex, 3> low{};
  std::array<LocalIndex, 3> high{};
};
inline StarSlots star_slots(const BlockLayout& layout, LocalIndex owned_block) {
  const LocalIndex* neighbours = layout.neighbours(owned_block);
  StarSlots result{owned_block};
  for (int d = 0; d < 3; ++d) {
    result.low[d] = neighbours[low_direction(d)];
    result.high[d] = neighbours[high_direction(d)];
  }
  return result;
}

/// \param[in] find  find(slot) returns the values of a slot
template <class T, class Find>
Star<T> star_of(const StarSlots& blocks, Find&& find) {
  Star<T> result;
  result.self = find(blocks.self);
  for (std::size_t d = 0; d < 3; ++d) {
    result.low[d] = find(blocks.low[d]);
    result.high[d] = find(blocks.high[d]);
  }
  return result;
}
template <class T>
Star<T> star_of(const CellField<T>& field, LocalIndex owned_block) {
  return star_of<T>(star_slots(field.layout(), owned_block), [&field](LocalIndex slot) { return field.block(slot); });
}
template <class T>
FaceStar<T> star_of(const FaceField<T>& field, LocalIndex owned_block) {
  FaceStar<T> result{};
  for (int d = 0; d < field.dimension(); ++d) result[d] = star_of(field[d], owned_block);
  return result;
}

/// The row below row `r` along `axis` 1 or 2; rows count as r = j + ny k.
template <class Shape, int axis, class T>
const T* row_below(const Star<T>& block, int r) {
  constexpr int step = axis == 1 ? 1 : Shape::ny;
  constexpr int wrap = (Shape::n(axis) - 1) * step;
  const bool inside = axis == 1 ? r % Shape::ny != 0 : r >= Shape::ny;
  return inside ? block.self + block_width * (r - step) : block.low[axis] + block_width * (r + wrap);
}
template <class Shape, int axis, class T>
const T* row_above(const Star<T>& block, int r) {
  constexpr int step = axis == 1 ? 1 : Shape::ny;
  constexpr int wrap = (Shape::n(axis) - 1) * step;
  const bool inside = axis == 1 ? r % Shape::ny != Shape::ny - 1 : r < Shape::rows - Shape::ny;
  return inside ? block.self + block_width * (r + step) : block.high[axis] + block_width * (r - wrap);
}

}  // namespace freshet
