// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/walls.hpp"

#include "freshet/grid/block_shape.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// Call change(u, u_s, wall bits) on every owned face of the blocks that hold closed ones.
template <class Change>
void for_each_face(const SolidFields& solids, FaceField<double>& velocity, Change change) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    if (!solids.has_closed_face(b)) continue;
    for (int d = 0; d < velocity.dimension(); ++d) {
      double* u = velocity[d].block(b);
      const float* u_s = solids.velocity()[d].block(b);
      const std::uint8_t* wall = solids.wall()[d].block(b);
      for (int c = 0; c < cells; ++c) change(u[c], static_cast<double>(u_s[c]), wall[c]);
    }
  }
}

}  // namespace

void enforce_walls(const SolidFields& solids, FaceField<double>& velocity) {
  for_each_face(solids, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if (!is_wall_face(wall)) return;
    if ((wall & may_separate) == 0) {
      u = u_s;
    } else {
      u = (wall & solid_below) != 0 ? std::max(u, u_s) : std::min(u, u_s);
    }
  });
}

void hold_sticky_walls(const SolidFields& solids, FaceField<double>& velocity) {
  for_each_face(solids, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if (is_wall_face(wall) && (wall & may_separate) == 0) u = u_s;
  });
}

void mirror_no_slip(const SolidFields& solids, FaceField<double>& velocity) {
  if (!solids.any_no_slip()) return;
  for_each_face(solids, velocity, [](double& u, double u_s, std::uint8_t wall) {
    if ((wall & deep_no_slip) != 0) u = 2.0 * u_s - u;
  });
}

}  // namespace freshet
