// SPDX-License-Identifier: Apache-2.0
// Liquid and prescribed rigid bodies.
// timeout: 600
// nightly: 2 3 4 8
#include "freshet/geometry/rigid_motion.hpp"
#include "support/body_distance.hpp"
#include "support/case_text.hpp"
#include "support/folder.hpp"
#include "support/meshes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::position_rounding;
using test::report;
using test::run_until;
using test::smallest_distance;
using test::world;

/// What flows out of the liquid's cells into air. [m^2/s] in 2-D, [m^3/s] in 3-D
double outflow_into_air(const Simulation& simulation) {
  const BlockLayout& layout = simulation.layout();
  const Domain& domain = simulation.domain();
  const Vec3i n = domain.block_cells();
  double sum = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      for (int d = 0; d < domain.dimension(); ++d) {
        Vec3i below = Vec3i(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y())) - Vec3i(Vec3i::Unit(d));
        const Vec3i side = below.cwiseMin(0);
        below -= 8 * side;
        const LocalIndex slot = layout.neighbours(b)[direction_index(side.x(), side.y(), side.z())];
        const Label lower = simulation.labels().block(slot)[below.x() + n.x() * (below.y() + n.y() * below.z())];
        const Label upper = simulation.labels().block(b)[c];
        const double flow = simulation.solids().open_fraction()[d].block(b)[c] * simulation.velocity()[d].block(b)[c];
        if (lower == Label::liquid && upper == Label::air) sum += flow;
        if (lower == Label::air && upper == Label::liquid) sum -= flow;
      }
  return world().sum(sum) * std::pow(domain.dx(), domain.dimension() - 1);
}

/// A piston that drives a pool 20 cells high along a tank 1.2 m long and, in 3-D, 0.3 m wide.
std::string piston(int dimension, const char* surface) {
  const bool flat = dimension == 2;
  return (flat ? case_text({48, 40}, 0.025) : case_text({48, 40, 12}, 0.025)) + test::uncorrected + test::sticky_walls +
         fmt::format(R"(
[fluid]
gravity = [0.0, -9.81, 0.0]
[pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [0.0, 0.0, {0}]
upper = [1.2, 0.5, {1}]
[[solid]]
shape = "box"
lower = [-1.0, -1.0, -1.0]
upper = [0.21, 2.0, 1.0]
velocity = [0.4, 0.0, 0.0]
surface = "{2}"
)",
                     flat ? -1.0 : 0.0, flat ? 1.0 : 0.3, surface);
}

TEST(MovingSolids, a_piston_pushes_exactly_its_volume) {
  for (const int dimension : {2, 3})
    for (const char* surface : {"fractions", "voxels"}) {
      Simulation simulation(world(), make_case(piston(dimension, surface)));
      test::find_velocity(simulation, 0.01);
      const double exact = 0.4 * 0.5 * (dimension == 3 ? 0.3 : 1.0);
      const double error = outflow_into_air(simulation) / exact - 1.0;
      report("piston: relative error of what it pushes", {error});
      // 1.5e-8 in all four: 0.4 m/s in single precision; that rounds to 6e-8, and the solver has 1e-10
      EXPECT_LT(std::abs(error), 6e-8) << surface;
    }
}

TEST(MovingSolids, a_piston_leaves_no_particle_behind) {
  for (const int dimension : {2, 3})
    for (const char* surface : {"fractions", "voxels"}) {
      Simulation simulation(world(), make_case(piston(dimension, surface)));
      const GlobalIndex n = simulation.report().particles;
      run_until(simulation, dimension == 2 ? 1.0 : 0.1);
      EXPECT_EQ(simulation.report().particles, n);
      EXPECT_GT(smallest_distance(simulation), -position_rounding) << surface;
    }
}

TEST(MovingSolids, a_ball_that_dives_is_no_part_of_the_liquid_s_volume) {
  Simulation simulation(world(), make_case(case_text({40, 40}, 0.025) + R"(
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
  // the ball is 14 % of the liquid; cells at its surface and at the liquid's are counted by their parts: 0.3 to 0.7 %
  EXPECT_NEAR(end / start, 1.0, 0.012);
  EXPECT_GT(smallest_distance(simulation), -position_rounding);
}

constexpr double thickness = 0.008;  ///< of a plate: a third of a cell [m]

/// Liquid that flies at CFL 5 at a plate whose near side is at x = lower.
void fly_at_plate(double lower, const std::string& plate, const std::string& file = "test case") {
  Simulation simulation(world(), make_case(case_text({64, 24}, 0.025) + fmt::format(R"(
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
  Simulation simulation(world(), make_case(case_text({32, 24, 24}, 0.025) + R"(
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
  Simulation simulation(world(), make_case(case_text({64, 64}, 0.025) + R"(
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
  EXPECT_LT(difference.norm(), 0.011 * (seen - center).head<2>().norm());  // 0.7 % measured
}

}  // namespace
}  // namespace freshet
