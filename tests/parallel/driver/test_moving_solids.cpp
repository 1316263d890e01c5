// SPDX-License-Identifier: Apache-2.0
// Liquid and prescribed rigid bodies.
// timeout: 600
#include "freshet/geometry/rigid_motion.hpp"
#include "support/body_distance.hpp"
#include "support/folder.hpp"
#include "support/meshes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace freshet {
namespace {

using test::make_case;
using test::position_rounding;
using test::report;
using test::run_until;
using test::smallest_distance;
using test::world;

/// What flows out of the liquid's cells into air. [m^2/s] in 2-D
double outflow_into_air(const Simulation& simulation) {
  const BlockLayout& layout = simulation.layout();
  double sum = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i)
        for (int d = 0; d < 2; ++d) {
          const Vec3i below(i - (d == 0), j - (d == 1), 0);
          const Vec3i side(below.x() < 0 ? -1 : 0, below.y() < 0 ? -1 : 0, 0);
          const LocalIndex slot = layout.neighbours(b)[direction_index(side.x(), side.y(), 0)];
          const Label lower = simulation.labels().block(slot)[(below.x() + 8) % 8 + 8 * ((below.y() + 8) % 8)];
          const Label upper = simulation.labels().block(b)[i + 8 * j];
          const double flow = simulation.solids().open_fraction()[d].block(b)[i + 8 * j] *
                              simulation.velocity()[d].block(b)[i + 8 * j] * simulation.domain().dx();
          if (lower == Label::liquid && upper == Label::air) sum += flow;
          if (lower == Label::air && upper == Label::liquid) sum -= flow;
        }
  return world().sum(sum);
}

std::string piston(const char* surface) {
  return fmt::format(R"(
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [48, 40]
cell_size = 0.025
[fluid]
gravity = [0.0, -9.81]
[pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.2, 0.5]
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.21, 2.0]
velocity = [0.4, 0.0]
surface = "{}"
)",
                     surface);
}

TEST(MovingSolids, a_piston_pushes_exactly_its_volume) {
  for (const char* surface : {"fractions", "voxels"}) {
    Simulation simulation(world(), make_case(piston(surface)));
    simulation.deposit_velocity();
    simulation.label();
    simulation.find_velocity(0.01);
    // 20 cells of 0.025 m high; to the solver's tolerance, velocities of solids in single precision
    EXPECT_NEAR(outflow_into_air(simulation), 0.4 * 0.5, 1e-7) << surface;
  }
}

TEST(MovingSolids, a_piston_leaves_no_particle_behind) {
  for (const char* surface : {"fractions", "voxels"}) {
    Simulation simulation(world(), make_case(piston(surface)));
    const GlobalIndex n = simulation.report().particles;
    run_until(simulation, 1.0);
    EXPECT_EQ(simulation.report().particles, n);
    EXPECT_GT(smallest_distance(simulation), -position_rounding) << surface;
    report("piston: liquid cells at the start and in the end", {static_cast<double>(simulation.initial_liquid_cells()),
                                                                static_cast<double>(simulation.report().liquid_cells)});
  }
}

TEST(MovingSolids, a_ball_that_dives_is_no_part_of_the_liquid_s_volume) {
  Simulation simulation(world(), make_case(R"(
[run]
end_time = 2.0
[domain]
dimension = 2
cells = [40, 40]
cell_size = 0.025
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.0, 0.5]
[[solid]]
shape = "sphere"
center = [0.5, 0.75]
radius = 0.15
keyframes = [[0, 0, 0, 0], [1, 0, -0.5, 0], [2, 0, -0.5, 0]]
)"));
  simulation.advance(simulation.largest_dt());
  const double start = simulation.report().volume;
  run_until(simulation, 2.0);
  const double end = simulation.report().volume;
  report("a ball dives: volume at the start and in the end relative to it", {start, end / start});
  // the ball is 14 % of the liquid; cells at its surface and at the liquid's are counted by their parts
  EXPECT_NEAR(end / start, 1.0, 0.03);
  EXPECT_GT(smallest_distance(simulation), -position_rounding);
}

constexpr double turning = 90.0;  ///< of the vessel [degrees/s]

/// A square vessel without gravity, 0.6 m wide, that turns about its middle (0.75, 0.75).
std::string turning_vessel(int n_cells) {
  std::string text = fmt::format(R"(
[run]
end_time = 2.0
[domain]
dimension = 2
cells = [{0}, {0}]
cell_size = {1}
[fluid]
gravity = [0.0, 0.0]
[time]
max_dt = 0.01
[pressure]
tolerance = 1e-8
[[liquid]]
shape = "box"
lower = [0.45, 0.45]
upper = [1.05, 1.05]
)",
                                 n_cells, 1.5 / n_cells);
  const double walls[4][4] = {
      {0.25, 0.25, 0.45, 1.25}, {1.05, 0.25, 1.25, 1.25}, {0.25, 0.25, 1.25, 0.45}, {0.25, 1.05, 1.25, 1.25}};
  for (const auto& wall : walls)
    text += fmt::format(
        "[[solid]]\nshape = \"box\"\nlower = [{}, {}]\nupper = [{}, {}]\nangular_velocity = [0.0, 0.0, {}]\n"
        "pivot = [0.75, 0.75]\n",
        wall[0], wall[1], wall[2], wall[3], turning);
  return text;
}

Vec3 turning_velocity(const Vec3& x) {
  const double omega = turning * std::numbers::pi / 180.0;
  return {-omega * (x.y() - 0.75), omega * (x.x() - 0.75), 0.0};
}

/// The liquid's angular momentum over that of a solid in its place.
double turned_with(const Simulation& simulation) {
  double momentum = 0.0;
  double of_solid = 0.0;
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
    const Vec3 arm = x - Vec3(0.75, 0.75, x.z());
    momentum += arm.cross(u).z();
    of_solid += arm.cross(turning_velocity(x)).z();
  });
  return world().sum(momentum) / world().sum(of_solid);
}

/// Liquid without viscosity that rested stays free of vorticity: the corners take it along, but it does not turn with
/// them. Its inertia is that of the solid less the torsion constant of the square: 1 - 6 * 0.14058 of it.
/// Source: Lamb 1932, section 72 (rotating prisms); Timoshenko & Goodier 1951, section 93 (torsion of a square)
TEST(MovingSolids, a_rotating_box_moves_liquid_at_rest_as_potential_flow) {
  constexpr double exact = 1.0 - 6.0 * 0.140577;
  double error[2];
  for (const int level : {0, 1}) {
    Simulation simulation(world(), make_case(turning_vessel(48 << level)));
    run_until(simulation, 0.1);
    error[level] = turned_with(simulation) - exact;
    EXPECT_GT(smallest_distance(simulation), -position_rounding);
  }
  report("box that begins to turn: error of the angular momentum, of the solid's, at 19 and 38 cells across",
         {error[0], error[1]});
  EXPECT_LT(std::abs(error[0]), 0.02);
  EXPECT_LT(std::abs(error[1]), 0.01);
}

/// Liquid that turns already goes on with the box.
TEST(MovingSolids, a_sealed_rotating_box_turns_the_liquid_with_it) {
  Simulation simulation(world(), make_case(turning_vessel(48)));
  simulation.set_particle_velocity(turning_velocity);
  const GlobalIndex n = simulation.report().particles;
  run_until(simulation, 1.0);
  double error = 0.0;
  double speed = 0.0;
  test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
    error += (u - turning_velocity(x)).norm();
    speed += turning_velocity(x).norm();
  });
  error = world().sum(error) / world().sum(speed);
  report("rotating box: mean error of the velocity relative to the mean speed after a quarter turn", {error});
  EXPECT_EQ(simulation.report().particles, n);
  EXPECT_GT(smallest_distance(simulation), -position_rounding);
  EXPECT_LT(error, 0.05);
}

constexpr double thickness = 0.008;  ///< of a plate: a third of a cell [m]

/// Liquid that flies at CFL 5 at a plate whose near side is at x = lower.
void fly_at_plate(double lower, const std::string& plate, const std::string& file = "test case") {
  Simulation simulation(world(), make_case(fmt::format(R"(
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [64, 24]
cell_size = 0.025
[fluid]
gravity = [0.0, 0.0]
[time]
cfl = 5.0
[[liquid]]
shape = "box"
lower = [0.1, 0.1]
upper = [0.4, 0.5]
velocity = [4.0, 0.0]
[particles]
per_axis = 4
[[solid]]
{}
)",
                                                       plate),
                                           file));
  const GlobalIndex n = simulation.report().particles;
  double largest_cfl = 0.0;
  for (int step = 0; step < 60; ++step) {
    simulation.advance(simulation.largest_dt());
    largest_cfl = std::max(largest_cfl, simulation.report().cfl);
  }
  double farthest = 0.0;
  test::for_each_particle(simulation,
                          [&](const Vec3& x, const Vec3&, ParticleId) { farthest = std::max(farthest, x.x()); });
  EXPECT_EQ(simulation.report().particles, n);
  EXPECT_LE(world().max(farthest), lower + position_rounding) << lower;
  EXPECT_GT(largest_cfl, 4.0);
}

TEST(MovingSolids, liquid_at_cfl_5_does_not_cross_a_plate_of_a_third_of_a_cell) {
  for (const double lower : {0.8, 0.805, 0.81, 0.813, 0.82})
    fly_at_plate(lower,
                 fmt::format("shape = \"box\"\nlower = [{}, -1.0]\nupper = [{}, 2.0]\n", lower, lower + thickness));
}

TEST(MovingSolids, nor_one_that_is_a_mesh) {
  const test::Folder folder("moving_solids");
  for (const double lower : {0.8, 0.805, 0.81, 0.813, 0.82}) {
    folder.write("plate.obj", test::obj_text(test::box_mesh({lower, -1.0, -1.0}, {lower + thickness, 2.0, 1.0})));
    fly_at_plate(lower, "shape = \"mesh\"\nfile = \"plate.obj\"\n", folder.path("case.toml"));
  }
}

/// A dam break around bodies that stand on the floor exactly, which holds its liquid 1e-4 cells above itself.
TEST(MovingSolids, liquid_does_not_creep_between_a_floor_and_bodies_that_stand_on_it) {
  Simulation simulation(world(), make_case(R"(
[run]
end_time = 1.0
[domain]
cells = [32, 24, 24]
cell_size = 0.025
[fluid]
gravity = [4.0, -9.81, 1.0]
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.2, 0.5, 0.6]
velocity = [1.0, -1.0, 0.0]
[[solid]]
shape = "cylinder"
start = [0.35, 0.0, 0.2]
end = [0.35, 0.1, 0.2]
radius = 0.08
[[solid]]
shape = "box"
lower = [0.5, 0.0, 0.3]
upper = [0.65, 0.15, 0.45]
rotate.axis = [0.0, 1.0, 0.0]
rotate.angle = 30.0
rotate.center = [0.55, 0.0, 0.4]
)"));
  GlobalIndex repositioned = 0;
  for (int step = 0; step < 100; ++step) {
    simulation.advance(simulation.largest_dt());
    repositioned += simulation.report().repositioned;
  }
  EXPECT_GT(smallest_distance(simulation), -position_rounding);
  EXPECT_EQ(repositioned, 0);
}

/// Liquid at rest in space, seen from a tank that turns and speeds up: it must move as the tank's motion alone says.
TEST(MovingFrame, liquid_that_floats_freely_stays_where_it_is_in_space) {
  Simulation simulation(world(), make_case(R"(
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [64, 64]
cell_size = 0.025
[fluid]
gravity = [0.0, 0.0]
[time]
max_dt = 0.002
[frame]
pivot = [0.8, 0.8]
keyframes = [[-1, 0.05, 0, 0, 0, 0, -60], [0, 0, 0, 0, 0, 0, 0], [1, 0.2, 0.1, 0, 0, 0, 60], [2, 0.6, 0.3, 0, 0, 0, 120]]
[[liquid]]
shape = "box"
lower = [0.9, 0.7]
upper = [1.2, 1.0]
)"));
  const auto motion = make_motion(world(), simulation.parameters().frame, "", 2);
  const RigidMotion& tank = *motion;
  const Twist start = tank.twist(0.0, 1e-7);
  simulation.set_particle_velocity([&](const Vec3& x) { return Vec3(-start.at(x)); });
  const Vec3 center = simulation.report().sums.center_of_mass;
  run_until(simulation, 0.5);
  const Vec3 seen = tank.pose(0.5).to_body(tank.pose(0.0).to_world(center));
  Vec3 difference = simulation.report().sums.center_of_mass - seen;
  difference.z() = 0.0;
  report("floating liquid: way of its centre, and how far it is off [m]",
         {(seen - center).head<2>().norm(), difference.norm()});
  EXPECT_LT(difference.norm(), 0.02 * (seen - center).head<2>().norm());
}

}  // namespace
}  // namespace freshet
