// SPDX-License-Identifier: Apache-2.0
#include "walls.hpp"

namespace freshet::meshing {

Vec3 Walls::solid_normal(const Vec3& x) const {
  constexpr double step = 0.05;
  Vec3 gradient;
  for (int d = 0; d < 3; ++d) {
    const Vec3 offset = step * Vec3::Unit(d);
    gradient[d] = solid(x + offset) - solid(x - offset);
  }
  const double length = gradient.norm();
  return length > 0.0 ? Vec3(gradient / length) : Vec3::Zero();
}

bool Walls::near_block(const Vec3i& first_cell, double margin) const {
  const Vec3 low = first_cell.cast<double>();
  if (box(low) > -margin || box(low + Vec3::Constant(8.0)) > -margin) return true;
  constexpr double half_diagonal = 6.93;
  return has_solids() && solid(low + Vec3::Constant(4.0)) > -margin - half_diagonal;
}

Vec3 Walls::project(Vec3 x) const {
  constexpr int rounds = 3;  // a corner takes one round for each face
  for (int m = 0; m < rounds && has_solids(); ++m) {
    const double depth = solid(x);
    if (depth <= 0.0) break;
    x -= depth * solid_normal(x);
  }
  for (int d = 0; d < 3; ++d) x[d] = std::clamp(x[d], double(lattice_.pad), double(lattice_.pad + lattice_.cells[d]));
  return x;
}

int Walls::images(int axis, double x, double reach, std::array<double, 3>& coordinates) const {
  const double low = lattice_.pad;
  const double high = low + lattice_.cells[axis];
  int n = 0;
  coordinates[static_cast<std::size_t>(n++)] = x;
  if (simulation_.periodic(axis)) {
    if (x - low < reach) coordinates[static_cast<std::size_t>(n++)] = x + (high - low);
    if (high - x < reach) coordinates[static_cast<std::size_t>(n++)] = x - (high - low);
  } else {
    if (x - low < reach) coordinates[static_cast<std::size_t>(n++)] = 2.0 * low - x;
    if (high - x < reach) coordinates[static_cast<std::size_t>(n++)] = 2.0 * high - x;
  }
  return n;
}

}  // namespace freshet::meshing
