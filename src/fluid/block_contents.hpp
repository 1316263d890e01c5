// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// The bit of a label in the contents of a block.
constexpr std::uint8_t content_bit(Label label) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(label));
}

/// Find which labels occur in each block, ghosts and the background included. \param[out] contents  by slot
inline void find_contents(const LabelField& labels, std::vector<std::uint8_t>& contents) {
  const int n_cells = labels.layout().cells_per_block();
  contents.resize(static_cast<std::size_t>(labels.layout().n_slots()));
  parallel_for_blocks(labels.layout().n_slots(), [&](LocalIndex slot) {
    const Label* label = labels.block(slot);
    std::uint8_t bits = 0;
    for (int c = 0; c < n_cells; ++c)
      bits |= label[c] == Label::air      ? content_bit(Label::air)
              : label[c] == Label::liquid ? content_bit(Label::liquid)
                                          : content_bit(Label::solid);
    contents[static_cast<std::size_t>(slot)] = bits;
  });
}

/// Labels that occur in an owned block or in one of the blocks around it.
inline std::uint8_t contents_around(const BlockLayout& layout, const std::vector<std::uint8_t>& contents,
                                    LocalIndex block) {
  std::uint8_t bits = 0;
  for (int t = 0; t < n_directions; ++t) bits |= contents[static_cast<std::size_t>(layout.neighbours(block)[t])];
  return bits;
}

}  // namespace freshet
