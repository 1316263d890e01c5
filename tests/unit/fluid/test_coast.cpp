// SPDX-License-Identifier: Apache-2.0
// Absorbing zones and wind.
#include "freshet/fluid/absorber.hpp"
#include "freshet/fluid/surface_shear.hpp"
#include "freshet/fluid/wind.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

/// One block of 8^3 cells of 0.5 m, with a velocity and its labels.
struct Box {
  Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5);
  BlockLayout layout{world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)};
  FaceField<double> before{layout, 0.0};
  FaceField<double> after{layout, 0.0};
  LabelField labels{layout, Label::liquid};
  FaceField<double> weight{layout, 0.0};  ///< of 8 particles a cell

  explicit Box(const Vec3& u) {
    for (int d = 0; d < 3; ++d) {
      before[d].fill(u[d]);
      after[d].fill(u[d]);
      weight[d].fill(8.0);
    }
    labels.fill(Label::liquid);
  }
  void apply(const ForceTerm& force, double dt) {
    force.apply({.velocity = before, .labels = labels, .time = 0.0, .weight = &weight, .particles_per_cell = 8.0}, dt,
                after);
  }
  /// Air above y = 2.5 m + 0.5 m part, and the weights of faces along x and z as the deposit spreads the particles
  /// below.
  void fill(double part) {
    const double above = 0.5 + part;  // the middle of the uppermost cells of liquid, to the surface
    const double filled[8] = {1.0, 1.0, 1.0, 1.0, 0.5 + above - 0.5 * above * above, 0.5 * above * above};
    for (int c = 0; c < 512; ++c) {
      const int j = c / 8 % 8;
      if (j >= 5) labels.block(0)[c] = Label::air;
      for (const int d : {0, 2}) weight[d].block(0)[c] = 8.0 * filled[j];
    }
  }
  double at(int d, int i, int j, int k) const { return after[d].block(0)[i + 8 * (j + 8 * k)]; }
};

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
  FluidOptions fluid;
  fluid.wind.velocity = {3.0, 7.0, 4.0};  // 5 m/s along the surface
  fluid.wind.drag = 0.002;
  for (const double part : {-0.4, -0.2, 0.0, 0.3}) {  // of a cell, by which the surface lies above the face
    Box box({0.0, 0.0, 0.0});
    box.fill(part);
    const Wind wind(box.domain, fluid);
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
  FluidOptions fluid;
  fluid.wind.velocity = {3.0, 0.0, 0.0};
  box.apply(Wind(box.domain, fluid), 0.1);
  for (int c = 0; c < 512; ++c) EXPECT_EQ(box.after[0].block(0)[c], 3.0);
}

TEST(SurfaceShear, faces_in_the_air_keep_what_the_deposit_has_beyond_the_liquid) {
  for (const double part : {0.0, 0.4}) {  // the face in the air has the particles of 1/8 and of 0.4 cells
    Box box({2.5, 0.0, 0.0});             // u^{n+1}
    box.fill(part);
    FaceField<double> continued(box.layout, 0.0);
    continued.fill(2.0);
    FaceField<double> velocity(box.layout, 0.0);
    velocity.fill(3.0);  // the deposit's
    keep_surface_shear({box.labels, box.weight, 8.0, continued, box.before}, velocity);
    const auto at = [&](int j) { return velocity[0].block(0)[4 + 8 * (j + 8 * 4)]; };
    EXPECT_EQ(at(4), 2.5) << "liquid";
    EXPECT_EQ(at(5), part > 0.0 ? 3.5 : 2.5) << "air next to it";
    EXPECT_EQ(at(6), 2.5) << "no particles";
  }
}

}  // namespace
}  // namespace freshet
