// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/eddy_rates.hpp"
#include "freshet/turbulence/turbulence_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace freshet {
namespace {

using Gradient = std::array<double, 9>;

TEST(EddyRates, of_shear_is_the_rate_of_shear) {
  const Gradient g{0, 3, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(shear_rate(g.data()), 3.0);
  const Gradient h{0, 0, 0, 0, 0, 0, 0, -2, 0};
  EXPECT_DOUBLE_EQ(shear_rate(h.data()), 2.0);
}

TEST(EddyRates, vanish_in_irrotational_flow_and_in_solid_rotation) {
  const Gradient stretch{2, 1, 0, 1, -3, 4, 0, 4, 1};  // symmetric: no rotation
  EXPECT_EQ(shear_rate(stretch.data()), 0.0);
  EXPECT_EQ(wale_rate(stretch.data()), 0.0);
  const Gradient rotation{0, 2, -1, -2, 0, 3, 1, -3, 0};
  EXPECT_EQ(shear_rate(rotation.data()), 0.0);
}

TEST(EddyRates, of_wale_vanish_in_pure_shear) {
  for (const std::size_t n : {1U, 2U, 3U, 5U, 6U, 7U}) {
    Gradient g{};
    g[n] = 5.0;
    EXPECT_EQ(wale_rate(g.data()), 0.0);
  }
  const Gradient rest{};
  EXPECT_EQ(wale_rate(rest.data()), 0.0);
}

/// By hand: g g = -w^2 diag(1, 1, 0); without its trace T = w^2 diag(-1/3, -1/3, 2/3), T:T = 2/3 w^4; S = 0.
TEST(EddyRates, of_wale_in_solid_rotation_is_worked_out_by_hand) {
  const double w = 3.0;
  const Gradient g{0, -w, 0, w, 0, 0, 0, 0, 0};
  EXPECT_NEAR(wale_rate(g.data()), std::pow(2.0 / 3.0, 0.25) * w, 1e-12);
}

/// By hand: g g = (a^2 - w^2) diag(1, 1, 0), T:T = 2/3 (a^2 - w^2)^2, S:S = 2 a^2, R:R = 2 w^2.
TEST(EddyRates, of_wale_in_plane_strain_with_some_rotation_is_worked_out_by_hand) {
  const double a = 0.5, w = 0.2;
  const Gradient g{a, -w, 0, w, -a, 0, 0, 0, 0};
  const double t = 2.0 / 3.0 * std::pow(a * a - w * w, 2), s = 2.0 * a * a;
  const double expected = w * w / (a * a) * std::pow(t, 1.5) / (std::pow(s, 2.5) + std::pow(t, 1.25));
  EXPECT_NEAR(wale_rate(g.data()), expected, 1e-12);
}

/// Near a wall u = y, v = y^2 and w = y with amplitudes that vary along the wall: nu_t falls with y^3 (Nicoud &
/// Ducros).
TEST(EddyRates, of_wale_fall_with_the_cube_of_the_distance_from_a_wall) {
  const auto near_wall = [](double y) {
    const Gradient g{0.3 * y, 1.0, 0.2 * y, 0.1 * y * y, -1.1 * y, 0.4 * y * y, 0.5 * y, 0.7, 0.8 * y};
    return wale_rate(g.data());
  };
  EXPECT_NEAR(near_wall(1e-3) / near_wall(1e-4), 1000.0, 1.0);
}

TEST(EddyRates, turn_with_the_axes) {
  const Gradient g{1, 2, 3, -4, 5, 6, 7, -8, -6};
  const Gradient turned{5, 6, -4, -8, -6, 7, 2, 3, 1};  // the axes are y, z, x
  EXPECT_NEAR(shear_rate(g.data()), shear_rate(turned.data()), 1e-12);
  EXPECT_NEAR(wale_rate(g.data()), wale_rate(turned.data()), 1e-12);
}

TEST(TurbulenceOptions, have_the_published_constants) {
  EXPECT_EQ(default_constant(TurbulenceModel::smagorinsky), 0.17);
  EXPECT_EQ(default_constant(TurbulenceModel::wale), 0.5);
  EXPECT_EQ(default_constant(TurbulenceModel::mixing_length), 0.4);
}

}  // namespace
}  // namespace freshet
