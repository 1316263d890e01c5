// SPDX-License-Identifier: Apache-2.0
// nightly: 2 4 8
// Gauges of a whole simulation.
#include "freshet/io/checkpoint.hpp"
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::make_case;
using test::world;

const std::string dam = R"([run]
end_time = 1
reproducible = true
[domain]
cells = [16, 12, 8]
cell_size = 0.075
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [0.5, 0.55, 9]
[[solid]]
shape = "sphere"
center = [0.72, 0.1, 0.3]
radius = 0.12
)";

const std::string gauges = R"([[gauge]]
name = "h"
type = "height"
start = [0.4, 0.0, 0.3]
end = [0.4, 0.8, 0.3]
[[gauge]]
name = "p"
type = "pressure"
point = [0.0, 0.1, 0.3]
size = 0.2
[[gauge]]
name = "u"
type = "velocity"
point = [0.45, 0.12, 0.41]
[[gauge]]
name = "floor"
type = "force"
side = "y_low"
[[gauge]]
name = "ball"
type = "force"
solid = 0
[[gauge]]
name = "q"
type = "flow_rate"
lower = [0.5, 0.0, 0.0]
upper = [0.5, 0.8, 0.6]
[[gauge]]
name = "all"
type = "region"
lower = [0.0, 0.0, 0.0]
upper = [1.2, 0.9, 0.6]
[[gauge]]
name = "mean"
type = "pressure"
point = [0.0, 0.2, 0.3]
size = 0.16
patch = "round"
every = 3
mean = true
[[gauge]]
name = "wave"
type = "profile"
start = [0.0, 0.0, 0.3]
end = [1.2, 0.0, 0.3]
line = [0.0, 0.9, 0.0]
count = 5
[[gauge]]
name = "mean_wave"
type = "profile"
start = [0.0, 0.0, 0.3]
end = [1.2, 0.0, 0.3]
line = [0.0, 0.9, 0.0]
count = 3
quantity = "top"
every = 4
mean = true
)";

std::vector<std::vector<double>> rows(const Simulation& simulation) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < simulation.gauges().size(); ++i)
    rows.push_back(simulation.gauges().has_row(i) ? simulation.gauges().values(i) : std::vector<double>());
  return rows;
}

std::vector<double> all_numbers(const Communicator& comm, int steps) {
  Simulation simulation(comm, make_case(dam + gauges));
  std::vector<double> numbers;
  for (int n = 0; n < steps; ++n) {
    simulation.advance(simulation.largest_dt());
    for (const std::vector<double>& row : rows(simulation)) numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return numbers;
}

TEST(SimulationGauges, give_the_same_digits_on_any_number_of_ranks) {
  const std::vector<double> here = all_numbers(world(), 8);
  const std::vector<double> alone = test::computed_alone([](const Communicator& comm) { return all_numbers(comm, 8); });
  EXPECT_EQ(here, alone);
}

TEST(SimulationGauges, means_of_a_restart_are_those_of_a_run_that_never_stopped) {
  const test::SharedDirectory directory("means");
  const std::string path = directory.path() + "/a.h5";
  const Parameters parameters = make_case(dam + gauges);
  Simulation whole(world(), parameters);
  for (int n = 0; n < 5; ++n) whole.advance(whole.largest_dt());  // both means have steps since their last rows
  write_checkpoint(world(), path, whole.checkpoint_state(), input_record(parameters));
  Simulation resumed(world(), parameters,
                     read_checkpoint(world(), path, whole.domain(), parameters.balance, [](const std::string&) {}));
  for (int n = 0; n < 4; ++n) {
    const double dt = whole.largest_dt();
    whole.advance(dt);
    resumed.advance(dt);
    EXPECT_EQ(rows(resumed), rows(whole)) << n;
  }
}

TEST(SimulationGauges, tell_where_they_are_and_whether_they_are_wet) {
  if (world().size() > 2) GTEST_SKIP() << "the numbers are those of one rank, as another test shows";
  const std::string more = R"([[gauge]]
name = "on"
type = "pressure"
point = [0.6, 0.1, 0.3]
[[gauge]]
name = "in"
type = "velocity"
point = [0.72, 0.1, 0.3]
[[gauge]]
name = "above"
type = "height"
start = [0.4, 0.0, 0.3]
end = [0.4, 1.5, 0.3]
)";
  const Simulation simulation(world(), make_case(dam + gauges + more));
  const std::vector<std::pair<std::size_t, std::string>> expected = {
      {0, "line of 0.8 m from (0.4, 0, 0.3) m, 0.8 m of it outside solids: 0.5"},
      {1, "pressure at (0, 0.1, 0.3) m on x_low, over a square 0.2 m across, normal (1, 0, 0): wet, "},
      {2, "velocity at (0.45, 0.12, 0.41) m: wet, ("},
      {3, "force on y_low: "},
      {4, "force on solid.0: dry"},
      {5, "flow through a rectangle of 0.48 m^2 across x: "},
      {6, "box of 0.648 m^3 in the domain: 0.16"},
      {7, "pressure at (0, 0.2, 0.3) m on x_low, over a disc 0.16 m across, normal (1, 0, 0): wet, "},
      {8, "5 lines of 0.9 m from (0, 0, 0.3) m to (1.2, 0, 0.3) m: 2 of them wet"},
      {10, "pressure at (0.6, 0.1, 0.3) m on solid.0, normal (-1, 0, 0): dry, 0 Pa"},
      {11, "velocity at (0.72, 0.1, 0.3) m, 0.12 m inside solid.0: dry, ("},
      {12, "line of 1.5 m from (0.4, 0, 0.3) m, 0.6 m of it outside the domain, 0.9 m of it outside solids: 0.5"}};
  for (const auto& [n, text] : expected) {
    const std::string said = simulation.gauges().describe(n, simulation.solids());
    EXPECT_EQ(said.substr(0, text.size()), text) << said;
  }
}

TEST(SimulationGauges, do_not_change_the_run) {
  Simulation with(world(), make_case(dam + gauges));
  Simulation without(world(), make_case(dam));
  for (int n = 0; n < 4; ++n) {
    const double dt = without.largest_dt();
    EXPECT_EQ(with.largest_dt(), dt);
    with.advance(dt);
    without.advance(dt);
  }
  EXPECT_EQ(with.report().sums.kinetic_energy, without.report().sums.kinetic_energy);
  EXPECT_EQ(with.report().sums.center_of_mass, without.report().sums.center_of_mass);
}

TEST(SimulationGauges, whole_domain_has_the_volume_and_energy_of_the_step) {
  Simulation simulation(world(), make_case(dam + gauges));
  ASSERT_TRUE(simulation.gauges().has_row(6));
  for (int n = 0; n < 8; ++n) {
    const std::vector<double> all = rows(simulation)[6];
    const StepReport& report = simulation.report();
    EXPECT_DOUBLE_EQ(all[0], report.volume);
    EXPECT_EQ(all[1], static_cast<double>(report.sums.count));
    // the same terms, added block by block in another order
    EXPECT_NEAR(all[2], report.sums.kinetic_energy, 1e-9 * (1.0 + report.sums.kinetic_energy));
    EXPECT_NEAR(all[3], report.sums.potential_energy, 1e-6 * report.sums.potential_energy);
    simulation.advance(simulation.largest_dt());
  }
}

TEST(SimulationGauges, pool_at_rest_weighs_on_its_floor) {
  const std::string pool = test::case_text({16, 16, 12}, 0.05) + test::at_voxels + test::uncorrected + R"([pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [9, 0.5, 9]
[[gauge]]
name = "floor"
type = "force"
side = "y_low"
[[gauge]]
name = "wall"
type = "force"
side = "x_low"
[[gauge]]
name = "p"
type = "pressure"
point = [0.4, 0.0, 0.3]
[[gauge]]
name = "h"
type = "height"
start = [0.4, 0.0, 0.3]
end = [0.4, 0.8, 0.3]
)";
  Simulation simulation(world(), make_case(pool));
  const std::vector<std::vector<double>> at_start = rows(simulation);
  for (int n = 0; n < 5; ++n) simulation.advance(1e-3);
  const std::vector<std::vector<double>> values = rows(simulation);
  for (const int gauge : {0, 1, 2})  // the pressure is there from the start
    for (std::size_t n = 0; n < values[gauge].size(); ++n)
      EXPECT_NEAR(at_start[gauge][n], values[gauge][n], 1e-3 * (1.0 + std::abs(values[gauge][n]))) << gauge << " " << n;
  const double weight = 1000.0 * 9.81, depth = 0.5, half_cell = 0.025;
  // the pressure vanishes somewhere between the surface and the centre of the cells above it
  const auto between = [&](double measured, double exact, double of_half_a_cell) {
    EXPECT_GE(measured, exact * (1.0 - 1e-6));
    EXPECT_LE(measured, of_half_a_cell * (1.0 + 1e-6));
  };
  between(values[2][0], weight * depth, weight * (depth + half_cell));
  between(-values[0][1], weight * depth * 0.48, weight * (depth + half_cell) * 0.48);
  // a wall's force is the sum over its cells of the pressure at their centres
  between(-values[1][0], weight * depth * depth / 2 * 0.6, weight * (depth * depth / 2 + half_cell * depth) * 0.6);
  for (const double length : values[3]) EXPECT_DOUBLE_EQ(length, 0.5);
  // moments about the origin: the floor's force acts in its middle, the wall's at a third of the depth
  const double weight_of_pool = -values[0][1];
  EXPECT_NEAR(values[0][3], 0.3 * weight_of_pool, 1e-6 * weight_of_pool);
  EXPECT_NEAR(values[0][4], 0.0, 1e-6 * weight_of_pool);
  EXPECT_NEAR(values[0][5], -0.4 * weight_of_pool, 1e-6 * weight_of_pool);
  EXPECT_NEAR(values[1][3], 0.0, 1e-6 * weight_of_pool);
  EXPECT_NEAR(values[1][4], 0.3 * values[1][0], 1e-6 * weight_of_pool);
  EXPECT_NEAR(-values[1][5] / values[1][0], depth / 3.0, half_cell / 2.0);
}

TEST(SimulationGauges, flow_rate_is_that_of_the_source) {
  const std::string pipe = R"([run]
end_time = 1
[domain]
cells = [32, 8, 8]
cell_size = 0.05
boundary.x_high = "open"
[fluid]
gravity = [0, 0, 0]
[pressure.walls]
condition = "sticky"
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [9, 9, 9]
velocity = [0.5, 0, 0]
[[source]]
shape = "box"
lower = [-1, -1, -1]
upper = [0.1, 9, 9]
velocity = [0.5, 0, 0]
[[gauge]]
name = "q"
type = "flow_rate"
lower = [0.8, 0, 0]
upper = [0.8, 0.4, 0.4]
)";
  Simulation simulation(world(), make_case(pipe));
  for (int n = 0; n < 20; ++n) simulation.advance(simulation.largest_dt());
  const std::vector<double> q = rows(simulation)[0];
  EXPECT_NEAR(q[0], 0.5 * 0.4 * 0.4, 1e-4 * 0.08);  // as far as the pressure solve goes
  EXPECT_NEAR(q[1], 0.16, 1e-12);
}

TEST(SimulationGauges, flow_rate_of_a_thin_front_adds_up_to_what_is_found_downstream) {
  const std::string front = R"([run]
end_time = 1
[domain]
dimension = 2
cells = [64, 24]
cell_size = 0.025
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [0.6, 0.4]
[[gauge]]
name = "q"
type = "flow_rate"
lower = [0.9, 0, 0]
upper = [0.9, 0.6, 0.025]
[[gauge]]
name = "beyond"
type = "region"
lower = [0.9, 0, 0]
upper = [1.6, 0.6, 0.025]
)";
  Simulation simulation(world(), make_case(front));
  constexpr double of_particle = 0.025 * 0.025 * 0.025 / 4;
  double passed = 0.0;
  while (simulation.time() < 0.4) {
    simulation.advance(simulation.largest_dt());
    passed += simulation.report().dt * rows(simulation)[0][0];
  }
  const double found = rows(simulation)[1][1] * of_particle;
  EXPECT_GT(found, 0.04 * 0.025);
  EXPECT_NEAR(passed / found, 1.0, 0.03);  // full cells count by their volume, the others by their particles
}

// A plate that sinks into a pool and turns: what a gauge on it reads is what a gauge reads that stands where it is now.
TEST(SimulationGauges, gauges_on_a_moving_solid_read_what_gauges_at_rest_read_there) {
  constexpr double dt = 4e-3;
  constexpr int steps = 12;
  const RigidMotion motion({0.6, 0.3, 0.3}, {0.1, -0.4, 0.05}, {0.0, 0.0, 0.5});
  const Pose pose = motion.pose((steps - 1) * dt);  // the last step's pressure is that of the solids where it began
  const auto text = [](const Vec3& x) {
    return "[" + std::to_string(x.x()) + ", " + std::to_string(x.y()) + ", " + std::to_string(x.z()) + "]\n";
  };
  const Vec3 point(0.6, 0.2, 0.3), normal(0.0, -1.0, 0.0), beside(0.75, 0.22, 0.3);
  std::string scene = R"([run]
end_time = 1
[domain]
cells = [16, 12, 8]
cell_size = 0.075
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [9, 0.6, 9]
[[solid]]
shape = "box"
lower = [0.45, 0.2, 0.2]
upper = [0.75, 0.4, 0.4]
pivot = [0.6, 0.3, 0.3]
velocity = [0.1, -0.4, 0.05]
angular_velocity = [0.0, 0.0, 28.64788975654116]
)";
  const auto gauge = [&](const std::string& name, const std::string& type, const Vec3& x, const std::string& more) {
    scene += "[[gauge]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\npoint = " + text(x) + more;
  };
  gauge("on_body", "pressure", point, "size = 0.2\nsolid = 0\nnormal = " + text(normal));
  gauge("there", "pressure", pose.to_world(point), "size = 0.2\nnormal = " + text(pose.rotation * normal));
  gauge("found", "pressure", point, "solid = 0\n");
  gauge("found_there", "pressure", pose.to_world(point), "");
  gauge("speed_on_body", "velocity", beside, "solid = 0\n");
  gauge("speed_there", "velocity", pose.to_world(beside), "");
  gauge("at_start", "pressure", point, "");
  Simulation simulation(world(), make_case(scene));
  for (int n = 0; n < steps; ++n) simulation.advance(dt);
  const std::vector<std::vector<double>> values = rows(simulation);
  const auto expect_equal = [&](std::size_t a, std::size_t b) {
    for (std::size_t n = 0; n < values[a].size(); ++n)
      EXPECT_NEAR(values[a][n], values[b][n], 1e-4 * (1.0 + std::abs(values[b][n]))) << a << " " << n;
  };
  expect_equal(0, 1);  // places are given with 6 digits
  expect_equal(2, 3);
  expect_equal(4, 5);
  EXPECT_GT(values[0][0], 1000.0);
  EXPECT_EQ(values[0][2], 1.0) << "the patch is in the water";
  EXPECT_GT(std::abs(values[6][0] - values[2][0]), 30.0) << "the point has moved";
}

TEST(SimulationGauges, drift_is_the_volume_s) {
  Simulation simulation(world(), make_case(dam));
  const double first = simulation.report().volume;
  EXPECT_EQ(simulation.report().volume_drift, 0.0);
  for (int n = 0; n < 40; ++n) simulation.advance(simulation.largest_dt());
  const double drift = simulation.report().volume_drift;
  EXPECT_NEAR(drift, simulation.report().volume / first - 1.0, 1e-12);
  const double of_cells =
      static_cast<double>(simulation.report().liquid_cells) / static_cast<double>(simulation.initial_liquid_cells()) -
      1.0;
  EXPECT_GT(std::abs(of_cells - drift), 1e-3) << "liquid that falls apart covers more cells than it fills";
}

}  // namespace
}  // namespace freshet
