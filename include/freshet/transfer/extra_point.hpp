// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace freshet {

/// A point that counts as a particle for some of the cells around another place, such as a particle's mirror image for
/// cells that the particle reaches.
struct ExtraPoint {
  double x[3];                ///< relative to the block [cells]
  int cell[3];                ///< of the block: the point counts for it and those that touch it, none besides
  std::uint32_t cells = ~0U;  ///< for which of the point's own cell and those around it: bits by direction_index
};
using ExtraPoints = std::vector<std::vector<ExtraPoint>>;  ///< by owned block

}  // namespace freshet
