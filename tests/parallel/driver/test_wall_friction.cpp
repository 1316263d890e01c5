// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double dx = 0.02;
constexpr std::size_t viscous_force_x = 7, viscous_force_y = 8;  // columns of the force gauge

/// Water that slides along x at 1 m/s between two upright walls, with gravity along y.
std::string sliding_water(const std::string& splitting, const std::string& more) {
  return case_text({8, 14, 12}, dx) +
         "roughness = 0.001\nboundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\n"
         "boundary.z_low = \"wall_law\"\nboundary.z_high = \"wall_law\"\n[fluid]\nviscosity = 0.001\n"
         "[[liquid]]\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1, 0.2, 1]\nvelocity = [1, 0, 0]\n"
         "[[gauge]]\nname = \"wall\"\ntype = \"force\"\nside = \"z_low\"\n" +
         fmt::format("[time]\nsplitting = \"{}\"\n", splitting) + more;
}

/// Pressure balances gravity: walls that the water slides along have no part in it, and do not drive it up. With a
/// stress of u^n + g dt the force up the wall is 0.09 of that along it.
TEST(WallFriction, leaves_a_weight_at_rest_to_the_pressure) {
  for (const char* const splitting : {"first_order", "strang", "reflection"})
    for (const char* const model : {"none", "wale"}) {
      Simulation simulation(world(),
                            make_case(sliding_water(splitting, fmt::format("[turbulence]\nmodel = \"{}\"\n", model))));
      double along = 0.0, upward = 0.0;
      for (int step = 0; step < 20; ++step) {
        simulation.advance(0.01);
        along += simulation.gauges().values(0)[viscous_force_x] / 20.0;
        upward += simulation.gauges().values(0)[viscous_force_y] / 20.0;
      }
      report("water along upright walls: force along [N], upward over along", {along, upward / along});
      EXPECT_GT(along, 0.05) << splitting << " " << model;
      EXPECT_NEAR(upward / along, 0.0, 0.01) << splitting << " " << model;
    }
}

}  // namespace
}  // namespace freshet
