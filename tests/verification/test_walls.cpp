// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace freshet {
namespace {

using test::at_voxels;
using test::for_each_particle;
using test::make_case;
using test::uncorrected;
using test::world;

constexpr double g = 9.81;     ///< [m/s^2]
constexpr double cell = 0.02;  ///< [m]

/// Water under the lid of a box, from wall to wall; cells of the box are whole blocks along x and not along y.
std::string slab_under_lid(int dimension, const std::string& condition, double gravity) {
  const std::string cells = dimension == 3 ? "[16, 24, 12]" : "[16, 24]";
  const std::string down = std::to_string(gravity);
  return "[run]\nend_time = 10\n[domain]\ncell_size = 0.02\ndimension = " + std::to_string(dimension) +
         "\ncells = " + cells + "\n[fluid]\ngravity = [0.0, " + down + ", 0.0]\n" + at_voxels + uncorrected +
         "[pressure]\npreconditioner = \"multigrid\"\ntolerance = 1e-8\n[pressure.walls]\ncondition = \"" + condition +
         "\"\n[[liquid]]\nshape = \"half_space\"\npoint = [0.0, 0.36, 0.0]\nnormal = [0.0, -1.0, 0.0]\n";
}

struct Fall {
  double center = 0.0;    ///< way of the centre of mass [m]
  double expected = 0.0;  ///< way of a body that falls freely by the same steps [m]
  double fastest = 0.0;   ///< largest particle speed [m/s]
};

Fall fall_for(const std::string& toml, double time) {
  Simulation simulation(world(), make_case(toml));
  const double start = simulation.report().sums.center_of_mass[1];
  const double a = simulation.parameters().fluid.gravity[1];
  Fall fall;
  double u = 0.0;
  while (simulation.time() < time) {
    const double dt = simulation.largest_dt();
    simulation.advance(dt);
    u += dt * a;
    fall.expected += dt * u;
  }
  fall.center = simulation.report().sums.center_of_mass[1] - start;
  fall.fastest = simulation.report().sums.max_speed;
  return fall;
}

class SlabUnderLid : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, SlabUnderLid, testing::Values(2, 3));

constexpr double half_way = 0.19;  ///< time in which a body falls half of the 0.36 m below the slab [s]

TEST_P(SlabUnderLid, falls_at_once_as_a_body_if_walls_let_go) {
  const Fall fall = fall_for(slab_under_lid(GetParam(), "separating", -g), half_way);
  test::report("way, free fall [m]", {fall.center, fall.expected});
  // The tolerance of the solve, and positions in 32 bits: nothing else is between the two.
  EXPECT_NEAR(fall.center, fall.expected, 1e-5 * std::abs(fall.expected));
  EXPECT_LT(fall.expected, -0.15);
}

TEST_P(SlabUnderLid, hangs_if_walls_are_sticky) {
  const Fall fall = fall_for(slab_under_lid(GetParam(), "sticky", -g), 0.5 * half_way);
  test::report("way [m], speed [m/s]", {fall.center, fall.fastest});
  EXPECT_LT(std::abs(fall.center), 1e-5 * cell);
}

TEST_P(SlabUnderLid, is_held_when_gravity_points_up_whatever_the_walls) {
  for (const std::string condition : {"sticky", "separating"}) {
    const Fall fall = fall_for(slab_under_lid(GetParam(), condition, g), half_way);
    test::report("way [m], speed [m/s]", {fall.center, fall.fastest});
    EXPECT_LT(std::abs(fall.center), 1e-5 * cell) << condition;
    EXPECT_LT(fall.fastest, 1e-6 * g * half_way) << condition;
  }
}

TEST(Walls, complementarity_holds_in_every_step_of_the_stair_scene) {
  const std::string path = std::string(FRESHET_SOURCE_DIR) + "/inputs/walls/stair_2d.toml";
  const Parameters parameters =
      parse_parameters(read_text_file(path), path,
                       {"pressure.walls.condition=separating", "pressure.walls.method=complementarity",
                        "pressure.preconditioner=multigrid", "pressure.tolerance=1e-5"});
  Simulation simulation(world(), parameters);
  double worst = 0.0;
  double speed = 0.0;
  GlobalIndex separated = 0;
  int most_solves = 0;
  for (int step = 0; step < 120; ++step) {  // past the steps and the far wall, and against the plane
    speed = std::max(speed, simulation.report().sums.max_speed);
    const ProjectionReport report = simulation.advance(simulation.largest_dt()).projection;
    worst = std::max(worst, report.complementarity);
    separated += report.separated_faces;
    most_solves = std::max(most_solves, report.outer_iterations);
  }
  test::report("worst [m/s], tolerance x speed, separated faces a step, most solves",
               {worst, parameters.pressure.tolerance * speed, static_cast<double>(separated) / 120.0,
                static_cast<double>(most_solves)});
  EXPECT_LE(worst, parameters.pressure.tolerance * speed);  // w is at most what a particle brings and gravity adds
  EXPECT_GT(separated, 120);
  EXPECT_LE(most_solves, 10);
}

TEST(Walls, water_at_rest_is_the_same_with_walls_that_could_let_go) {
  const auto pool = [](const std::string& condition) {
    return "[run]\nend_time = 10\n[domain]\ncell_size = 0.02\ncells = [16, 24, 16]\n" + at_voxels + uncorrected +
           "[pressure]\ntolerance = 1e-8\n[pressure.walls]\ncondition = \"" + condition +
           "\"\n[[liquid]]\nshape = \"half_space\"\npoint = [0.0, 0.2, 0.0]\nnormal = [0.0, 1.0, 0.0]\n";
  };
  double speed[2] = {};
  int n = 0;
  for (const std::string condition : {"sticky", "separating"}) {
    Simulation simulation(world(), make_case(pool(condition)));
    GlobalIndex separated = 0;
    for (int step = 0; step < 40; ++step) separated += simulation.advance(0.01).projection.separated_faces;
    EXPECT_EQ(separated, 0) << condition;
    speed[n++] = simulation.report().sums.max_speed;
  }
  test::report("largest speed, sticky and separating [m/s]", {speed[0], speed[1]});
  EXPECT_LT(speed[1], 1e-4 * g * 0.4);  // the solve's tolerance, a hundred times over
}

}  // namespace
}  // namespace freshet
