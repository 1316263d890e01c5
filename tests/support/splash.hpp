// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/ball_particles.hpp"

#include <array>
#include <vector>

namespace freshet::test {

/// A pool with balls of random sizes above and in it, a ball at a wall, and a slanted sheet: positions in cells.
inline std::vector<Vec3> splash(const Vec3i& cells, std::uint64_t seed, int rank = 0, int size = 1) {
  std::array<Vec3, 9> centers;
  std::array<double, 9> radii{};
  const double depth = (0.15 + 0.1 * hashed(seed, 100)) * cells.y();
  for (std::uint64_t m = 0; m < 9; ++m) {
    for (int d = 0; d < 3; ++d) centers[m][d] = cells[d] * hashed(seed, 10 * m + static_cast<std::uint64_t>(d));
    radii[m] = 2.5 + 5.0 * hashed(seed, 10 * m + 3);
  }
  centers[0].x() = 0.0;  // half of it lies beyond the wall
  const double tilt = hashed(seed, 200);
  return seeded(
      cells, 2, 1.0,
      [&](const Vec3& x) {
        if (x.y() < depth) return true;
        for (std::size_t m = 0; m < 9; ++m)
          if ((x - centers[m]).norm() < radii[m]) return true;
        const double height = x.y() - 0.6 * cells.y() - tilt * (x.x() - 0.5 * cells.x()) * 0.5;
        return height > 0.0 && height < 2.0 && x.z() < 0.5 * cells.z();
      },
      rank, size);
}

}  // namespace freshet::test
