// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"

namespace freshet::viscous {

/// Whether the low face of a coarse cell lies on or behind a wall of the domain across its axis, or its centre behind
/// another wall; a wall may cut coarse cells.
/// \param[in] factor  width of the cell in cells of the domain
inline bool is_behind_wall(const Domain& domain, int factor, int axis, const Vec3i& cell) {
  for (int d = 0; d < domain.dimension(); ++d) {
    const int twice = d == axis ? 2 * factor * cell[d] : factor * (2 * cell[d] + 1);  // position in half cells
    const bool is_low = d == axis ? twice <= 0 : twice < 0;
    if ((is_low && domain.is_wall(d, 0)) || (twice >= 2 * domain.cells()[d] && domain.is_wall(d, 1))) return true;
  }
  return false;
}

}  // namespace freshet::viscous
