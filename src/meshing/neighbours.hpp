// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <vector>

namespace freshet::meshing {

/// The particles near a particle, in groups of `group_size`; far points, which no kernel reaches, fill the last group
/// up. Sums are formed lane by lane, so that their bits depend on the order of the particles only.
struct Neighbours {
  static constexpr int group_size = 8;
  using Group = Eigen::Array<float, group_size, 1>;

  std::vector<float> x, y, z;  ///< positions [lattice cells]

  void clear() {
    x.clear();
    y.clear();
    z.clear();
  }
  void add(float at_x, float at_y, float at_z) {
    x.push_back(at_x);
    y.push_back(at_y);
    z.push_back(at_z);
  }
  void fill_up() {
    while (x.size() % static_cast<std::size_t>(group_size) != 0) add(1e6F, 1e6F, 1e6F);
  }
};

/// 1 where the kernel reaches a neighbour (s < 1), exactly 0 at its edge and beyond.
/// \param[in] s2  s^2; s is the distance over the kernel's radius
inline Neighbours::Group reached(const Neighbours::Group& s2) {
  return ((1.0F - s2).max(0.0F) * 1e30F).min(1.0F);  // Eigen's select() would not be vectorized
}

/// w = 1 - s^3 where the kernel reaches, exactly 0 elsewhere.
///
/// s^2 alone decides whether the kernel reaches a neighbour: a root that is off by one unit in the last place would
/// give neighbours at the edge, and the far points that fill a group, a weight of 6e-8.
/// \param[in] s2, s  s^2 and s, cut at 1
inline Neighbours::Group weights_of(const Neighbours::Group& s2, const Neighbours::Group& s) {
  return reached(s2) * (1.0F - s2 * s);
}
inline Neighbours::Group weights_of(const Neighbours::Group& s2) {
  const Neighbours::Group within = s2.min(1.0F);
  Neighbours::Group s;
  for (int lane = 0; lane < Neighbours::group_size; ++lane) s[lane] = std::sqrt(within[lane]);  // vectorized everywhere
  return weights_of(within, s);
}

}  // namespace freshet::meshing
