// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

/// What tests of bodies that the liquid moves have in common.
namespace freshet::test {

/// A tank with a body in the middle of its width. Lengths in radii of the body.
struct Tank {
  double half_width;
  double to_surface;  ///< from the body's centre; 0 if the body is half immersed
  double to_floor;
};

/// Calls f(y, sign) for the images of a dipole that stands upright, between a free surface and a floor: the surface
/// keeps its sign and the floor reverses it.
template <class Function>
void for_each_row(const Tank& tank, Function&& f) {
  const double period = 2.0 * (tank.to_surface + tank.to_floor);
  for (int n = -40; n <= 40; ++n) {
    const double sign = n % 2 == 0 ? 1.0 : -1.0;
    f(n * period, sign);
    if (tank.to_surface > 0.0) f(2.0 * tank.to_surface + n * period, sign);
  }
}

/// Added mass of a cylinder in a tank over the displaced mass of a whole one: dipoles as images behind surface, floor
/// and sides. Rows of images are summed in closed form. Error of order (radius / distance)^4.
inline double cylinder_in(const Tank& tank) {
  double sum = 0.0;
  for_each_row(tank, [&](double y, double sign) {
    const double w = std::numbers::pi / (2.0 * tank.half_width);
    sum += sign * (y == 0.0 ? -w * w / 3.0 : w * w / std::pow(std::sinh(w * y), 2));
  });
  return 1.0 - 2.0 * sum;
}

/// A ball and a box that fall into a pool; keys of the box may follow, and tables.
const std::string splash_of_bodies = case_text({32, 32, 16}, 0.05, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [3, 0.6, 3]
[[solid]]
shape = "sphere"
center = [0.5, 0.8, 0.4]
radius = 0.2
body.density = 300
body.velocity = [0.3, -2, 0.1]
[[solid]]
shape = "box"
lower = [0.9, 0.5, 0.2]
upper = [1.3, 0.8, 0.6]
rotate.axis = [1, 1, 2]
rotate.angle = 25
rotate.center = [1.1, 0.65, 0.4]
body.density = 600
body.angular_velocity = [50, 20, 100]
)";

/// All numbers of the bodies, and the tensions of their moorings, after so many steps of the largest dt. Collective
inline std::vector<double> numbers_of_bodies(const Communicator& comm, const std::string& text, int n_steps) {
  Simulation simulation(comm, make_case(text));
  for (int step = 0; step < n_steps; ++step) simulation.advance(simulation.largest_dt());
  std::vector<double> numbers;
  for (const auto& [name, values] : simulation.free_bodies().kept())
    numbers.insert(numbers.end(), values.begin(), values.end());
  for (std::size_t n = 0; n < simulation.free_bodies().links().moorings.size(); ++n)
    numbers.push_back(simulation.free_bodies().mooring_report(static_cast<int>(n)).tension);
  return numbers;
}

/// Collective
inline void expect_same_bodies_on_any_ranks(const std::string& text, int n_steps = 12) {
  const std::vector<double> here = numbers_of_bodies(world(), text, n_steps);
  EXPECT_EQ(here, computed_alone([&](const Communicator& comm) { return numbers_of_bodies(comm, text, n_steps); }));
}

/// The state of a run as checkpoints had it whose bodies were numbers beside those of the run.
inline RestoredState with_bodies_as_numbers(RestoredState state) {
  const std::vector<double>& solids = state.bodies.at("solid");
  for (const auto& [name, values] : state.bodies) {
    const std::size_t width = values.size() / solids.size();
    for (std::size_t i = 0; i < values.size(); ++i)
      state.numbers.push_back({name == "joint" ? "joint." + std::to_string(i) + ".value"
                                               : "body." + std::to_string(static_cast<int>(solids[i / width])) + "." +
                                                     name + std::to_string(i % width),
                               values[i]});
  }
  state.bodies.clear();
  return state;
}

/// Collective
inline void expect_same_bodies_after_a_restart(const std::string& text, int before = 6, int after = 4) {
  Simulation whole(world(), make_case(text));
  for (int step = 0; step < before; ++step) whole.advance(whole.largest_dt());
  Simulation restarted(world(), make_case(text), whole.restart_state());
  EXPECT_EQ(whole.free_bodies().kept(), restarted.free_bodies().kept());
  const Simulation from_numbers(world(), make_case(text), with_bodies_as_numbers(whole.restart_state()));
  EXPECT_EQ(whole.free_bodies().kept(), from_numbers.free_bodies().kept());
  for (int step = 0; step < after; ++step) {
    whole.advance(whole.largest_dt());
    restarted.advance(restarted.largest_dt());
  }
  EXPECT_EQ(whole.free_bodies().kept(), restarted.free_bodies().kept());
}

}  // namespace freshet::test
