// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// Which cells or faces of each slot have a property, as bits: word k + nz slot holds the plane k of a slot's 8x8
/// cells, bit i + 8 j that of (i, j).
using CellPlanes = std::vector<std::uint64_t>;

/// The cells of each slot that are liquid, and those that are solid. Those that are neither are air.
struct LabelPlanes {
  CellPlanes liquid;
  CellPlanes solid;
  std::vector<std::uint8_t> has_liquid;  ///< by slot
  std::vector<std::uint8_t> has_air;     ///< by slot

  /// Read the labels of all slots, ghosts and background included. Parallel: local; OpenMP
  void find(const LabelField& labels);
};

/// Whether an owned block or one of the blocks around it has something. \param[in] has  by slot
inline bool any_around(const BlockLayout& layout, const std::vector<std::uint8_t>& has, LocalIndex block) {
  std::uint8_t any = 0;
  for (int t = 0; t < n_directions; ++t) any |= has[static_cast<std::size_t>(layout.neighbours(block)[t])];
  return any != 0;
}

}  // namespace freshet
