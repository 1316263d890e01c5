// SPDX-License-Identifier: Apache-2.0
// nightly: 2 4 8
// What sources bring into air, and when.
// timeout: 600
#include "source_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace freshet::test {
namespace {

TEST(Sources, an_inflow_brings_its_volume_whatever_the_steps_and_ranks) {
  const double rate = 0.02;  // [m^3/s]
  const Parameters parameters = make_case(tank(R"(
[[source]]
shape = "cylinder"
start = [0.2, 0.6, 0.4]
end = [0.3, 0.6, 0.4]
radius = 0.15
rate = 0.02
direction = [1, 0, 0]
jitter = 0.5
)"));
  Simulation simulation(world(), parameters);
  EXPECT_EQ(simulation.report().particles, 0) << "a run may start without liquid";
  const double time = 0.31;
  run_until(simulation, time);
  const auto expected = static_cast<GlobalIndex>(rate * time / particle_volume(simulation));
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), static_cast<double>(expected), 1.0);  // rounding of t
  EXPECT_EQ(simulation.numbers().emitted, simulation.report().particles);
  EXPECT_EQ(simulation.numbers().next_id, simulation.report().particles);
}

TEST(Sources, a_jet_without_gravity_keeps_its_velocity_and_density) {
  for (const double low : {0.2, 0.0}) {  // in the air, and out of a wall
    Simulation simulation(world(), make_case(tank(jet_from(low))));
    run_until(simulation, 0.25);
    ASSERT_GT(simulation.report().particles, 1000);
    double slowest = 1e9;
    double fastest = 0.0;
    double aside = 0.0;
    std::map<std::array<int, 3>, int> n_in_cell;
    for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
      slowest = std::min(slowest, u.x());
      fastest = std::max(fastest, u.x());
      aside = std::max(aside, std::max(std::abs(u.y()), std::abs(u.z())));
      const Vec3i cell = (x / dx).array().floor().cast<int>();
      ++n_in_cell[{cell.x(), cell.y(), cell.z()}];
    });
    double cells = 0.0;
    double particles = 0.0;
    for (const auto& [cell, n] : n_in_cell) {
      if (cell[0] < 7 || cell[0] > 10) continue;  // away from the ends, all of whose cells are full
      cells += 1.0;
      particles += n;
    }
    // In the air exact but for single precision; faces of a wall share the inflow as rays hit them, alike to 0.2 %.
    const double bound = low > 0.0 ? 1e-6 : 6e-3;
    report("jet: slowest, fastest, aside [m/s]", {world().min(slowest), world().max(fastest), world().max(aside)});
    EXPECT_GT(world().min(slowest), 2.0 - bound) << low;
    EXPECT_LT(world().max(fastest), 2.0 + bound) << low;
    EXPECT_LT(world().max(aside), bound) << low;
    const double density = world().sum(particles) / world().sum(cells);
    report("particles a cell, cells", {density, world().sum(cells)});
    EXPECT_NEAR(density, 8.0, 0.03) << low;  // one particle of 384 was elsewhere
  }
}

/// Nothing that should come is lost where there is no free place for it.
TEST(Sources, that_blow_against_a_wall_bring_all_that_they_should) {
  Simulation simulation(world(), make_case(tank(R"(
[[source]]
shape = "box"
lower = [1.59999, 0.5, 0.3]
upper = [1.6, 0.7, 0.5]
velocity = [2, 0, 0]
jitter = 1
)")));
  run_until(simulation, 0.1);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), 2.0 * 0.04 * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, that_fill_the_same_place_fill_it_once) {
  const std::string region =
      "[[source]]\nmode = \"fill\"\nshape = \"box\"\nlower = [0.4, 0.8, 0.2]\nupper = [0.8, 1.0, 0.6]\n";
  const std::string wider =
      "[[source]]\nmode = \"fill\"\nshape = \"box\"\nlower = [0.4, 0.8, 0.2]\nupper = [0.8, 1.1, 0.6]\n";
  Simulation simulation(world(), make_case(tank(region + region + wider)));
  simulation.advance(1e-3);
  EXPECT_EQ(simulation.report().particles, 8 * 6 * 8 * 8);
  simulation.advance(1e-3);
  EXPECT_EQ(simulation.report().volume_drift, 0.0);  // what came is liquid that should be there
}

TEST(Sources, a_schedule_turns_it_on_and_off) {
  const std::string text = tank(jet_from(0.2) + "schedule = [[0.05, 0.1], [0.15, 0.2]]\n");
  Simulation simulation(world(), make_case(text));
  run_until(simulation, 0.04);
  EXPECT_EQ(simulation.report().particles, 0);
  EXPECT_TRUE(simulation.awaits_liquid());
  run_until(simulation, 0.1);
  const double once = static_cast<double>(simulation.report().particles);
  run_until(simulation, 0.14);
  EXPECT_EQ(static_cast<double>(simulation.report().particles), once);
  run_until(simulation, 0.25);
  EXPECT_FALSE(simulation.awaits_liquid());
  const double rate = 2.0 * 0.2 * 0.2;
  EXPECT_NEAR(once, rate * 0.05 / particle_volume(simulation), 1.0);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), rate * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, a_pressure_gives_the_speed_of_bernoulli) {
  const std::string text = tank(R"(
[[source]]
shape = "box"
lower = [0.2, 0.5, 0.3]
upper = [0.3, 0.7, 0.5]
pressure = 2000
direction = [3, 0, 0]
)");
  Simulation simulation(world(), make_case(text));
  run_until(simulation, 0.1);
  EXPECT_NEAR(simulation.report().sums.max_speed, 2.0, 1e-6);  // velocities in single precision
  EXPECT_NEAR(static_cast<double>(simulation.report().particles), 2.0 * 0.04 * 0.1 / particle_volume(simulation), 1.0);
}

TEST(Sources, a_fill_keeps_its_shape_full) {
  const std::string text = tank(R"(
[[source]]
shape = "box"
mode = "fill"
lower = [0.4, 0.8, 0.2]
upper = [0.8, 1.0, 0.6]
velocity = [0, -1, 0]
)");
  Simulation simulation(world(), make_case(text));
  simulation.advance(1e-3);
  EXPECT_EQ(simulation.report().particles, 8 * 4 * 8 * 8);
  run_until(simulation, 0.1);
  const auto before = static_cast<double>(simulation.report().particles);
  run_until(simulation, 0.7);
  // As much again and again as has left: velocity x area x time, and whole layers of sub-cells at both times.
  const double expected = 1.0 * 0.6 * 0.16 / particle_volume(simulation);
  EXPECT_NEAR(static_cast<double>(simulation.report().particles) - before, expected, 0.01 * expected);
}

}  // namespace
}  // namespace freshet::test
