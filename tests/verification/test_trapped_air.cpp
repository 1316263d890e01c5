// SPDX-License-Identifier: Apache-2.0
// Bubbles of trapped air against exact solutions.
// ranks: 1 2 3
// nightly: 1 3
#include "freshet/air/trapped_air.hpp"
#include "freshet/core/error.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace freshet::test {
namespace {

/// A slug of liquid of length 1 m, from y = 1 m to 2 m, in a closed or open tube of cells of 1/32 m, without gravity.
std::string slug(int cells, double velocity, const char* more) {
  return fmt::format(
      "[run]\nend_time = 10.0\n[domain]\ndimension = 2\ncells = [8, {}]\ncell_size = 0.03125\n[fluid]\ngravity = [0, "
      "0]\n"
      "density = 1000.0\n[density]\ncorrection = 'off'\n[air]\nbubbles = 'compressible'\npressure = 1000.0\natmosphere "
      "= 'open_sides'\n"
      "[[liquid]]\nshape = 'box'\nlower = [0, 1]\nupper = [1, 2]\nvelocity = [0, {}]\n{}",
      cells, velocity, more);
}

void advance_to(Simulation& simulation, double time) {
  while (simulation.time() < time) simulation.advance(simulation.largest_dt());
}

double height(const Simulation& simulation) {
  return simulation.finished_report().sums.center_of_mass[1];
}

/// A slug runs with S = rho L U^2 / (p0 D) = 1 into a closed pocket of length D = L with gamma = 1.4. Pressure and time
/// of its stop are from the equation of motion x'' = (p - p0) / (rho L), p = p0 (D/x)^gamma (Bagnold 1939). The
/// pressure of the slug is nowhere below that of the atmosphere, so that it leaves no wall that it may leave.
void stop_on_air(const std::string& walls) {
  constexpr double peak = 3.574112, time_of_peak = 0.845871;
  const std::string open = "[domain.boundary]\ny_high = 'open'\n[time]\ncfl = 0.25\n[pressure.walls]\ncondition = '";
  Simulation simulation(world(), make_case(slug(64, -1.0, (open + walls + "'\n").c_str())));
  double largest = 0.0, at = 0.0;
  while (simulation.time() < 1.2) {
    simulation.advance(simulation.largest_dt());
    ASSERT_EQ(simulation.air().bubbles().size(), 1U);
    const double pressure = simulation.air().bubbles()[0].pressure / 1000.0;
    if (pressure > largest) {
      largest = pressure;
      at = simulation.time();
    }
  }
  EXPECT_NEAR(largest, peak, 0.01 * peak);
  EXPECT_NEAR(at, time_of_peak, 0.02 * time_of_peak);
}
TEST(TrappedAir, a_slug_stops_on_its_air_as_bagnold_says) {
  stop_on_air("sticky");
}
TEST(TrappedAir, a_slug_between_separating_walls_stops_on_its_air_as_bagnold_says) {
  stop_on_air("separating");
}

/// A slug swings between two pockets, each of its own length at rest. Its period in units of sqrt(rho L D / p0) at an
/// amplitude of 0.12 D is 3.7274 (integral of the energy equation; 2 pi / sqrt(2 gamma) = 3.7549 for small ones). The
/// surface towards a pocket that stops the slug is unstable: particles without jitter keep it plane.
void swing_between_two_pockets(const std::string& splitting) {
  constexpr double period = 3.7274;
  const std::string time = "[time]\ncfl = 0.5\nmax_dt = 0.02\nsplitting = '" + splitting + "'\n";
  Simulation simulation(world(), make_case(slug(96, -0.2, (time + "[particles]\njitter = 0.0\n").c_str())));
  std::vector<double> crossings, extremes;
  double y = 1.5, t = 0.0, extreme = 0.0;
  while (crossings.size() < 4) {
    const double before = y, from = t;
    simulation.advance(simulation.largest_dt());
    y = height(simulation);
    t = simulation.time();
    ASSERT_LT(t, 9.0);
    if ((before - 1.5) * (y - 1.5) < 0.0) {
      crossings.push_back(from + (1.5 - before) / (y - before) * (t - from));
      extremes.push_back(extreme);
      extreme = 0.0;
    }
    extreme = std::max(extreme, std::abs(y - 1.5));
  }
  EXPECT_NEAR(crossings[3] - crossings[1], period, 0.01 * period);
  EXPECT_NEAR(extremes[3], extremes[1], 0.02 * extremes[1]);
}
TEST(TrappedAir, a_slug_between_two_pockets_keeps_its_period_and_amplitude) {
  swing_between_two_pockets("first_order");
}
TEST(TrappedAir, a_slug_between_two_pockets_swings_alike_with_strang) {
  swing_between_two_pockets("strang");
}
TEST(TrappedAir, a_slug_between_two_pockets_swings_alike_with_reflection) {
  swing_between_two_pockets("reflection");
}

/// A cup with its mouth down is full of air, under water that is at rest. Air that keeps its volume holds the water
/// out: the surface stays at the mouth, where it bulges upwards by a part of a cell between the rims, and the pressure
/// is that of the water there. Both are means over a second, as the seeding sets off waves of a tenth of a cell.
TEST(TrappedAir, a_cup_under_water_keeps_its_air) {
  constexpr double dx = 0.02, level = 0.9, mouth = 0.4, top = 0.64;
  for (const char* surface : {"voxels", "fractions"})
    for (const char* correction : {"off", "implicit"}) {
      SCOPED_TRACE(fmt::format("{}, correction {}", surface, correction));
      const std::string cup = fmt::format(
          "[[solid]]\nshape = 'difference'\nsurface = '{}'\nparts = [{{shape = 'box', lower = [0.2, {}], upper = [0.6, "
          "0.72]}}, {{shape = 'box', lower = [0.28, 0.3], upper = [0.52, {}]}}]\n",
          surface, mouth, top);
      const std::string water = fmt::format(
          "[[liquid]]\nshape = 'difference'\nparts = [{{shape = 'box', lower = [0, 0], upper = [1, {}]}}, {{shape = "
          "'box', lower = [0.28, {}], upper = [0.52, {}]}}]\n"
          "[[gauge]]\nname = 'in'\ntype = 'height'\nstart = [0.4, 0]\nend = [0.4, {}]\n",
          level, mouth, top, top);
      Simulation simulation(
          world(), make_case(case_text({40, 56}, dx) + fmt::format("[density]\ncorrection = '{}'\n", correction) +
                             "[air]\nbubbles = 'incompressible'\n" + cup + water));
      double pressure = 0.0, inside = 0.0, time = 0.0;
      while (simulation.time() < 1.5) {
        const double dt = std::min(0.01, simulation.largest_dt());
        simulation.advance(dt);
        ASSERT_EQ(simulation.air().bubbles().size(), 1U);
        if (simulation.time() < 0.5) continue;
        time += dt;
        pressure += dt * simulation.air().largest_pressure();
        inside += dt * simulation.gauges().values(0)[0];
      }
      const double width = 0.24, full = width * (top - mouth) * dx;  // a 2-D domain is one cell thick
      EXPECT_NEAR(simulation.air().bubbles()[0].measured, full, 0.2 * width * dx * dx);
      // in the middle, where the gauge stands, water bulges into the mouth by 0.2 to 0.35 cells
      EXPECT_NEAR(inside / time, mouth, 0.4 * dx);
      EXPECT_NEAR(pressure / time, 1000.0 * 9.81 * (level - inside / time), 1000.0 * 9.81 * 0.1 * dx);
    }
}

/// A bubble of area A amid a square full of water, at rest, whose upper side is open: the only air of a chamber that
/// has an open side under water. As the bubble keeps its volume, the mean over a level has no acceleration, above the
/// bubble and below. There it is that of still water; the dipole that holds the bubble's pressure even has a mean of
/// rho g A / H above and the opposite below. So p = rho g (H / 2 - A / H) at the first instant, up to (A / H^2)^2. The
/// radius of the bubble on the grid is of first order: 0.58 cells of head at 32 cells, 0.64 at 64.
TEST(TrappedAir, an_open_side_under_water_gives_a_bubble_its_pressure) {
  constexpr double height = 0.64, middle = 0.32, radius = 0.08;
  const std::string water = fmt::format(
      "[[liquid]]\nshape = 'difference'\nparts = [{{shape = 'box', lower = [0, 0], upper = [1, 1]}}, {{shape = "
      "'sphere', "
      "center = [{}, {}], radius = {}}}]\n",
      middle, middle, radius);
  for (const auto& [side, cells] : {std::pair("open", 32), std::pair("open", 64), std::pair("free_slip", 32)}) {
    SCOPED_TRACE(side);
    const double dx = height / cells;
    Simulation simulation(
        world(), make_case(case_text({cells, cells}, dx) + fmt::format("[domain.boundary]\ny_high = '{}'\n", side) +
                           "[air]\nbubbles = 'incompressible'\natmosphere = 'open_sides'\n" + water));
    simulation.advance(1e-3);
    if (side == std::string("open")) {
      ASSERT_EQ(simulation.air().bubbles().size(), 1U);
      const double head = middle - std::numbers::pi * radius * radius / height;
      EXPECT_NEAR(simulation.air().largest_pressure(), 9810.0 * head, 9810.0 * 0.7 * dx);
    } else {
      EXPECT_TRUE(simulation.air().bubbles().empty()) << "its pressure is a reference";
    }
  }
}

/// The pressures of a bubble in steps of dt [s] up to a time [s], above that of the atmosphere. [Pa]
std::vector<double> pressures_in_steps(const std::string& text, double dt, double end) {
  Simulation simulation(world(), make_case(text));
  std::vector<double> pressures;
  while (simulation.time() < end - 0.5 * dt) {
    simulation.advance(dt);
    EXPECT_EQ(simulation.air().bubbles().size(), 1U);
    pressures.push_back(simulation.air().largest_pressure());
  }
  return pressures;
}

/// A round bubble at rest in water at rest. In 5 ms it rises by 0.1 mm: its pressure is that of the first instant, as
/// long as no correction of the liquid's density or of the bubble's volume sets water in motion.
TEST(TrappedAir, a_bubble_at_rest_has_the_same_pressure_in_short_steps) {
  const std::string text =
      case_text({32, 32}, 0.02) +
      "[domain.boundary]\ny_high = 'open'\n[air]\nbubbles = 'incompressible'\n"
      "[[liquid]]\nshape = 'difference'\nparts = [{shape = 'box', lower = [0, 0], upper = [1, 1]}, "
      "{shape = 'sphere', center = [0.32, 0.32], radius = 0.08}]\n";
  const double first = pressures_in_steps(text, 1e-4, 1e-4).at(0);
  for (const double dt : {1e-3, 1e-4})
    for (const double pressure : pressures_in_steps(text, dt, 5e-3))
      EXPECT_NEAR(pressure, first, 0.02 * first) << "dt = " << dt;
}

/// Laplace's law: the pressure of a round bubble is above that of the water by sigma / R.
TEST(TrappedAir, a_round_bubble_has_the_pressure_of_its_tension) {
  const std::string text =
      case_text({32, 32}, 0.02) +
      "[domain.boundary]\ny_high = 'open'\n[fluid]\ngravity = [0, 0]\nsurface_tension = 0.25\n[air]\nbubbles = "
      "'incompressible'\n"
      "[[liquid]]\nshape = 'difference'\nparts = [{shape = 'box', lower = [0, 0], upper = [1, 0.56]}, "
      "{shape = 'sphere', center = [0.32, 0.3], radius = 0.15}]\n";
  for (const double pressure : pressures_in_steps(text, 1e-3, 5e-3))
    EXPECT_NEAR(pressure, 0.25 / 0.15, 0.05 * 0.25 / 0.15);
}

/// Air in a bell whose mouth is under water, with its surface as high as that outside: a gas at the pressure of the
/// atmosphere, which it keeps to a part of the pressure of 2 cm of water, a cell.
TEST(TrappedAir, a_gas_at_rest_has_the_same_pressure_in_short_steps) {
  const std::string text =
      case_text({56, 40}, 0.02) +
      "[air]\nbubbles = 'compressible'\npressure = 2000.0\n[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1.12, "
      "0.44]\n[[solid]]\nshape = 'difference'\nsurface = 'fractions'\nparts = [{shape = 'box', lower = [0.4, 0.4], "
      "upper = "
      "[0.72, 0.64]}, {shape = 'box', lower = [0.44, 0.3], upper = [0.68, 0.6]}]\n";
  for (const double dt : {1e-3, 1e-4})
    for (const double pressure : pressures_in_steps(text, dt, 5e-3))
      EXPECT_NEAR(pressure, 0.0, 0.02 * 2000.0) << "dt = " << dt;
}

/// A bubble in a cup under water at rest lacks a tenth of its volume: it grows, and its pressure stays that of the
/// water.
TEST(TrappedAir, an_error_of_a_bubbles_volume_is_made_good_without_pressure) {
  for (const auto& [surface, bound] : {std::pair("level_set", 0.5), std::pair("voxels", 1.5)}) {
    SCOPED_TRACE(surface);
    const Parameters parameters = make_case(
        case_text({40, 56}, 0.02) + fmt::format("[labels]\nsurface = '{}'\n", surface) +
        "[air]\nbubbles = 'incompressible'\n[[solid]]\nshape = 'difference'\nsurface = 'fractions'\nparts = [{shape = "
        "'box', lower = [0.2, 0.4], upper = [0.6, 0.72]}, {shape = 'box', lower = [0.28, 0.3], upper = [0.52, 0.64]}]\n"
        "[[liquid]]\nshape = 'difference'\nparts = "
        "[{shape = "
        "'box', lower = [0, 0], upper = [1, 0.9]}, {shape = 'box', lower = [0.28, 0.46], upper = [0.52, 0.64]}]\n");
    Simulation before(world(), parameters);
    before.advance(1e-3);
    RestoredState state = before.restart_state();
    ASSERT_EQ(state.bubbles.size(), 10U);
    state.bubbles[2] *= 1.1;  // its volume
    Simulation simulation(world(), parameters, std::move(state));
    // the surface inside from the air on the grid, that outside from the volume of the water; with voxels the
    // pressure holds at the centres of cells of air, half a cell from the surface, and that goes in steps of a cell
    const double width = 0.24, outside = 0.8, thick = 0.02;
    double error = 0.0;
    for (int step = 0; step < 200; ++step) {
      simulation.advance(2e-3);
      ASSERT_EQ(simulation.air().bubbles().size(), 1U);
      const TrappedBubble& bubble = simulation.air().bubbles()[0];
      error = bubble.measured / bubble.volume - 1.0;
      const double inside = 0.64 - bubble.measured / (width * thick), level = 0.9 + (0.46 - inside) * width / outside;
      EXPECT_NEAR(simulation.air().largest_pressure(), 9810.0 * (level - inside), 9810.0 * bound * 0.02)
          << "step " << step;
    }
    EXPECT_NEAR(error, 0.0, 0.01);
  }
}

/// A closed tank in which air that keeps its volume is all the air there is: the pressure has no level of its own, and
/// is that of the atmosphere.
TEST(TrappedAir, the_only_air_of_a_tank_is_a_reference) {
  Simulation simulation(
      world(), make_case(case_text({32, 32}, 0.02) + "[air]\nbubbles = 'incompressible'\natmosphere = 'open_sides'\n"
                                                     "[[liquid]]\nshape = 'box'\nlower = [0, 0]\nupper = [1, 0.3]\n"));
  advance_to(simulation, 0.2);
  EXPECT_TRUE(simulation.air().bubbles().empty());
  EXPECT_LT(simulation.finished_report().sums.kinetic_energy, 1e-4);
}

/// Pockets of 1 m and 1.5 m under a slug that a gas of 1000 Pa holds: volumes by hand, in a layer of one cell.
TEST(TrappedAir, a_gauge_has_the_largest_bubbles_first) {
  constexpr double dx = 0.03125, area = 8.0 * dx * dx;
  Simulation simulation(world(),
                        make_case(slug(112, -1.0, "[[gauge]]\nname = 'air'\ntype = 'bubbles'\nlargest = 3\n")));
  const std::vector<CsvColumn> columns = gauge_columns(simulation.parameters().gauges[0]);
  ASSERT_EQ(columns.size(), 13U);
  EXPECT_EQ(columns[6].name, "pressure_0");
  simulation.advance(0.01);
  const std::vector<double> row = simulation.gauges().values(0);
  ASSERT_EQ(row.size(), 11U);
  EXPECT_EQ(row[0], 2.0);
  EXPECT_NEAR(row[1], 2.5 * area, 0.02 * area);
  EXPECT_NEAR(row[3], 1.51 * area, 0.02 * area);
  EXPECT_NEAR(row[6], 0.99 * area, 0.02 * area);
  EXPECT_NE(row[2], row[5]);
  EXPECT_NEAR(row[4], -1000.0 * 1.4 * 0.01 / 1.5, 2.0);  // p V^gamma = const
  EXPECT_NEAR(row[7], 1000.0 * 1.4 * 0.01, 2.0);
  EXPECT_EQ(std::vector<double>(row.begin() + 8, row.end()), (std::vector<double>{-1.0, 0.0, 0.0}));
}

/// The last rank's cells of a checkpoint name a bubble that there is not: all ranks end with the same message.
TEST(TrappedAir, every_rank_refuses_a_checkpoint_with_a_wrong_bubble) {
  const Parameters parameters = make_case(slug(112, -1.0, ""));
  Simulation simulation(world(), parameters);
  simulation.advance(0.01);
  ASSERT_EQ(simulation.air().bubbles().size(), 2U);
  EXPECT_NO_THROW(Simulation(world(), parameters, simulation.restart_state()));
  RestoredState state = simulation.restart_state();
  const auto is_of_bubble = [](double cell) { return cell >= 0.0; };
  const auto found = std::ranges::find_if(state.air, is_of_bubble);
  const bool is_mine = found != state.air.end();
  const GlobalIndex last = world().max(GlobalIndex{is_mine ? world().rank() : -1});
  ASSERT_GE(last, 0);
  if (world().rank() == last) *found = 4.0;
  std::string message;
  try {
    Simulation(world(), parameters, std::move(state));
  } catch (const FileError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("bubbles"), std::string::npos) << message;
  EXPECT_EQ(message, world().broadcast(message));
}

}  // namespace
}  // namespace freshet::test
