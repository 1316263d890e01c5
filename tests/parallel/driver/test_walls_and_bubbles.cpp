// SPDX-License-Identifier: Apache-2.0
// Gases between walls that move as a case says.
// ranks: 1 2 3
// nightly: 2
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double atmosphere = 1e4;  // [Pa]
constexpr double dx = 0.02;         // [m]

/// A closed tube of 32 cells without gravity, three of them at either end full of water, and a piston in its middle,
/// which moves by 0.145 m along it within a second and then stops. `depth` is empty in 2-D. `thickness` in cells.
std::string tube(int dimension, double thickness, const std::string& surface) {
  const double half = 0.5 * thickness * dx;
  std::string text =
      dimension == 2 ? case_text({32, 8}, dx, test::reproducible) : case_text({32, 4, 4}, dx, test::reproducible);
  const char* const z[] = {dimension == 3 ? ", -1" : "", dimension == 3 ? ", 2" : "", dimension == 3 ? ", 0.0" : ""};
  text += fmt::format("[fluid]\ngravity = [0.0, 0.0{}]\n", z[2]);
  text += fmt::format("[air]\nbubbles = \"compressible\"\natmosphere = \"open_sides\"\npressure = {}\n", atmosphere);
  const auto box = [&](const char* table, double from, double to) {
    text +=
        fmt::format("[[{}]]\nshape = \"box\"\nlower = [{}, -1{}]\nupper = [{}, 2{}]\n", table, from, z[0], to, z[1]);
  };
  box("liquid", -1.0, 0.06);
  box("liquid", 0.58, 2.0);
  box("solid", 0.32 - half, 0.32 + half);
  return text +
         fmt::format("surface = \"{}\"\ninterpolation = \"linear\"\nkeyframes = [[0, 0, 0, 0], [1, -0.145, 0, 0]]\n",
                     surface);
}

/// The same piston in a plane tube that is periodic along its length and parted by a block, with water on both of its
/// sides. The piston passes the side of the domain.
std::string ring(double thickness, const std::string& surface) {
  const double half = 0.5 * thickness * dx;
  std::string text = case_text({32, 8}, dx, test::reproducible) +
                     "[domain.boundary]\nx_low = \"periodic\"\nx_high = \"periodic\"\n[fluid]\ngravity = [0.0, 0.0]\n";
  text += fmt::format("[air]\nbubbles = \"compressible\"\natmosphere = \"open_sides\"\npressure = {}\n", atmosphere);
  const auto box = [&](const char* table, double from, double to) {
    text += fmt::format("[[{}]]\nshape = \"box\"\nlower = [{}, -1]\nupper = [{}, 2]\n", table, from, to);
  };
  box("liquid", 0.28, 0.36);
  box("solid", 0.30, 0.34);
  box("solid", 0.02 - half, 0.02 + half);
  return text +
         fmt::format("surface = \"{}\"\ninterpolation = \"linear\"\nkeyframes = [[0, 0, 0, 0], [1, -0.145, 0, 0]]\n",
                     surface);
}

/// The volume of each gas at the atmosphere's pressure, at which it begins, by the bubble's number. [m^3]
std::map<std::int64_t, double> rest_volumes_of(const Simulation& simulation) {
  std::map<std::int64_t, double> volumes;
  for (const TrappedBubble& bubble : simulation.air().bubbles()) volumes[bubble.id] = bubble.rest_volume;
  return volumes;
}

/// p V^gamma = const for two gases of these volumes at first, as `swept` goes over from one to the other. [m^3]
/// \param[in] tolerance  part of the exact pressures
void expect_gas_law(const Simulation& simulation, const std::map<std::int64_t, double>& volumes, double swept,
                    double tolerance, const std::string& what) {
  const std::vector<TrappedBubble>& bubbles = simulation.air().bubbles();
  ASSERT_EQ(volumes.size(), 2U) << what;
  ASSERT_EQ(bubbles.size(), 2U) << what;
  for (const TrappedBubble& bubble : bubbles) {
    ASSERT_TRUE(volumes.contains(bubble.id)) << what;
    const double before = volumes.at(bubble.id), change = bubble.pressure > atmosphere ? -swept : swept;
    const double exact = atmosphere * (std::pow(before / (before + change), 1.4) - 1.0);
    const double found = simulation.air().gauge_pressure(bubble);
    report((what + ": gauge pressure [Pa] and that of the gas law").c_str(), {found, exact});
    EXPECT_NEAR(found / exact, 1.0, tolerance) << what;
  }
}

constexpr double way = 0.145;                                ///< of the piston [m]
constexpr double of_2d = 8 * dx * dx, of_3d = 16 * dx * dx;  ///< cross sections of the tubes [m^2]

/// The gas changes by what the piston sweeps, and by less than a thousandth as it presses on the water at the ends.
TEST(WallsAndBubbles, a_piston_of_any_thickness_squeezes_a_gas_as_the_gas_law_says) {
  for (const double thickness : {0.1, 0.5, 1.0, 2.0})
    for (const std::string surface : {"voxels", "fractions"})
      for (const std::string tube_is : {"plane", "in space", "periodic"}) {
        const int dimension = tube_is == "in space" ? 3 : 2;
        if (tube_is != "plane" && thickness != 0.5) continue;
        const std::string text = tube_is == "periodic" ? ring(thickness, surface) : tube(dimension, thickness, surface);
        Simulation simulation(world(), make_case(text));
        simulation.advance(0.02);
        const std::map<std::int64_t, double> volumes = rest_volumes_of(simulation);
        for (int step = 1; step < 50; ++step) simulation.advance(0.02);
        expect_gas_law(simulation, volumes, way * (dimension == 2 ? of_2d : of_3d), 1e-3,
                       fmt::format("piston of {} cells of {}, tube {}", thickness, surface, tube_is));
      }
}

/// A piston that has stopped before a long step adds nothing in it.
TEST(WallsAndBubbles, a_piston_that_stops_before_a_long_step_squeezes_no_more) {
  for (const double thickness : {0.5, 2.0}) {
    Simulation simulation(world(), make_case(tube(2, thickness, "fractions")));
    simulation.advance(0.02);
    const std::map<std::int64_t, double> volumes = rest_volumes_of(simulation);
    for (int step = 1; step < 50; ++step) simulation.advance(0.02);
    for (int step = 0; step < 3; ++step) simulation.advance(0.2);
    expect_gas_law(simulation, volumes, way * of_2d, 1e-3, fmt::format("piston of {} cells at rest", thickness));
  }
}

/// A piston that the gases move swings by ten cells, and gives none of one gas to the other.
TEST(WallsAndBubbles, a_thin_piston_that_swings_between_two_gases_keeps_them_apart) {
  for (const std::string surface : {"voxels", "fractions"}) {
    std::string text = tube(2, 0.5, surface);
    text.erase(text.find("interpolation"));
    text += "body.density = 1000\nbody.fixed = [\"y\", \"rz\"]\nbody.contact = false\nbody.velocity = [4.0, 0.0]\n";
    Simulation simulation(world(), make_case(text));
    simulation.advance(0.002);
    const std::map<std::int64_t, double> volumes = rest_volumes_of(simulation);
    EXPECT_EQ(volumes.size(), 2U) << surface;
    double lowest = 1.0, highest = 0.0;
    for (int step = 1; step < 60; ++step) {
      simulation.advance(0.002);
      const double x = simulation.free_bodies().report(0).center.x();
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
    report("piston that swings: way [cells]", {(highest - lowest) / dx});
    EXPECT_GT(highest - lowest, 8.0 * dx) << surface;
    const std::map<std::int64_t, double> after = rest_volumes_of(simulation);
    ASSERT_EQ(after.size(), 2U) << surface;
    for (const auto& [id, volume] : volumes)
      EXPECT_NEAR(after.contains(id) ? after.at(id) / volume : 0.0, 1.0, 1e-12) << surface;
  }
}

/// A bell with walls of so many cells, open below, that goes down into water within 1.5 s, as inputs/diving_bell.toml
/// has it on cells of half the size. \param[in] angle  of the bell [degrees]
std::string bell(double walls, double angle, const std::string& surface) {
  const double size = 2.0 * dx, thick = walls * size;
  return case_text({28, 20}, size, test::reproducible) +
         fmt::format(
             "[fluid]\nviscosity = 1e-3\n[air]\nbubbles = \"compressible\"\npressure = 2000.0\n"
             "[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [2, 0.44]\n"
             "[[solid]]\nshape = \"difference\"\nsurface = \"{}\"\n"
             "rotate.angle = {}\nrotate.center = [0.56, 0.5, 0]\n"
             "parts = [{{ shape = \"box\", lower = [{}, 0.40], upper = [{}, {}] }},\n"
             "  {{ shape = \"box\", lower = [0.44, 0.30], upper = [0.68, 0.60] }}]\n"
             "keyframes = [[0, 0, 0, 0], [0.3, 0, -0.02, 0], [1.2, 0, -0.22, 0], [1.5, 0, -0.24, 0]]\n",
             surface, angle, 0.44 - thick, 0.68 + thick, 0.60 + thick);
}

/// Amounts of gas that all bubbles hold, as volumes at the atmosphere's pressure. [m^3]
double gas_of(const Simulation& simulation) {
  double gas = 0.0;
  for (const TrappedBubble& bubble : simulation.air().bubbles()) gas += bubble.rest_volume;
  return gas;
}

/// At the end all of the bell is under water.
TEST(WallsAndBubbles, a_bell_with_walls_of_any_thickness_keeps_its_gas) {
  for (const double angle : {0.0, 13.0})
    for (const double walls : {0.1, 0.6, 1.1})
      for (const std::string surface : {"voxels", "fractions"}) {
        Simulation simulation(world(), make_case(bell(walls, angle, surface)));
        simulation.advance(0.01);
        const double before = gas_of(simulation);
        while (simulation.time() < 1.5) simulation.advance(std::min(0.02, simulation.largest_dt()));
        report(fmt::format("bell at {} degrees with walls of {} cells of {}: part of its gas", angle, walls, surface)
                   .c_str(),
               {gas_of(simulation) / before});
        EXPECT_NEAR(gas_of(simulation) / before, 1.0, 1e-6) << walls << " cells at " << angle << ", " << surface;
      }
}

/// Collective
TEST(WallsAndBubbles, are_the_same_on_any_ranks) {
  const auto numbers_of = [](const Communicator& comm, const std::string& text) {
    Simulation simulation(comm, make_case(text));
    for (int step = 0; step < 25; ++step) simulation.advance(0.02);
    std::vector<double> numbers;
    for (const TrappedBubble& bubble : simulation.air().bubbles())
      numbers.insert(numbers.end(), {bubble.volume, bubble.rest_volume, bubble.measured, bubble.outflow});
    return numbers;
  };
  for (const std::string& text : {tube(2, 0.5, "fractions"), tube(3, 0.1, "voxels"), bell(0.6, 13.0, "fractions")})
    EXPECT_EQ(numbers_of(world(), text),
              test::computed_alone([&](const Communicator& alone) { return numbers_of(alone, text); }));
}

}  // namespace
}  // namespace freshet
