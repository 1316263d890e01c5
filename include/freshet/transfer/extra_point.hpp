// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace freshet {

/// A point that counts as a particle for some of the cells around another place, such as the mirror image of a particle
/// for cells that the particle reaches.
struct ExtraPoint {
  double x[3];                ///< place relative to the block [cells]
  int cell[3];                ///< cell of the block: the point counts only for this cell and those that touch it
  std::uint32_t cells = ~0U;  ///< bits by direction_index: the point's own cell and those around that count it
};
using ExtraPoints = std::vector<std::vector<ExtraPoint>>;  ///< points by owned block

}  // namespace freshet
