// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace freshet {

/// A point that counts as a particle of a block, such as a particle's mirror image.
struct ExtraPoint {
  double x[3];                ///< relative to the block [cells]
  std::uint32_t cells = ~0U;  ///< for which it counts, of its own and those around it: bits by direction_index
};
using ExtraPoints = std::vector<std::vector<ExtraPoint>>;  ///< by owned block

}  // namespace freshet
