// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/friction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

constexpr double kappa = 0.4;

/// y+ for u+ by the law of Spalding (1961), eq. 6.
double spalding(double u_plus) {
  const double k = kappa * u_plus;
  return u_plus + std::exp(-kappa * 5.5) * (std::exp(k) - 1.0 - k - k * k / 2.0 - k * k * k / 6.0);
}

/// u+ for y+ by the law of Reichardt (1951).
double reichardt(double y_plus) {
  return std::log1p(kappa * y_plus) / kappa +
         7.8 * (1.0 - std::exp(-y_plus / 11.0) - y_plus / 11.0 * std::exp(-y_plus / 3.0));
}

/// u+ for y+ as the integral of van Driest's (1956) mixing length.
double van_driest(double y_plus) {
  constexpr int n = 20000;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double y = (i + 0.5) * y_plus / n;
    const double length = kappa * y * (1.0 - std::exp(-y / 26.0));
    sum += 2.0 / (1.0 + std::sqrt(1.0 + 4.0 * length * length)) * y_plus / n;
  }
  return sum;
}

TEST(Friction, of_smooth_walls_inverts_the_law_of_spalding) {
  constexpr double friction = 0.05, viscosity = 1e-6;  // [m/s], [m^2/s]
  for (const double u_plus : {1e-3, 0.1, 1.0, 5.0, 11.0, 15.0, 20.0, 30.0, 50.0}) {
    const double y = spalding(u_plus) * viscosity / friction;
    EXPECT_NEAR(friction_velocity(u_plus * friction, y, viscosity, 0.0), friction, 1e-9 * friction) << u_plus;
  }
}

TEST(Friction, of_smooth_walls_is_near_that_of_other_laws) {
  constexpr double friction = 0.05, viscosity = 1e-6;
  for (const double y_plus : {1.0, 5.0, 12.0, 30.0, 100.0, 300.0, 1000.0, 1e4}) {
    const double y = y_plus * viscosity / friction;
    // the laws differ by up to 5 % in the buffer layer
    EXPECT_NEAR(friction_velocity(reichardt(y_plus) * friction, y, viscosity, 0.0), friction, 0.05 * friction)
        << y_plus;
    EXPECT_NEAR(friction_velocity(van_driest(y_plus) * friction, y, viscosity, 0.0), friction, 0.05 * friction)
        << y_plus;
  }
}

TEST(Friction, is_that_of_a_linear_profile_within_the_viscous_layer) {
  constexpr double viscosity = 1e-3, y = 1e-3, speed = 1.0;  // y+ = 1
  EXPECT_NEAR(friction_velocity(speed, y, viscosity, 0.0), std::sqrt(viscosity * speed / y), 1e-3);
}

TEST(Friction, of_rough_walls_without_viscosity_is_that_of_nikuradse) {
  constexpr double friction = 0.2, roughness = 0.01;
  for (const double y : {0.001, 0.01, 0.1, 1.0, 10.0}) {
    const double speed = friction / kappa * std::log1p(30.0 * y / roughness);
    EXPECT_NEAR(friction_velocity(speed, y, 0.0, roughness), friction, 1e-11) << y;
  }
}

/// Colebrook (1939): the logarithm's argument is 1 / (e^(-kappa B) / y+ + k_s / (30 y)).
TEST(Friction, between_smooth_and_rough_follows_colebrook) {
  constexpr double viscosity = 1e-6, y = 0.02, friction = 0.05;
  const double y_plus = y * friction / viscosity;
  for (const double grain_plus : {1.0, 5.0, 20.0, 70.0, 200.0}) {
    const double roughness = grain_plus * viscosity / friction;
    const double argument = 1.0 / (std::exp(-kappa * 5.5) / y_plus + roughness / (30.0 * y));
    const double found = friction_velocity(friction / kappa * std::log(argument), y, viscosity, roughness);
    EXPECT_NEAR(found, friction, 2e-3 * friction) << grain_plus;  // u+ is 2 % of y+ at most, beyond the logarithm
  }
}

TEST(Friction, grows_with_roughness_and_viscosity) {
  double last = 0.0;
  for (const double roughness : {0.0, 1e-6, 1e-4, 1e-2, 1.0}) {
    const double found = friction_velocity(1.0, 0.01, 1e-6, roughness);
    EXPECT_GT(found, last);
    last = found;
  }
  last = 0.0;
  for (const double viscosity : {0.0, 1e-9, 1e-6, 1e-3, 1.0}) {
    const double found = friction_velocity(1.0, 0.01, viscosity, 1e-4);
    EXPECT_GT(found, last);
    last = found;
  }
}

TEST(Friction, meets_its_law_at_all_magnitudes) {
  for (double speed = 1e-12; speed < 1e6; speed *= 1e3)
    for (double y = 1e-6; y < 1e4; y *= 1e2)
      for (const double viscosity : {0.0, 1e-9, 1e-3, 1e3})
        for (const double roughness : {0.0, 1e-7, 1e-2, 1e3}) {
          if (viscosity == 0.0 && roughness == 0.0) continue;
          const double friction = friction_velocity(speed, y, viscosity, roughness);
          ASSERT_GT(friction, 0.0);
          const double u_plus = speed / friction;
          const double rough = roughness / (30.0 * y) * std::expm1(kappa * u_plus);
          const double smooth = viscosity * spalding(u_plus) / (y * friction);
          EXPECT_NEAR(rough + smooth, 1.0, 1e-6) << speed << " " << y << " " << viscosity << " " << roughness;
        }
}

TEST(Friction, vanishes_at_rest) {
  EXPECT_EQ(friction_velocity(0.0, 0.1, 1e-6, 0.0), 0.0);
}

}  // namespace
}  // namespace freshet
