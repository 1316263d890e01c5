// SPDX-License-Identifier: Apache-2.0
// Bodies that the liquid moves and that close it off from the air, or that it lets go of.
// ranks: 1 2 3
// timeout: 600
// nightly: 3
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double g = 9.81;
constexpr double dx = 0.05;
constexpr double load = 1.6 / 0.6;  ///< width of the piston, which reaches into the walls, over that of its shaft

/// A shaft of 12 x 24 cells with water up to a height, and a piston that fills its width. [m]
std::string piston(double water, double lower, double upper, double density, const std::string& more) {
  return case_text({12, 24}, dx, test::reproducible) + "[pressure]\ntolerance = 1e-9\n" + more +
         fmt::format(R"([[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, {}]
[[solid]]
shape = "box"
lower = [-0.5, {}]
upper = [1.1, {}]
body.density = {}
body.fixed = ["x", "rz"]
body.contact = false
)",
                     water, lower, upper, density);
}

/// p / (rho g) at the middle of the shaft's width. [m] Collective
double head_at(const Simulation& simulation, double height) {
  const BlockLayout& layout = simulation.layout();
  const auto cell = static_cast<int>(std::floor(height / dx));
  double found = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      if (layout.first_cell(b) + Vec3i(c % 8, c / 8, 0) == Vec3i(6, cell, 0)) found = simulation.pressure().block(b)[c];
  return world().sum(found) / (1000.0 * g);  // the others found 0
}

/// The water under the piston has no other side to go to: nothing moves, and it carries the piston and the water above.
TEST(BodiesInDucts, water_that_a_piston_seals_carries_it) {
  for (const double density : {200.0, 3000.0}) {
    Simulation simulation(world(), make_case(piston(1.0, 0.4, 0.6, density, "")));
    simulation.advance(0.002);
    const double speed = simulation.free_bodies().report(0).velocity.norm();
    const double under = head_at(simulation, 0.38), expected = 0.4 + 0.2 * load * density / 1000.0 + 0.025;
    report("piston: speed over g dt, head under it", {speed / (g * 0.002), under, expected});
    EXPECT_LT(speed, 1e-6 * g * 0.002);
    EXPECT_NEAR(under, expected, 0.05 * dx);  // particles tell the height of the surface
    EXPECT_EQ(simulation.report().projection.solve.sealed_bodies, 0);
  }
}

/// Water on both sides, and no air: the pressure is known up to one constant for both, and their difference holds the
/// piston.
TEST(BodiesInDucts, a_piston_between_sealed_waters_holds_its_place) {
  Simulation simulation(world(), make_case(piston(2.0, 0.4, 0.6, 3000.0, test::sticky_walls)));
  simulation.advance(0.002);
  const double speed = simulation.free_bodies().report(0).velocity.norm();
  const double difference = head_at(simulation, 0.38) - head_at(simulation, 0.63);
  report("piston between waters: speed over g dt, difference of heads", {speed / (g * 0.002), difference});
  EXPECT_LT(speed, 1e-6 * g * 0.002);
  EXPECT_NEAR(difference, 0.6 * load + 0.05, 1e-4);  // the cells' centres lie half a cell above and below
  EXPECT_EQ(simulation.report().projection.solve.sealed_bodies, 1);
}

/// A body that lies wholly in sealed water cannot make room in it: it sinks as the one in the open does.
TEST(BodiesInDucts, a_body_in_sealed_water_does_not_feel_the_constant) {
  const auto sink = [](double water) {
    std::string text = piston(water, 0.4, 0.6, 3000.0, "");
    text.replace(text.find("lower = [-0.5"), 13, "lower = [0.2");
    text.replace(text.find("upper = [1.1"), 12, "upper = [0.4");
    Simulation simulation(world(), make_case(text));
    simulation.advance(0.002);
    return simulation.free_bodies().report(0).velocity.y() / (g * 0.002);
  };
  const double open = sink(1.15), sealed = sink(2.0);
  report("sinking: a/g under air, in a full box", {open, sealed});
  EXPECT_LT(sealed, -0.2);
  EXPECT_NEAR(sealed / open, 1.0, 0.05);
}

/// A box with its bottom under water, pulled up by ten times its weight: the water lets go of its bottom at once.
TEST(BodiesInDucts, water_lets_go_of_a_body_that_is_pulled_out) {
  for (const char* surface : {"fractions", "voxels"}) {
    const auto pull = [&](const std::string& wall) {
      Simulation simulation(world(), make_case(case_text({32, 24}, dx, test::reproducible) +
                                               fmt::format(R"([pressure]
tolerance = 1e-9
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 0.5]
[[solid]]
shape = "box"
lower = [0.5, 0.45]
upper = [1.1, 0.75]
surface = "{}"
wall = "{}"
body.density = 500
body.force = [0, {}]
)",
                                                           surface, wall, 10.0 * g * 500.0 * 0.6 * 0.3)));
      simulation.advance(0.001);
      if (wall == "separating") {
        EXPECT_GT(simulation.report().projection.separated_faces, 0) << surface;
      }
      return simulation.free_bodies().report(0).velocity.y() / (9.0 * g * 0.001);
    };
    const double held = pull("sticky"), let_go = pull("separating");
    report("pulled out: acceleration over that in air, sticky and separating", {held, let_go});
    EXPECT_LT(held, 0.9);
    EXPECT_NEAR(let_go, 1.0, 0.01);
  }
}

}  // namespace
}  // namespace freshet
