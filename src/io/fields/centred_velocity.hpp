// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copies.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// Component d of the velocity at cell centres [m/s]: the mean of the cell's two faces normal to axis d. The high face
/// of a block's last cells belongs to the next block. \pre ghosts are valid to width 1
inline BlockFunction centred_velocity(const FaceField<double>& velocity, int d) {
  const BlockLayout& layout = velocity.layout();
  if (d >= velocity.dimension()) return zeros(layout);
  const int n = layout.cells_per_block();
  const int stride = BlockShape<3>::stride(d);
  const Vec3i offset = Vec3i::Unit(d);
  const int direction = direction_index(offset.x(), offset.y(), offset.z());
  return [&field = velocity[d], &layout, n, stride, direction](LocalIndex block, double* values) {
    const double* u = field.block(block);
    const double* next = field.block(layout.neighbours(block)[direction]);
    for (int c = 0; c < n; ++c) {
      const bool last = c / stride % block_width == block_width - 1;
      const double high = last ? next[c - (block_width - 1) * stride] : u[c + stride];
      values[c] = 0.5 * (u[c] + high);
    }
  };
}

}  // namespace freshet
