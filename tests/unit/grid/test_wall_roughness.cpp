// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/wall_roughness.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

TEST(WallRoughness, is_that_of_the_case) {
  EXPECT_EQ((WallRoughness{0.003, 0.0}.sand_grains()), 0.003);
  EXPECT_EQ(WallRoughness{}.sand_grains(), 0.0);
}

/// The mean of u_tau ln(30 y / k_s) / kappa over the depth h is u_tau ln(30 h / (e k_s)) / kappa.
TEST(WallRoughness, of_mannings_coefficient_gives_mannings_mean_velocity) {
  constexpr double slope = 1e-3, gravity = 9.80665;
  for (const double n : {0.01, 0.015, 0.025})
    for (const double relative_depth : {10.0, 30.0, 100.0, 200.0}) {
      const double grains = WallRoughness{0.0, n}.sand_grains();
      const double h = relative_depth * grains;
      const double manning = std::pow(h, 2.0 / 3.0) * std::sqrt(slope) / n;
      const double law = std::sqrt(gravity * h * slope) / 0.4 * std::log(30.0 * relative_depth / std::exp(1.0));
      EXPECT_NEAR(law / manning, 1.0, 0.02) << n << " " << relative_depth;
    }
}

}  // namespace
}  // namespace freshet
