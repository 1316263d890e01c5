// SPDX-License-Identifier: Apache-2.0
#include "meshing/neighbours.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using meshing::Neighbours;
using Group = Neighbours::Group;

TEST(Neighbours, weights_at_the_edge_of_the_kernel_and_beyond_are_0) {
  const float next = std::nextafter(1.0F, 2.0F);
  Group s2;
  s2 << 1.0F, next, 1.5F, 3e12F, std::numeric_limits<float>::infinity(), 0.0F, 0.25F, std::nextafter(1.0F, 0.0F);
  const Group w = meshing::weights_of(s2), reached = meshing::reached(s2);
  for (int lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(w[lane] > 0.0F, lane > 4) << s2[lane];
    EXPECT_EQ(reached[lane], lane > 4 ? 1.0F : 0.0F) << s2[lane];
  }
  EXPECT_EQ(w[0], 0.0F);
  EXPECT_EQ(w[5], 1.0F);
  EXPECT_EQ(w[6], 0.875F);
}

TEST(Neighbours, a_root_that_is_too_small_does_not_widen_the_kernel) {
  const Group root = Group::Constant(0.99999994F);  // what some processors' approximate roots give for 1
  EXPECT_TRUE((meshing::weights_of(Group::Ones(), root) == 0.0F).all());
}

TEST(Neighbours, places_that_fill_up_a_group_have_no_weight) {
  for (int n = 0; n <= 9; ++n) {
    Neighbours near;
    for (int m = 0; m < n; ++m) near.add(0.1F * static_cast<float>(m), 0.0F, 0.5F);
    near.fill_up();
    ASSERT_EQ(near.x.size() % Neighbours::group_size, 0U);
    float n_reached = 0.0F, sum = 0.0F, expected = 0.0F;
    for (std::size_t group = 0; group < near.x.size(); group += Neighbours::group_size) {
      const auto of = [group](const std::vector<float>& values) {
        return Eigen::Map<const Group>(values.data() + group);
      };
      const Group s2 = of(near.x).square() + of(near.y).square() + of(near.z).square();
      n_reached += meshing::reached(s2).sum();
      sum += meshing::weights_of(s2).sum();
    }
    for (int m = 0; m < n; ++m) expected += 1.0F - std::pow(std::hypot(0.1F * static_cast<float>(m), 0.5F), 3.0F);
    EXPECT_EQ(n_reached, static_cast<float>(n));
    EXPECT_NEAR(sum, expected, 1e-6F) << n;  // rounding of nine terms below 1
  }
}

/// Eigen's approximate roots (EIGEN_FAST_MATH) miss every other number by a unit in the last place, on each processor
/// differently.
TEST(Neighbours, roots_of_eigen_are_the_roots_of_the_processor) {
  for (int n = 0; n < 1000; n += Neighbours::group_size) {
    const Group x = Group::LinSpaced(static_cast<float>(n + 1), static_cast<float>(n + Neighbours::group_size)) * 1e-3F;
    const Group root = x.sqrt();
    for (int lane = 0; lane < Neighbours::group_size; ++lane) ASSERT_EQ(root[lane], std::sqrt(x[lane])) << x[lane];
  }
}

}  // namespace
}  // namespace freshet
