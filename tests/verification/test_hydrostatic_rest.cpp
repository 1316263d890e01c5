// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"
#include "support/nightly.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace freshet {
namespace {

using test::make_case;
using test::sticky_walls;
using test::uncorrected;
using test::world;

constexpr double g = 9.81;
constexpr double rho = 1000.0;

std::string pool(int dimension, double tolerance, double height = 0.6, const std::string& surface = "voxels",
                 const std::string& fluid = "") {
  const std::string cells = dimension == 2 ? "[24, 20]" : "[12, 20, 10]";
  const std::string box = dimension == 2 ? fmt::format("lower = [-1, -1]\nupper = [9, {}]\n", height)
                                         : fmt::format("lower = [-1, -1, -1]\nupper = [9, {}, 9]\n", height);
  const std::string gravity = dimension == 2 ? "[0, -9.81]" : "[0, -9.81, 0]";
  return "[run]\nend_time = 10\n[domain]\ndimension = " + std::to_string(dimension) + "\ncells = " + cells +
         "\ncell_size = 0.05\n[fluid]\n" + fluid + "gravity = " + gravity + "\n[[liquid]]\nshape = \"box\"\n" + box +
         "[pressure]\ntolerance = " + std::to_string(tolerance) + "\n[labels]\nsurface = \"" + surface + "\"\n";
}

class HydrostaticRest : public ::testing::TestWithParam<int> {};

TEST_P(HydrostaticRest, liquid_stays_at_rest_for_500_steps_and_the_floor_carries_its_weight) {
  const Parameters parameters = make_case(pool(GetParam(), 1e-6) + uncorrected + sticky_walls);
  Simulation simulation(world(), parameters);
  for (int n = 0; n < 500; ++n) simulation.advance(simulation.largest_dt());

  // what 500 projections leave stays at the solver's tolerance of the scale sqrt(g H): errors do not add up
  const double bound = 1e-6 * std::sqrt(g * 0.6);
  test::report("largest speed [m/s], bound", {simulation.report().sums.max_speed, bound});
  EXPECT_LT(simulation.report().sums.max_speed, bound);
  EXPECT_EQ(simulation.report().liquid_cells, simulation.initial_liquid_cells());

  // p = rho g (H - y) at the centre of the lowest cells, H = 0.6 m, within half a cell
  double largest_error = 0.0;
  const BlockLayout& layout = simulation.layout();
  const int n_z = layout.domain().block_cells().z();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    if (layout.block_coords(b).y() != 0) continue;
    for (int k = 0; k < n_z; ++k)
      for (int i = 0; i < 8; ++i) {
        const Vec3i cell = layout.first_cell(b) + Vec3i(i, 0, k);
        if (!simulation.domain().contains_cell(cell)) continue;
        const double p = simulation.pressure().block(b)[i + 64 * k];
        largest_error = std::max(largest_error, std::abs(p - rho * g * (0.6 - 0.025)));
      }
  }
  EXPECT_LE(world().max(largest_error), rho * g * 0.025 * 1.0001);  // the surface sits at most half a cell off
  EXPECT_GT(simulation.report().sums.count, 0);
}

/// Particles stand at random places, but the surface that they show at the start is that of the box.
TEST_P(HydrostaticRest, liquid_at_a_level_set_comes_to_rest_wherever_its_surface_lies_in_a_cell) {
  for (const double height : test::nightly() ? std::vector{0.6, 0.61, 0.64} : std::vector{0.61}) {
    Simulation simulation(world(), make_case(pool(GetParam(), 1e-6, height, "level_set") + uncorrected));
    double fastest = 0.0;
    for (int n = 0; n < 120; ++n) {
      simulation.advance(simulation.largest_dt());
      fastest = std::max(fastest, simulation.report().sums.max_speed);
    }
    const double scale = std::sqrt(g * height);
    test::report("height [m], largest speed, that after 8 s, over sqrt(g H)",
                 {height, fastest / scale, simulation.report().sums.max_speed / scale});
    EXPECT_LT(fastest, 4e-3 * scale) << height;  // 0.05 if particles stay where chance put them
    EXPECT_LT(simulation.report().sums.max_speed, 2e-4 * scale) << height;
  }
}

/// The density that chance made of the particles is evened out before the first step, not by it.
TEST_P(HydrostaticRest, liquid_at_a_level_set_that_is_kept_at_its_density_comes_to_rest) {
  for (const double height : test::nightly() ? std::vector{0.6, 0.61, 0.63} : std::vector{0.63}) {
    Simulation simulation(
        world(), make_case(pool(GetParam(), 1e-6, height, "level_set") + "[density]\ncorrection = \"implicit\"\n"));
    double fastest = 0.0;
    for (int n = 0; n < 120; ++n) {
      simulation.advance(simulation.largest_dt());
      fastest = std::max(fastest, simulation.report().sums.max_speed);
    }
    const double scale = std::sqrt(g * height);
    test::report("height [m], largest speed, that after 8 s, over sqrt(g H)",
                 {height, fastest / scale, simulation.report().sums.max_speed / scale});
    EXPECT_LT(fastest, 8e-3 * scale) << height;  // 0.02 to 0.04 if the steps do it
    EXPECT_LT(simulation.report().sums.max_speed, 1e-3 * scale) << height;
  }
}

/// Walls without slip hold a viscous liquid back that the pressure has not stopped yet: what that leaves must not add
/// up.
TEST_P(HydrostaticRest, viscous_liquid_stays_at_rest_whatever_its_walls_and_its_surface) {
  const std::string no_slip =
      "[domain.boundary]\nx_low = \"no_slip\"\nx_high = \"no_slip\"\ny_low = \"no_slip\"\ny_high = \"no_slip\"\n";
  const std::string separating = "[pressure.walls]\ncondition = \"separating\"\n";
  const std::string lattice = "[particles]\njitter = 0.0\n";  // with its surface at 0.6 m
  struct Case {
    const char* name;
    std::string surface, fluid, more;
  };
  for (const Case& c :
       {Case{"sticky walls", "voxels", "", sticky_walls}, Case{"separating walls", "voxels", "", separating},
        Case{"separating walls, level set", "level_set", "", separating + lattice},
        Case{"tension", "level_set", "surface_tension = 0.07\n", sticky_walls + lattice},
        Case{"tension, separating walls", "level_set", "surface_tension = 0.07\n", separating + lattice}}) {
    Simulation simulation(world(), make_case(pool(GetParam(), 1e-6, 0.6, c.surface, "viscosity = 1.0\n" + c.fluid) +
                                             no_slip + uncorrected + c.more));
    for (int n = 0; n < 60; ++n) simulation.advance(simulation.largest_dt());
    const double speed = simulation.report().sums.max_speed / std::sqrt(g * 0.6);
    test::report(c.name, {speed});  // over sqrt(g H)
    EXPECT_LT(speed, 2e-5) << c.name;
    EXPECT_EQ(simulation.report().liquid_cells, simulation.initial_liquid_cells()) << c.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, HydrostaticRest, ::testing::Values(2, 3),
                         [](const auto& info) { return std::to_string(info.param) + "d"; });

}  // namespace
}  // namespace freshet
