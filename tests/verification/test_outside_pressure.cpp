// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
// Liquid at rest outside the open sides of the domain.
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr double g = 9.81;
constexpr double rho = 1000.0;
constexpr double depth = 0.6;  // [m]
constexpr double dx = 0.05;    // [m]

/// A pool with open sides along x, and liquid outside of them up to `level` [m] above the floor.
std::string pool(int dimension, const std::string& surface, double level) {
  const std::string z = dimension == 2 ? "" : ", 10", zero = dimension == 2 ? "" : ", 0",
                    nine = dimension == 2 ? "" : ", 9";
  return fmt::format(
      "[run]\nend_time = 10\n[domain]\ndimension = {0}\ncells = [24, 20{1}]\ncell_size = {2}\n"
      "[domain.boundary]\nx_low = 'open'\nx_high = 'open'\n"
      "[fluid]\ngravity = [0, -9.81{3}]\n[fluid.outside_pressure]\nx_low = {4}\nx_high = {4}\n"
      "[[liquid]]\nshape = 'box'\nlower = [-1, -1{3}]\nupper = [9, {5}{6}]\n"
      "[particles]\njitter = 0\n[density]\ncorrection = 'off'\n[pressure.walls]\ncondition = "
      "'sticky'\n[labels]\nsurface = '{7}'\n[pressure]\ntolerance = "
      "1e-6\n",
      dimension, z, dx, zero, rho * g * level, depth, nine, surface);
}

double speed_after(int steps, const std::string& text, GlobalIndex& left) {
  Simulation simulation(world(), make_case(text));
  const GlobalIndex n = simulation.report().particles;
  for (int step = 0; step < steps; ++step) simulation.advance(std::min(simulation.largest_dt(), 0.01));
  left = n - simulation.report().particles;
  return simulation.report().sums.max_speed;
}

class OutsidePressure : public ::testing::TestWithParam<int> {};

TEST_P(OutsidePressure, of_a_level_as_high_as_inside_keeps_the_liquid_at_rest) {
  GlobalIndex left = 0;
  // with voxels p = 0 is at the centres of the cells above the surface
  const double speed = speed_after(50, pool(GetParam(), "voxels", depth + 0.5 * dx), left);
  EXPECT_LT(speed, 1e-6 * std::sqrt(g * depth));
  EXPECT_EQ(left, 0);
}

TEST_P(OutsidePressure, meets_the_surface_of_the_level_set_too) {
  GlobalIndex left = 0;
  const double speed = speed_after(50, pool(GetParam(), "level_set", depth), left);
  test::report("speed over sqrt(g H)", {speed / std::sqrt(g * depth)});
  EXPECT_LT(speed, 0.01 * std::sqrt(g * depth));
  EXPECT_EQ(left, 0);
}

TEST_P(OutsidePressure, difference_speeds_a_full_duct_up) {
  const bool flat = GetParam() == 2;
  const double p = 300.0;  // [Pa]
  Simulation simulation(
      world(),
      make_case(fmt::format("[run]\nend_time = 1\n[domain]\ndimension = {0}\ncells = [19, 8{1}]\ncell_size = {2}\n"
                            "[domain.boundary]\nx_low = 'open'\nx_high = 'open'\n"
                            "[fluid]\ngravity = [0, 0{3}]\n[fluid.outside_pressure]\nx_low = {4}\n"
                            "[[liquid]]\nshape = 'box'\nlower = [-1, -1{3}]\nupper = [9, 9{5}]\n"
                            "[labels]\nsurface = 'voxels'\n[density]\ncorrection = 'off'\n[pressure.walls]\ncondition "
                            "= 'sticky'\n[pressure]\ntolerance = 1e-10\n",
                            GetParam(), flat ? "" : ", 8", dx, flat ? "" : ", 0", p, flat ? "" : ", 9")));
  const double dt = 1e-3;  // [s]
  simulation.advance(dt);
  // the pressure falls from p to 0 between the centres of the cells outside: 20 cells
  const double speed = dt * p / (rho * 20.0 * dx);
  EXPECT_NEAR(simulation.report().sums.max_speed, speed, 1e-6 * speed);
  const double mass = rho * 19.0 * 8.0 * (flat ? 1.0 : 8.0) * dx * dx * dx;
  EXPECT_NEAR(simulation.report().sums.kinetic_energy, 0.5 * mass * speed * speed, 1e-5 * 0.5 * mass * speed * speed);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, OutsidePressure, ::testing::Values(2, 3),
                         [](const auto& info) { return std::to_string(info.param) + "d"; });

}  // namespace
}  // namespace freshet
