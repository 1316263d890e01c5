// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// The cells or faces of all slots with a property, as bits: word k + nz slot is the plane k of a slot's 8x8 cells,
/// whose bit i + 8 j stands for (i, j).
using CellPlanes = std::vector<std::uint64_t>;

/// The liquid cells and the solid cells of each slot. All others are air.
struct LabelPlanes {
  CellPlanes liquid;
  CellPlanes solid;
  std::vector<std::uint8_t> has_liquid;  ///< by slot: whether some cell is liquid
  std::vector<std::uint8_t> has_air;     ///< by slot: whether some cell is air

  /// Read the labels of all slots, ghosts and background included. Parallel: local; OpenMP
  void find(const LabelField& labels);
};

/// Whether an owned block or a block around it has a property. \param[in] has  by slot, 1 if the slot has it
inline bool any_around(const BlockLayout& layout, const std::vector<std::uint8_t>& has, LocalIndex block) {
  std::uint8_t any = 0;
  for (int t = 0; t < n_directions; ++t) any |= has[static_cast<std::size_t>(layout.neighbours(block)[t])];
  return any != 0;
}

}  // namespace freshet
