// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4
#include "freshet/geometry/shape.hpp"
#include "freshet/pressure/wall_methods.hpp"
#include "support/mpi_test.hpp"
#include "support/wall_case.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using namespace test;

constexpr double g_dt = 0.125;  ///< what gravity adds in the step [m/s]; exact in binary
constexpr double tight = 1e-10;

PressureOptions with_method(std::string_view method, double tolerance = tight) {
  PressureOptions parameters = solver_parameters("mic0", tolerance);
  parameters.walls.method = wall_method_named(method);
  return parameters;
}

double falling(int axis, const Vec3i& /*cell*/) {
  return axis == 1 ? -g_dt : 0.0;
}
double rising(int axis, const Vec3i& cell) {
  return -falling(axis, cell);
}
double at_rest(int /*axis*/, const Vec3i& /*cell*/) {
  return 0.0;
}

constexpr int slab_height = 5;

/// Liquid under the lid of a box, from wall to wall. 2-D: cells of 16 x 24; 3-D: 16 x 24 x 16.
WallBox slab_under_lid(int dimension, WallCondition condition) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {16, 24, dimension == 3 ? 16 : 1};
  box.condition = condition;
  box.liquid = [](const Vec3i& cell) { return cell.y() >= 24 - slab_height ? Label::liquid : Label::air; };
  box.velocity = falling;
  return box;
}

/// Layers of liquid between a cell and the free surface below it, its own included.
int depth(const Vec3i& cell) {
  return cell.y() - (24 - slab_height) + 1;
}

/// A solution for zero: as small as the tolerance leaves |r| of a right-hand side of size g_dt a cell.
constexpr double nearly_zero = 1e-8 * g_dt;

class Slab : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Slab, testing::Values(2, 3));

TEST_P(Slab, under_a_lid_falls_at_once_if_walls_let_go) {
  WallCase slab(world(), slab_under_lid(GetParam(), WallCondition::separating));
  const ProjectionReport report = slab.project(with_method("complementarity"));
  EXPECT_LE(slab.velocity_error(falling), nearly_zero);
  EXPECT_LE(slab.pressure_error([](const Vec3i&) { return 0.0; }), nearly_zero);
  EXPECT_EQ(report.separated_faces, GetParam() == 3 ? 16 * 16 : 16);
}

TEST_P(Slab, under_a_lid_hangs_if_walls_are_sticky) {
  WallCase slab(world(), slab_under_lid(GetParam(), WallCondition::sticky));
  const ProjectionReport report = slab.project(with_method("complementarity"));
  EXPECT_LE(slab.velocity_error(at_rest), nearly_zero);
  EXPECT_LE(slab.pressure_error([](const Vec3i& cell) { return -g_dt * depth(cell); }), nearly_zero);
  EXPECT_EQ(report.wall_faces, 0);
}

TEST_P(Slab, is_held_by_the_lid_with_the_pressure_of_its_depth_when_gravity_points_up) {
  for (const WallCondition condition : {WallCondition::sticky, WallCondition::separating}) {
    WallBox box = slab_under_lid(GetParam(), condition);
    box.velocity = rising;
    WallCase slab(world(), box);
    const ProjectionReport report = slab.project(with_method("complementarity"));
    EXPECT_LE(slab.velocity_error(at_rest), nearly_zero);
    // p = rho g h, h from the sample of the air below: p~ = p dt / (rho dx) = g dt h / dx
    EXPECT_LE(slab.pressure_error([](const Vec3i& cell) { return g_dt * depth(cell); }), nearly_zero);
    EXPECT_EQ(report.separated_faces, 0);
  }
}

TEST_P(Slab, that_leaves_its_wall_keeps_its_speed) {
  for (const int axis : {0, 1})
    for (const int side : {0, 1}) {
      WallBox box;
      box.dimension = GetParam();
      box.cells = {16, 16, box.dimension == 3 ? 16 : 1};
      box.liquid = [=](const Vec3i& cell) {
        const int away = side == 0 ? cell[axis] : 15 - cell[axis];
        return away < 4 ? Label::liquid : Label::air;
      };
      const double speed = side == 0 ? 3.0 : -3.0;
      const auto uniform = [=](int d, const Vec3i&) { return d == axis ? speed : 0.0; };
      box.velocity = uniform;
      WallCase slab(world(), box);
      slab.project(with_method("complementarity"));
      EXPECT_LE(slab.velocity_error(uniform), 1e-8 * 3.0) << axis << side;
    }
}

TEST_P(Slab, hangs_on_the_walls_that_are_sticky_by_themselves) {
  WallBox box = slab_under_lid(GetParam(), WallCondition::separating);
  for (auto& axis : box.face) axis = {WallChoice::sticky, WallChoice::sticky};  // beside it too: suction acts there
  box.face[1][0] = WallChoice::inherit;
  WallCase slab(world(), box);
  slab.project(with_method("complementarity"));
  EXPECT_LE(slab.velocity_error(at_rest), nearly_zero);
  box = slab_under_lid(GetParam(), WallCondition::sticky);
  box.face[1][1] = WallChoice::separating;
  WallCase other(world(), box);
  other.project(with_method("complementarity"));
  EXPECT_LE(other.velocity_error(falling), nearly_zero);
}

TEST_P(Slab, leaves_a_body_by_the_body_s_own_choice) {
  for (const WallCondition wall : {WallCondition::sticky, WallCondition::separating}) {
    ShapeParameters plate;
    plate.kind = ShapeKind::box;
    plate.lower = {-1.0, 12.0, -1.0};
    plate.upper = {17.0, 14.0, 17.0};
    WallBox box;
    box.dimension = GetParam();
    box.cells = {16, 24, box.dimension == 3 ? 16 : 1};
    box.condition = WallCondition::sticky;
    box.bodies.push_back({make_shape(plate), Slip::free_slip, wall});
    box.liquid = [](const Vec3i& cell) { return cell.y() >= 8 && cell.y() < 12 ? Label::liquid : Label::air; };
    box.velocity = falling;
    WallCase slab(world(), box);
    slab.project(with_method("complementarity"));
    EXPECT_LE(slab.velocity_error(wall == WallCondition::sticky ? at_rest : falling), nearly_zero);
  }
}

TEST_P(Slab, water_at_rest_stays_at_rest_whatever_the_walls) {
  WallBox box;
  box.dimension = GetParam();
  box.cells = {16, 16, box.dimension == 3 ? 16 : 1};
  box.liquid = [](const Vec3i& cell) { return cell.y() < 9 ? Label::liquid : Label::air; };
  box.velocity = falling;
  for (const char* method : {"complementarity", "cg", "iop_bc"}) {
    WallCase water(world(), box);
    const ProjectionReport report = water.project(with_method(method));
    EXPECT_LE(water.velocity_error(at_rest), nearly_zero);
    EXPECT_LE(water.pressure_error([](const Vec3i& cell) { return g_dt * (9 - cell.y()); }), nearly_zero);
    EXPECT_EQ(report.separated_faces, 0);
  }
}

TEST_P(Slab, a_full_box_stays_full) {
  WallBox box;
  box.dimension = GetParam();
  box.cells = {16, 8, box.dimension == 3 ? 16 : 1};
  box.liquid = [](const Vec3i&) { return Label::liquid; };
  box.velocity = falling;
  WallCase full(world(), box);
  full.project(with_method("complementarity"));
  EXPECT_LE(full.velocity_error(at_rest), nearly_zero);
  EXPECT_LE(full.complementarity(), nearly_zero);
}

// ----------------------------------------------------------------------------------------------------- rough scenes

/// Three steps and a plate in a box; liquid in lumps against all of them, thrown about.
WallBox stair(int dimension, WallCondition condition, bool stores_walls = false) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {24, 24, dimension == 3 ? 16 : 1};
  box.condition = condition;
  box.stores_walls = stores_walls;
  const auto add = [&](const Vec3& lower, const Vec3& upper) {
    ShapeParameters shape;
    shape.kind = ShapeKind::box;
    shape.lower = lower;
    shape.upper = upper;
    box.bodies.push_back({make_shape(shape), Slip::free_slip, condition});
  };
  for (int step = 0; step < 3; ++step) add({-1.0, -1.0, -1.0}, {4.0 * (step + 1), 12.0 - 4.0 * step, 99.0});
  add({18.0, 12.0, -1.0}, {99.0, 14.0, 99.0});
  box.liquid = [](const Vec3i& cell) {
    return noise(Vec3i(cell / 3), 4) + 0.4 * noise(cell, 9) > -0.3 ? Label::liquid : Label::air;
  };
  box.velocity = [](int axis, const Vec3i& cell) {
    return noise(Vec3i(cell / 4), 20 + axis) + 0.3 * noise(cell, 30 + axis);
  };
  return box;
}

constexpr double stair_speed = 1.3;  ///< bound of |u*|

class Stair : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, Stair, testing::Values(2, 3));

TEST_P(Stair, complementarity_holds_on_every_wall_face_and_no_divergence_is_left) {
  for (const double tolerance : {1e-5, tight}) {
    WallCase scene(world(), stair(GetParam(), WallCondition::separating));
    const ProjectionReport report = scene.project(with_method("complementarity", tolerance));
    EXPECT_LE(scene.complementarity(), tolerance * stair_speed);
    EXPECT_LE(report.complementarity, tolerance * stair_speed);
    // |r| <= tolerance |b| bounds the largest cell; |b| is at most 6 faces' speed a cell over all cells. What clamping
    // adds is within complementarity.
    EXPECT_LE(scene.largest_outflow(), tolerance * 6.0 * stair_speed * std::sqrt(report.solve.unknowns));
    EXPECT_GT(report.separated_faces, 10);
    EXPECT_LT(report.separated_faces, report.wall_faces);
  }
}

TEST_P(Stair, complementarity_is_the_same_on_one_rank) {
  WallCase shared(world(), stair(GetParam(), WallCondition::separating));
  shared.project(with_method("complementarity"));
  const Communicator alone(MPI_COMM_SELF);
  WallCase whole(alone, stair(GetParam(), WallCondition::separating));
  whole.project(with_method("complementarity"));
  EXPECT_EQ(shared.report.separated_faces, whole.report.separated_faces);
  double worst = 0.0;
  shared.for_each_liquid([&](const Vec3i&, LocalIndex b, int c) {
    const LocalIndex twin = whole.layout.find(shared.layout.key(b));
    for (int axis = 0; axis < GetParam(); ++axis)
      worst = std::max(worst, std::abs(shared.velocity[axis].block(b)[c] - whole.velocity[axis].block(twin)[c]));
  });
  EXPECT_LE(world().max(worst), 1e-7 * stair_speed);  // the tolerance, times what the inverse of A adds to it
}

TEST_P(Stair, mirrored_walls_give_the_mirrored_answer) {
  const WallBox box = stair(GetParam(), WallCondition::separating);
  WallBox open = box;
  open.bodies.clear();
  WallBox mirrored = open;
  mirrored.liquid = [&](const Vec3i& cell) { return open.liquid({23 - cell.x(), cell.y(), cell.z()}); };
  mirrored.velocity = [&](int axis, const Vec3i& cell) {
    return axis == 0 ? -open.velocity(0, {24 - cell.x(), cell.y(), cell.z()})
                     : open.velocity(axis, {23 - cell.x(), cell.y(), cell.z()});
  };
  WallCase one(world(), open);
  WallCase other(world(), mirrored);
  const ProjectionReport a = one.project(with_method("complementarity"));
  const ProjectionReport b = other.project(with_method("complementarity"));
  EXPECT_EQ(a.wall_faces, b.wall_faces);
  EXPECT_EQ(a.separated_faces, b.separated_faces);
  const auto kinetic = [](const WallCase& scene) {
    double sum = 0.0;
    scene.for_each_wall_face([&](int axis, LocalIndex slot, int face, int, LocalIndex, int, bool) {
      sum += std::abs(scene.velocity[axis].block(slot)[face]);
    });
    return world().sum(sum);
  };
  EXPECT_NEAR(kinetic(one), kinetic(other), 1e-7 * kinetic(one));
  EXPECT_GT(kinetic(one), 1.0);
}

/// What the outer loops leave: their threshold on the divergence, times what the inverse of A makes of it in a scene
/// some twenty cells wide.
constexpr double amplification = 30.0;

TEST_P(Stair, sticky_admm_and_iop_agree_with_the_plain_solve_to_their_thresholds) {
  WallCase plain(world(), stair(GetParam(), WallCondition::sticky, true));
  plain.project(with_method("cg"));
  for (const double threshold : {1e-2, 1e-4}) {
    for (const char* method : {"admm", "iop"}) {
      PressureOptions parameters = with_method(method);
      parameters.walls.epsilon_cg = 0.01 * threshold;
      parameters.walls.epsilon_aabs = parameters.walls.epsilon_idiv = threshold;
      parameters.walls.epsilon_arel = 0.0;
      parameters.walls.max_outer = 5000;
      WallCase scene(world(), stair(GetParam(), WallCondition::sticky, true));
      const ProjectionReport report = scene.project(parameters);
      EXPECT_TRUE(report.outer_converged);
      EXPECT_GT(report.outer_iterations, 2);
      EXPECT_LE(scene.velocity_difference(plain), amplification * threshold);
    }
  }
}

TEST_P(Stair, separating_admm_by_either_rule_and_iop_agree) {
  const double threshold = 1e-5;
  PressureOptions parameters = with_method("iop");
  parameters.walls.epsilon_cg = 0.01 * threshold;
  parameters.walls.epsilon_aabs = parameters.walls.epsilon_adiv = parameters.walls.epsilon_idiv = threshold;
  parameters.walls.epsilon_arel = 0.0;
  parameters.walls.max_outer = 20000;
  WallCase iop(world(), stair(GetParam(), WallCondition::separating, true));
  EXPECT_TRUE(iop.project(parameters).outer_converged);
  EXPECT_LE(iop.largest_outflow(), threshold * 1.01);  // of cells one metre wide
  parameters.walls.method = wall_method_named("admm");
  for (const WallStopping stopping : {WallStopping::velocity, WallStopping::divergence}) {
    parameters.walls.stopping = stopping;
    WallCase admm(world(), stair(GetParam(), WallCondition::separating, true));
    EXPECT_TRUE(admm.project(parameters).outer_converged);
    EXPECT_LE(admm.velocity_difference(iop), amplification * threshold);
    EXPECT_EQ(admm.report.separated_faces, iop.report.separated_faces);
  }
}

TEST_P(Stair, boundary_information_removes_the_divergence_that_the_simple_update_keeps) {
  for (const WallClassification classification : {WallClassification::velocity, WallClassification::pressure}) {
    PressureOptions parameters = with_method("cg");
    parameters.walls.classification = classification;
    parameters.walls.epsilon_idiv = 1e-6;
    WallCase simple(world(), stair(GetParam(), WallCondition::separating));
    const ProjectionReport kept = simple.project(parameters);
    EXPECT_GT(kept.max_divergence, 0.1);
    EXPECT_NEAR(kept.max_divergence, simple.largest_outflow(), 1e-6);
    parameters.walls.method = wall_method_named("iop_bc");
    WallCase removed(world(), stair(GetParam(), WallCondition::separating));
    const ProjectionReport report = removed.project(parameters);
    EXPECT_TRUE(report.outer_converged);
    EXPECT_LE(removed.largest_outflow(), 1.01e-6);
    EXPECT_NEAR(report.max_divergence, removed.largest_outflow(), 1e-8);
    EXPECT_EQ(report.separated_faces, kept.separated_faces);  // classified once, and kept
  }
}

TEST_P(Stair, a_solver_that_does_not_converge_is_followed_by_a_second_one_and_then_by_an_error) {
  PressureOptions parameters = with_method("complementarity", 1e-6);
  parameters.preconditioner = preconditioner_named("jacobi");
  parameters.max_iterations = 10;
  WallCase scene(world(), stair(GetParam(), WallCondition::separating));
  const ProjectionReport report = scene.project(parameters);
  EXPECT_NE(report.retried.find("jacobi"), std::string::npos);
  EXPECT_LE(scene.complementarity(), 1e-6 * stair_speed);
  parameters.max_iterations = 1;
  parameters.tolerance = 1e-13;
  WallCase hopeless(world(), stair(GetParam(), WallCondition::separating));
  EXPECT_THROW(hopeless.project(parameters), RunError);
}

TEST(Walls, a_box_without_liquid_is_projected_by_every_method) {
  for (const char* method : {"cg", "admm", "iop", "iop_bc", "complementarity"}) {
    WallBox box = slab_under_lid(3, WallCondition::separating);
    box.liquid = [](const Vec3i&) { return Label::air; };
    WallCase empty(world(), box);
    EXPECT_EQ(empty.project(with_method(method)).solve.iterations, 0);
  }
}

}  // namespace
}  // namespace freshet
