// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "support/random_blocks.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace freshet::test {

/// A place anywhere in each sub-cell, of which a unit cell has n^3, whose place lies in a body. Part `rank` of `size`.
template <class IsInside>
std::vector<Vec3> seeded(const Vec3i& cells, int n, double jitter, IsInside&& is_inside, int rank = 0, int size = 1) {
  std::vector<Vec3> positions;
  const Vec3i count = cells * n;
  std::uint64_t number = 0;
  for (int k = 0; k < count.z(); ++k)
    for (int j = 0; j < count.y(); ++j)
      for (int i = 0; i < count.x(); ++i, ++number) {
        Vec3 x;
        const int at[3] = {i, j, k};
        for (int d = 0; d < 3; ++d)
          x[d] = (at[d] + 0.5 + jitter * (hashed(number, static_cast<std::uint64_t>(d)) - 0.5)) / n;
        if (static_cast<int>(number % static_cast<std::uint64_t>(size)) == rank && is_inside(x)) positions.push_back(x);
      }
  return positions;
}

/// The ball of paper-sized timings: its diameter is 0.7 of the box's width. With 128 cells it has 3.0 million
/// particles.
inline std::vector<Vec3> ball(int cells, int rank = 0, int size = 1) {
  const Vec3 center = Vec3::Constant(0.5 * cells);
  const double radius = 0.35 * cells;
  return seeded(
      Vec3i::Constant(cells), 2, 1.0, [&](const Vec3& x) { return (x - center).squaredNorm() < radius * radius; }, rank,
      size);
}

}  // namespace freshet::test
