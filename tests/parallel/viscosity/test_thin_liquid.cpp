// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/shape.hpp"
#include "support/alone.hpp"
#include "support/mpi_test.hpp"
#include "support/viscous_case.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

/// The explicit stress of liquid with a viscosity dt / (density dx^2) below 1e-3.
namespace freshet {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;
constexpr double just_thin = 0.999e-3;  ///< viscosity dt / (density dx^2)

/// Liquid with a wavy surface between walls of all kinds; a step of whole cells stands on the floor and moves along it.
ViscousBox tank(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {28, 24, dimension == 3 ? 16 : 1};
  box.cell_size = 1.0 / 24;
  box.boundary = {{{no_slip, no_slip}, {no_slip, free_slip}, {periodic, periodic}}};
  box.distance = [](const Vec3& x) { return x.y() - 0.55 - 0.1 * std::sin(9.0 * x.x()); };
  box.sharp = false;
  ShapeParameters step;
  step.lower = {0.5, -1.0, -1.0};
  step.upper = {0.6, 0.2, 0.4};
  const auto slow = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.1, 0.0, 0.0), Vec3::Zero());
  box.bodies.push_back({make_shape(step), Slip::no_slip, WallCondition::sticky, Surface::voxels, slow});
  step.lower.x() = 0.9;
  step.upper = {1.0, 0.1, 2.0};
  box.bodies.push_back({make_shape(step), Slip::free_slip, WallCondition::sticky, Surface::voxels});
  return box;
}

/// The tank, with balls of open fractions in it: one turns and has no slip, the other is smooth; they overlap.
ViscousBox tank_with_balls(int dimension) {
  ViscousBox box = tank(dimension);
  ShapeParameters ball;
  ball.kind = ShapeKind::sphere;
  ball.center = {0.31, 0.33, dimension == 3 ? 0.3 : 0.5 / 24};
  ball.radius = 0.14;
  const auto slow = std::make_shared<RigidMotion>(ball.center, Vec3(0.1, 0.2, 0.0), Vec3(0.0, 0.0, 1.0));
  box.bodies.push_back({make_shape(ball), Slip::no_slip, WallCondition::sticky, Surface::fractions, slow});
  ball.center.x() = 0.5;
  box.bodies.push_back({make_shape(ball), Slip::free_slip, WallCondition::sticky, Surface::fractions});
  return box;
}

/// The tank, with walls of whole cells in it that are thinner than a cell: an upright one without slip that moves, one
/// aslant without slip, and a smooth one that reaches through the surface.
ViscousBox tank_with_thin_walls(int dimension) {
  ViscousBox box = tank(dimension);
  ShapeParameters wall;
  wall.lower = {0.2895, 0.1, -1.0};
  wall.upper = {0.2998, 0.4, 2.0};
  const auto slow = std::make_shared<RigidMotion>(Vec3::Zero(), Vec3(0.0, 0.1, 0.0), Vec3::Zero());
  box.bodies.push_back({make_shape(wall), Slip::no_slip, WallCondition::sticky, Surface::voxels, slow});
  wall.lower = {0.65, 0.2, -1.0};
  wall.upper = {0.85, 0.21, 2.0};
  wall.transform.angle = 30.0;
  wall.transform.center = {0.75, 0.205, 0.0};
  box.bodies.push_back({make_shape(wall), Slip::no_slip, WallCondition::sticky, Surface::voxels});
  wall.transform = {};
  wall.lower = {0.17, 0.3, -1.0};
  wall.upper = {0.18, 0.9, 2.0};
  box.bodies.push_back({make_shape(wall), Slip::free_slip, WallCondition::sticky, Surface::voxels});
  return box;
}

double viscosity_of(double ratio, const ViscousBox& box) {
  return ratio * box.cell_size * box.cell_size / box.dt;
}

/// An explicit step of a scene: its velocity is both that before the step and what the step changes.
void act(ViscousCase& scene, double viscosity, double dt = 1.0) {
  FaceField<double> before = scene.velocity;
  ASSERT_TRUE(ViscousStep::is_thin(scene.liquid(viscosity), dt));
  scene.step.act_explicitly(scene.liquid(viscosity), dt, before, scene.velocity);
}

/// Tags of two viscosities, as cells have them: the larger one where x < 1/2.
CellField<float> two_viscosities(const ViscousCase& scene, double viscosity) {
  CellField<float> of_cells(scene.layout, 0.0F);
  of_cells.fill(0.0F);
  scene.for_each_cell([&](LocalIndex b, int c, const Vec3& corner) {
    of_cells.block(b)[c] = static_cast<float>(corner.x() < 0.5 ? viscosity : 0.1 * viscosity);
  });
  scene.layout.halo().gather(of_cells, 2);
  return of_cells;
}

class ThinLiquid : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, ThinLiquid, testing::Values(2, 3));

/// In the limit of small steps both changes are the same: rough velocities, walls, solids, a surface at faces of cells.
TEST_P(ThinLiquid, takes_the_change_of_the_implicit_step) {
  constexpr double ratio = 1e-6;
  const std::vector<ViscousBox> boxes{tank(GetParam()), tank_with_thin_walls(GetParam()), tank_with_balls(GetParam())};
  for (std::size_t n = 0; n < boxes.size(); ++n)
    for (const bool has_two : {false, true}) {
      const bool has_balls = n == 2;
      const ViscousBox& box = boxes[n];
      const double viscosity = viscosity_of(ratio, box);
      ViscousCase implicit(world(), box), thin(world(), box);
      const CellField<float> of_cells = two_viscosities(thin, viscosity);
      const CellViscosities viscosities{of_cells, of_cells};
      if (has_two) implicit.of_cells = thin.of_cells = &viscosities;
      implicit.set_velocity(random_velocity);
      thin.set_velocity(random_velocity);
      ASSERT_TRUE(implicit.advance(viscosity).converged);
      act(thin, viscosity);
      double largest = 0.0, difference = 0.0;
      implicit.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
        if (!implicit.is_unknown(d, b, c) && !implicit.step.is_held_by_body(d, b, c)) return;
        const double change = implicit.velocity[d].block(b)[c] - random_velocity(d, x);
        if (implicit.is_unknown(d, b, c)) largest = std::max(largest, std::abs(change));
        difference = std::max(difference, std::abs(thin.velocity[d].block(b)[c] - implicit.velocity[d].block(b)[c]));
      });
      largest = world().max(largest);
      EXPECT_GT(largest, 4.0 * ratio);
      // 2000: the largest eigenvalue of the stress, beside a body with a face of a hundredth; without one it is 24
      EXPECT_LE(world().max(difference), (has_balls ? 2000.0 : 48.0) * ratio * largest) << n << has_two;
    }
}

TEST_P(ThinLiquid, feels_a_thin_wall_on_its_own_side_alone) {
  for (const DividingWall& wall : dividing_walls()) {
    const ViscousBox thin_box = divided_box(GetParam(), wall, false), thick_box = divided_box(GetParam(), wall, true);
    ViscousCase thin(world(), thin_box), thick(world(), thick_box);
    for (ViscousCase* scene : {&thin, &thick}) {
      scene->set_velocity([&](int d, const Vec3& x) { return velocity_beside(wall, d, x); });
      act(*scene, viscosity_of(just_thin, thin_box));
    }
    EXPECT_LE(difference_beside(wall, thin, thick), 1e-9) << wall;  // single precision of coefficients, times 1e-3
  }
}

TEST_P(ThinLiquid, changes_no_face_that_a_solid_holds_or_that_is_dry) {
  const ViscousBox box = tank_with_thin_walls(GetParam());
  ViscousCase implicit(world(), box), thin(world(), box);
  implicit.advance(viscosity_of(1e-6, box));  // for the weights
  thin.set_velocity(random_velocity);
  act(thin, viscosity_of(just_thin, box));
  thin.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    if (!implicit.is_unknown(d, b, c)) {
      EXPECT_EQ(thin.velocity[d].block(b)[c], random_velocity(d, x));
    }
  });
}

TEST_P(ThinLiquid, is_not_slowed_down_in_rigid_motion) {
  ViscousBox box;
  box.dimension = GetParam();
  box.cells = {24, 24, GetParam() == 3 ? 24 : 1};
  box.cell_size = 1.0 / 24;
  box.sharp = false;
  const Vec3 centre(0.52, 0.47, GetParam() == 3 ? 0.5 : 0.5 / 24);
  box.distance = [=](const Vec3& x) { return (x - centre).norm() - 0.33; };
  const auto rigid = [=, turn = GetParam() == 3 ? Vec3(1.0, -2.0, 3.0) : Vec3(0.0, 0.0, 3.0)](int d, const Vec3& x) {
    return (Vec3(0.5, -0.25, 0.0) + turn.cross(x - centre))[d];
  };
  ViscousCase blob(world(), box);
  blob.set_velocity(rigid);
  act(blob, viscosity_of(just_thin, box));
  double change = 0.0;
  blob.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    change = std::max(change, std::abs(blob.velocity[d].block(b)[c] - rigid(d, x)));
  });
  EXPECT_LE(world().max(change), 1e-8);  // differences of velocities up to 2 in single precision, times 1e-3
}

/// Neither narrow gaps nor faces with little liquid make a rough velocity grow.
TEST_P(ThinLiquid, loses_energy_at_bodies_that_cut_cells) {
  if (world().size() > 1) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  const ViscousBox box = tank_with_balls(GetParam());
  ViscousCase scene(world(), box), weights(world(), box);
  weights.advance(viscosity_of(1e-6, box));
  scene.set_velocity(random_velocity);
  const auto largest = [&] {
    double result = 0.0;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3&) {
      if (weights.is_unknown(d, b, c)) result = std::max(result, std::abs(scene.velocity[d].block(b)[c]));
    });
    return world().max(result);
  };
  double before = largest();
  for (int step = 0; step < (GetParam() == 3 ? 20 : 200); ++step) act(scene, viscosity_of(just_thin, box));
  EXPECT_LE(largest(), 1.1 * before);  // bodies and the step move at up to 0.24 beside rough velocities up to 0.5
}

/// u = sin(k y) in a periodic box, and between walls without slip: it decays at the rate nu k^2.
TEST_P(ThinLiquid, shear_decays_at_its_rate) {
  if (world().size() > 1) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  for (const bool between_walls : {false, true}) {
    std::vector<double> errors;
    for (const int n : {8, 16}) {
      ViscousBox box;
      box.dimension = GetParam();
      box.cells = {8, n, GetParam() == 3 ? 8 : 1};
      box.cell_size = 1.0 / n;
      if (between_walls) box.boundary[1] = {no_slip, no_slip};
      const double k = between_walls ? pi : 2.0 * pi;
      ViscousCase wave(world(), box);
      const auto shear = [=](int d, const Vec3& x) { return d == 0 ? std::sin(k * x.y()) : 0.0; };
      wave.set_velocity(shear);
      const double part = GetParam() == 3 ? 0.05 : 0.2;  // of 1 / (nu k^2)
      const int n_steps = static_cast<int>(part * n * n / (just_thin * k * k));
      for (int step = 0; step < n_steps; ++step) act(wave, viscosity_of(just_thin, box));
      const double decay = std::exp(-n_steps * just_thin * k * k / (n * n));
      double error = 0.0;
      wave.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
        error = std::max(error, std::abs(wave.velocity[d].block(b)[c] - decay * shear(d, x)));
      });
      errors.push_back(world().max(error));
    }
    EXPECT_LE(errors[1], 5e-3) << between_walls;
    EXPECT_GT(errors[0] / errors[1], 3.5) << between_walls;
  }
}

/// Solids and walls get the momentum that the liquid loses, along each axis.
TEST_P(ThinLiquid, gives_its_momentum_to_solids_and_walls) {
  const ViscousBox box = tank_with_thin_walls(GetParam());
  const double viscosity = viscosity_of(just_thin, box);
  ViscousCase scene(world(), box), weights(world(), box);
  weights.advance(viscosity);
  scene.step.keep_forces();
  scene.set_velocity(random_velocity);
  act(scene, viscosity);
  for (int axis = 0; axis < GetParam(); ++axis) {
    double lost = 0.0, taken = 0.0, size = 0.0;
    scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
      if (d != axis || !weights.is_unknown(d, b, c)) return;
      const double change = scene.velocity[d].block(b)[c] - random_velocity(d, x);  // in 1 s, at 1 kg/m^3
      lost -= weights.step.mass(d, b, c) * std::pow(box.cell_size, 3) * change;
    });
    for (const HeldForce& held : scene.step.forces()) {
      if (held.axis != axis) continue;
      taken += held.force;
      size += std::abs(held.force);
    }
    size = world().sum(size);
    EXPECT_GT(size, 0.0);
    EXPECT_NEAR(world().sum(lost), world().sum(taken), 1e-5 * size);  // stresses of 1e4 edges in single precision
  }
}

TEST(ThinLiquids, are_those_whose_largest_viscosity_reaches_less_than_a_thousandth_of_a_cell) {
  ViscousBox box;
  ViscousCase scene(world(), box);
  EXPECT_TRUE(ViscousStep::is_thin(scene.liquid(0.999e-3), 1.0));
  EXPECT_FALSE(ViscousStep::is_thin(scene.liquid(1.001e-3), 1.0));
  EXPECT_FALSE(ViscousStep::is_thin(scene.liquid(0.999e-3), 1.1));
  const CellField<float> of_cells = two_viscosities(scene, 1.001e-3);  // 1e-4 in most cells
  const CellViscosities viscosities{of_cells, of_cells};
  scene.of_cells = &viscosities;
  EXPECT_FALSE(ViscousStep::is_thin(scene.liquid(0.0), 1.0));
}

/// Shallow liquid, and above it walls thinner than a cell in blocks that need not exist.
ViscousBox pool_below_thin_walls(int dimension) {
  ViscousBox box;
  box.dimension = dimension;
  box.cells = {24, 32, dimension == 3 ? 16 : 1};
  box.boundary = {{{no_slip, free_slip}, {no_slip, free_slip}, {periodic, periodic}}};
  box.distance = [](const Vec3& x) { return x.y() - 9.3; };
  box.sharp = false;
  for (const auto& [low, high] : {std::pair(Vec3(4.3, 20.3, -1.0), Vec3(11.0, 20.4, 9.0)),
                                  std::pair(Vec3(13.3, 17.0, -1.0), Vec3(13.4, 23.0, 17.0))}) {
    ShapeParameters wall;
    wall.lower = low;
    wall.upper = high;
    box.bodies.push_back({make_shape(wall), Slip::no_slip, WallCondition::sticky, Surface::voxels});
  }
  return box;
}

/// The velocities that steps leave on faces of the lower half of the domain, by their places. Collective
std::map<std::array<int, 4>, double> velocities_below(const ViscousBox& box) {
  ViscousCase scene(world(), box);
  scene.set_velocity(random_velocity);
  for (int step = 0; step < 3; ++step) act(scene, viscosity_of(just_thin, box));
  std::map<std::array<int, 4>, double> result;
  scene.for_each_face([&](int d, LocalIndex b, int c, const Vec3& x) {
    const Vec3i twice = (2.0 * x).array().round().cast<int>();
    if (x.y() < 16.0) result[{d, twice.x(), twice.y(), twice.z()}] = scene.velocity[d].block(b)[c];
  });
  return result;
}

TEST_P(ThinLiquid, has_the_same_bits_whichever_blocks_without_liquid_exist) {
  ViscousBox box = pool_below_thin_walls(GetParam());
  const auto with_all = velocities_below(box);
  box.sparse = true;
  const auto without = velocities_below(box);
  EXPECT_EQ(world().sum(GlobalIndex(with_all.size())), world().sum(GlobalIndex(without.size())));
  for (const auto& [place, velocity] : without)
    if (const auto same = with_all.find(place); same != with_all.end()) {
      ASSERT_EQ(velocity, same->second);
    }
}

/// The velocities that steps leave on this rank's faces, blocks in key order.
std::vector<double> velocities_after_steps(const Communicator& comm, const ViscousBox& box, GlobalIndex& first) {
  ViscousCase scene(comm, box);
  scene.set_velocity(random_velocity);
  for (int step = 0; step < 3; ++step) act(scene, viscosity_of(just_thin, box));
  const int cells = scene.layout.cells_per_block();
  first = scene.layout.first_global() * box.dimension * cells;
  std::vector<double> all;
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b)
    for (int d = 0; d < box.dimension; ++d)
      all.insert(all.end(), scene.velocity[d].block(b), scene.velocity[d].block(b) + cells);
  return all;
}

TEST_P(ThinLiquid, has_the_same_bits_on_any_number_of_ranks) {
  for (const ViscousBox& box : {tank(GetParam()), tank_with_thin_walls(GetParam()), tank_with_balls(GetParam())}) {
    GlobalIndex first = 0;
    const std::vector<double> alone =
        computed_alone([&](const Communicator& comm) { return velocities_after_steps(comm, box, first); });
    const std::vector<double> here = velocities_after_steps(world(), box, first);
    for (std::size_t n = 0; n < here.size(); ++n) ASSERT_EQ(here[n], alone[static_cast<std::size_t>(first) + n]);
  }
}

}  // namespace
}  // namespace freshet
