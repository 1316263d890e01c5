// SPDX-License-Identifier: Apache-2.0
// Trapped air whose walls reach far from all liquid.
// ranks: 1 3
// nightly: 3
// timeout: 600
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double dx = 0.05;

/// A cup of 12 cells' width and 40 cells' height, mouth down, in water 6 cells deep: its mouth is 3 cells deep.
/// \param[in] wall  thickness of its walls [cells] \param[in] of_solid  further keys of the solid
std::string cup(double wall, const std::string& of_solid) {
  const double out = wall * dx, low = 3 * dx, top = 43 * dx;
  return case_text({76, 88}, dx, test::reproducible) + fmt::format(R"([air]
bubbles = "compressible"
pressure = 1e5
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [9, {0}]
[[solid]]
shape = "difference"
parts = [
  {{ shape = "box", lower = [{1}, {2}], upper = [{3}, {4}] }},
  {{ shape = "box", lower = [1.6, -1.0], upper = [2.2, {5}] }},
]
{6}
)",
                                                                   6 * dx, 1.6 - out, low, 2.2 + out, top + out, top,
                                                                   of_solid);
}

/// The walls are thinner than a cell, some cells thick, and so thick that whole blocks lie inside them.
TEST(TallWalls, of_a_cup_part_its_air_from_the_atmosphere) {
  const double full = 12 * 37 * dx * dx * dx;  // [m^3]
  for (const std::string surface : {"surface = 'voxels'", "surface = 'fractions'"})
    for (const double wall : {0.3, 3.0, 20.0}) {
      SCOPED_TRACE(fmt::format("{}, {} cells", surface, wall));
      Simulation simulation(world(), make_case(cup(wall, surface)));
      for (int step = 0; step < 3; ++step) simulation.advance(0.01);
      ASSERT_EQ(simulation.air().bubbles().size(), 1U);
      const TrappedBubble& gas = simulation.air().bubbles()[0];
      report("cup: air inside over that of the cup", {gas.measured / full});
      EXPECT_NEAR(gas.measured / full, 1.0, 0.01);  // walls of 0.3 cells have no volume between cells of voxels
    }
}

/// A hole in the roof, which no block of the liquid sees, lets the air out.
TEST(TallWalls, with_a_hole_part_nothing) {
  std::string text = cup(3.0, "");
  const std::string last = "] },\n]";
  text.replace(text.find(last), last.size(),
               "] },\n  { shape = \"box\", lower = [1.8, 1.0], upper = [1.95, 4.0] },\n]");
  Simulation simulation(world(), make_case(text));
  simulation.advance(0.01);
  EXPECT_TRUE(simulation.air().bubbles().empty());
}

/// A piston above the water, which is at rest on the floor of a shaft, and a gas of `column` cells between them.
std::string piston(const std::string& surface, int column, double velocity) {
  return case_text({8, 60}, dx, test::reproducible) + fmt::format(R"([domain.boundary]
y_high = "open"
[fluid]
gravity = [0.0, 0.0]
[air]
bubbles = "compressible"
pressure = 1000.0
atmosphere = "open_sides"
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, {}]
[[solid]]
shape = "box"
surface = "{}"
lower = [-0.5, {}]
upper = [0.9, {}]
velocity = [0.0, {}]
)",
                                                                  4 * dx, surface, (4 + column) * dx, (8 + column) * dx,
                                                                  velocity);
}

/// The piston, near the water or far from it, squeezes the gas to 2/3.
TEST(TallWalls, that_move_squeeze_the_gas) {
  for (const std::string surface : {"voxels", "fractions"})
    for (const int column : {6, 36}) {
      SCOPED_TRACE(fmt::format("{}, {} cells", surface, column));
      Simulation simulation(world(), make_case(piston(surface, column, -1.0)));
      const double first = simulation.air().bubbles().at(0).volume, full = 8 * column * dx * dx * dx;  // [m^3]
      while (simulation.time() < column / 3 * dx - 1e-9) simulation.advance(0.02);
      ASSERT_EQ(simulation.air().bubbles().size(), 1U);
      const TrappedBubble& gas = simulation.air().bubbles()[0];
      const double law = 1000.0 * std::pow(1.5, 1.4);  // [Pa]
      report("piston: cells of gas, gas over that of these cells, volume and pressure over those of the gas law",
             {static_cast<double>(column), first / full, gas.volume / (full * 2 / 3), gas.pressure / law});
      // the seeded surface is some hundredths of a cell off
      EXPECT_NEAR(first / full, 1.0, 0.04 / column);
      EXPECT_NEAR(gas.rest_volume / first, 1.0, 1e-12);
      EXPECT_NEAR(gas.volume / (full * 2 / 3), 1.0, 0.08 / column);
      EXPECT_NEAR(gas.pressure / law, 1.0, 0.08 / column);
    }
}

/// A piston rises past a sink in its shaft: gas below it, which it has thinned, is that of the atmosphere from then on.
TEST(TallWalls, that_pass_a_sink_open_the_gas_to_it) {
  const std::string sink =
      fmt::format("[[sink]]\nshape = \"box\"\nlower = [0.1, {}]\nupper = [0.2, {}]\n", 46 * dx, 47 * dx);
  Simulation simulation(world(), make_case(piston("voxels", 36, 1.0) + sink));
  while (simulation.time() < 5 * dx - 1e-9) simulation.advance(0.025);
  ASSERT_EQ(simulation.air().bubbles().size(), 1U);
  EXPECT_NEAR(simulation.air().bubbles()[0].pressure, 1000.0 * std::pow(36.0 / 41.0, 1.4), 2.0);
  while (simulation.time() < 9 * dx - 1e-9) simulation.advance(0.025);
  EXPECT_TRUE(simulation.air().bubbles().empty());
}

/// The numbers of all bubbles after so many steps of the largest dt. Collective
std::vector<double> numbers_of_bubbles(const Communicator& comm, const std::string& text, int n_steps) {
  Simulation simulation(comm, make_case(text));
  for (int step = 0; step < n_steps; ++step) simulation.advance(simulation.largest_dt());
  return simulation.air().kept();
}

/// A cup that the water may move.
const std::string free_cup = cup(3.0,
                                 "body.mass = 300.0\nbody.center = [1.9, 1.0]\nbody.inertia = 50.0\n"
                                 "body.velocity = [0.3, -1.0]\nsurface = \"fractions\"\n");

/// Where a body is put between two steps there are no blocks yet.
TEST(TallWalls, of_a_body_that_is_put_elsewhere_part_the_air_there) {
  Simulation simulation(world(), make_case(free_cup));
  simulation.advance(0.01);
  const BodyReport before = simulation.free_bodies().report(0);
  simulation.set_body_state(0, {before.center + Vec3(16 * dx, 0.0, 0.0), before.rotation}, Vec6::Zero());
  simulation.advance(0.01);
  ASSERT_EQ(simulation.air().bubbles().size(), 1U);
  EXPECT_NEAR(simulation.air().bubbles()[0].measured / (12 * 37 * dx * dx * dx), 1.0, 0.05);
}

TEST(TallWalls, give_the_same_bits_on_any_number_of_ranks_and_after_a_restart) {
  const std::string given = piston("fractions", 36, -1.0);
  for (const std::string& text : {given, free_cup}) {
    const auto alone = [&](const Communicator& comm) { return numbers_of_bubbles(comm, text, 12); };
    EXPECT_EQ(numbers_of_bubbles(world(), text, 12), test::computed_alone(alone));
    Simulation whole(world(), make_case(text));
    for (int step = 0; step < 6; ++step) whole.advance(whole.largest_dt());
    Simulation restarted(world(), make_case(text), whole.restart_state());
    for (Simulation* simulation : {&whole, &restarted})
      for (int step = 0; step < 4; ++step) simulation->advance(simulation->largest_dt());
    EXPECT_EQ(whole.air().kept(), restarted.air().kept());
  }
  test::expect_same_bodies_on_any_ranks(free_cup);
}

}  // namespace
}  // namespace freshet
