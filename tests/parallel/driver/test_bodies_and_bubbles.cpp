// SPDX-License-Identifier: Apache-2.0
// Bubbles of trapped air that touch bodies which the liquid moves.
// ranks: 1 2 3
// timeout: 900
// nightly: 3
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double dx = 0.05;

/// A shaft of 8 cells' width, without gravity, with 4 cells of water on its floor, a gas of 1000 Pa of `column` cells
/// above it, and a piston on top of the gas that starts with 0.03 m/s. Above the piston is the atmosphere.
std::string gas_spring(int column) {
  const double low = (4 + column) * dx;
  return case_text({8, column + 20}, dx, test::reproducible) + fmt::format(R"([domain.boundary]
y_high = "open"
[fluid]
gravity = [0.0, 0.0]
[air]
bubbles = "compressible"
pressure = 1000.0
atmosphere = "open_sides"
[pressure]
tolerance = 1e-8
[density]
correction = "off"
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 0.2]
[[solid]]
shape = "box"
lower = [-0.5, {}]
upper = [0.9, {}]
body.density = 1000
body.fixed = ["x", "rz"]
body.contact = false
body.velocity = [0.0, 0.03]
)",
                                                                           low, low + 4 * dx);
}

/// Three half swings of the piston, in the largest ones of steps of a hundredth of the period: its angular frequency.
double frequency_of(const std::string& text, double expected) {
  Simulation simulation(world(), make_case(text));
  const double dt = 2.0 * std::numbers::pi / expected / 100.0;
  std::vector<double> turns;
  double before = 0.03;
  while (turns.size() < 4 && simulation.time() < 3.0 * 2.0 * std::numbers::pi / expected) {
    simulation.advance(dt);
    const double now = simulation.free_bodies().report(0).velocity.y();
    // the velocity is that of the step, in its middle
    if (now * before < 0.0) turns.push_back(simulation.time() - dt * (0.5 + now / (now - before)));
    before = now;
  }
  return turns.size() < 4 ? 0.0 : 3.0 * std::numbers::pi / (turns[3] - turns[0]);
}

/// omega^2 = gamma p A / (m L) for small displacements of an adiabatic gas. In the longest column the piston is far
/// from all liquid.
TEST(BodiesAndBubbles, a_piston_on_a_gas_swings_as_the_gas_law_says) {
  for (const int column : {4, 6, 28}) {
    const double of_piston = 1000.0 * 4 * dx * 1.4 / 0.4;  // it reaches into the walls [kg/m^2]
    const double expected = std::sqrt(1.4 * 1000.0 / (of_piston * column * dx));
    const double found = frequency_of(gas_spring(column), expected);
    report("gas spring: cells of gas, frequency over that of the gas law",
           {static_cast<double>(column), found / expected});
    EXPECT_NEAR(found / expected, 1.0, 0.02) << column;
  }
}

/// A mast that stands in a gas from near the water up to blocks far from it changes no volume, and nothing holds it.
TEST(BodiesAndBubbles, a_gas_does_not_push_what_it_surrounds) {
  std::string text = gas_spring(30);
  const auto replace_line = [&](const std::string& begin, const std::string& line) {
    const std::size_t at = text.find(begin);
    text.replace(at, text.find('\n', at) - at, line);
  };
  replace_line("y_high = ", "");
  replace_line("lower = [-0.5", "lower = [0.13, 0.4]");
  replace_line("upper = [0.9", "upper = [0.27, 1.9]");
  Simulation simulation(world(), make_case(text));
  for (int step = 0; step < 40; ++step) simulation.advance(0.02);
  ASSERT_EQ(simulation.air().bubbles().size(), 1U);
  const double speed = simulation.free_bodies().report(0).velocity.y();
  report("mast in gas: speed over its first", {speed / 0.03});
  EXPECT_NEAR(speed / 0.03, 1.0, 1e-3);
}

TEST(BodiesAndBubbles, have_the_same_bits_on_any_number_of_ranks) {
  test::expect_same_bodies_on_any_ranks(gas_spring(6));
}

TEST(BodiesAndBubbles, go_on_from_a_restart_with_the_same_bits) {
  test::expect_same_bodies_after_a_restart(gas_spring(6));
}

/// An iron bell, open below, that sinks with the air in it: the gas is squeezed by the water above, and none gets lost.
const std::string sinking_bell = case_text({48, 64}, 0.025, test::reproducible) + R"([air]
bubbles = "compressible"
pressure = 10000.0
[[liquid]]
shape = "difference"
parts = [
  { shape = "box", lower = [-1, -1], upper = [2, 1.2] },
  { shape = "box", lower = [0.4, 0.8], upper = [0.8, 1.1] },
]
[[solid]]
shape = "difference"
parts = [
  { shape = "box", lower = [0.3, 0.7], upper = [0.9, 1.2] },
  { shape = "box", lower = [0.4, 0.6], upper = [0.8, 1.1] },
]
body.mass = 300.0
body.center = [0.6, 0.95]
body.inertia = 20.0
body.fixed = ["x", "rz"]
body.damping = 2000.0
)";

TEST(BodiesAndBubbles, a_bell_that_sinks_keeps_its_air) {
  Simulation simulation(world(), make_case(sinking_bell));
  const double start = simulation.free_bodies().report(0).center.y();
  while (simulation.time() < 1.2) simulation.advance(simulation.largest_dt());
  ASSERT_GE(simulation.air().bubbles().size(), 1U);
  const TrappedBubble& gas = *std::ranges::max_element(simulation.air().bubbles(), {}, &TrappedBubble::volume);
  const double sunk = start - simulation.free_bodies().report(0).center.y(), first = 0.4 * 0.3 * 0.025;
  report("bell: way down [m], gas over its first, volume over its first, volume on the grid over it",
         {sunk, gas.rest_volume / first, gas.volume / first, gas.measured / gas.volume});
  EXPECT_GT(sunk, 0.15);
  EXPECT_NEAR(gas.rest_volume, first, 0.03 * first);
  EXPECT_LT(gas.volume, 0.95 * first);  // the water above squeezes it
  EXPECT_NEAR(gas.measured / gas.volume, 1.0, 0.05);
  EXPECT_LT(std::abs(simulation.report().volume_drift), 0.02);
}

TEST(BodiesAndBubbles, a_bell_has_the_same_bits_on_any_number_of_ranks) {
  test::expect_same_bodies_on_any_ranks(sinking_bell);
}

}  // namespace
}  // namespace freshet
