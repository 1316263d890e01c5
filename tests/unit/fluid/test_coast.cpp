// SPDX-License-Identifier: Apache-2.0
// Absorbing zones and wind.
#include "freshet/forces/absorber.hpp"
#include "freshet/forces/wind.hpp"
#include "support/water_box.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using Box = test::WaterBox;

TEST(AbsorbingZones, bring_the_velocity_to_theirs_exactly_over_any_step) {
  Box box({1.0, -2.0, 0.5});
  const AbsorberParameters zone{{1.0, -1.0, -1.0}, {3.0, 9.0, 9.0}, {5.0, 0.0, 0.0}, 7.0, {0.2, 0.0, 0.0}};
  const AbsorbingZones zones(box.domain, {zone});
  const double dt = 3.0;
  box.apply(zones, dt);
  EXPECT_EQ(box.at(0, 1, 3, 3), 1.0) << "before the zone";
  EXPECT_EQ(box.at(0, 7, 3, 3), 1.0) << "behind it";
  // the x face of cell 4 is at 2 m, halfway: rate 7 / 4
  EXPECT_NEAR(box.at(0, 4, 3, 3), 0.2 + 0.8 * std::exp(-7.0 / 4.0 * dt), 1e-14);
  // the y face of cell 3 is at 1.75 m
  EXPECT_NEAR(box.at(1, 3, 3, 3), -2.0 * std::exp(-7.0 * 0.375 * 0.375 * dt), 1e-14);
  EXPECT_DOUBLE_EQ(zones.largest_acceleration(0.0, 9.0), 7.0 * 0.2);
}

TEST(AbsorbingZones, become_stronger_from_corner_to_corner_and_their_rates_add_up) {
  const AbsorberParameters zone{{0, 0, 0}, {2, 2, 2}, {-1, -1, 0}, 3.0, Vec3::Zero()};
  EXPECT_DOUBLE_EQ(AbsorbingZones::rate(zone, {2, 2, 1}), 0.0);
  EXPECT_NEAR(AbsorbingZones::rate(zone, {0, 0, 1}), 3.0, 1e-14);
  EXPECT_NEAR(AbsorbingZones::rate(zone, {1, 1, 1}), 0.75, 1e-14);
  EXPECT_EQ(AbsorbingZones::rate(zone, {1, 1, 2.1}), 0.0);
}

TEST(Wind, gives_the_liquid_the_stress_times_the_area_of_its_surface) {
  WindOptions blowing;
  blowing.velocity = {3.0, 7.0, 4.0};  // 5 m/s along the surface
  blowing.drag = 0.002;
  for (const double part : {-0.4, -0.2, 0.0, 0.3}) {  // of a cell, by which the surface lies above the face
    Box box({0.0, 0.0, 0.0});
    box.fill(part);
    const Wind wind(blowing, box.domain, {});
    box.apply(wind, 0.1);
    double momentum[3] = {};
    for (int d = 0; d < 3; ++d)
      for (int c = 0; c < 512; ++c)
        momentum[d] += 1000.0 * 0.125 * box.weight[d].block(0)[c] / 8.0 * box.after[d].block(0)[c];
    const double area = 16.0;
    EXPECT_NEAR(momentum[0], 0.002 * 1.2 * 5.0 * 3.0 * area * 0.1, 1e-12) << part;
    EXPECT_EQ(momentum[1], 0.0);
    EXPECT_NEAR(momentum[2], 0.002 * 1.2 * 5.0 * 4.0 * area * 0.1, 1e-12) << part;
    EXPECT_EQ(box.at(0, 3, 3, 3), 0.0) << "below the surface's cells";
    EXPECT_GE(wind.largest_acceleration(0.0, 0.0), 0.002 * 1.2 / (1000.0 * 0.5) * 25.0);
  }
}

TEST(Wind, leaves_liquid_alone_that_moves_along_with_it) {
  Box box({3.0, 0.0, 0.0});
  box.fill(0.0);
  WindOptions blowing;
  blowing.velocity = {3.0, 0.0, 0.0};
  box.apply(Wind(blowing, box.domain, {}), 0.1);
  for (int c = 0; c < 512; ++c) EXPECT_EQ(box.after[0].block(0)[c], 3.0);
}

}  // namespace
}  // namespace freshet
