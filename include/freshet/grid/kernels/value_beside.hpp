// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

namespace freshet {

/// Value that a stencil reads in a cell that touches its middle cell: the cell's own or, if the cell is closed, the
/// mean over the open cells between the two that are the fewest steps away from it. All axes count alike.
///
/// Cells are named by the axes along which they lie beside the middle one, a bit for each; 0 is the middle one, which
/// counts as open.
/// \param[in] is_open, value  of a cell, which is `axes` or one that lacks some of its bits
template <class IsOpen, class Value>
[[gnu::always_inline]] inline auto value_beside(unsigned axes, IsOpen&& is_open, Value&& value) -> decltype(value(0U)) {
  if (axes == 0 || is_open(axes)) return value(axes);
  for (int n_axes = std::popcount(axes) - 1; n_axes > 0; --n_axes) {
    decltype(value(0U)) sum{};
    int n = 0;
    for (unsigned part = (axes - 1) & axes; part != 0; part = (part - 1) & axes)
      if (std::popcount(part) == n_axes && is_open(part)) {
        sum += value(part);
        ++n;
      }
    if (n > 0) return sum / static_cast<decltype(sum)>(n);
  }
  return value(0U);
}

}  // namespace freshet
