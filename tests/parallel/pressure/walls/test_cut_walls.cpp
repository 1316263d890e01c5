// SPDX-License-Identifier: Apache-2.0
// Liquid that leaves bodies which cut cells.
#include "support/mpi_test.hpp"
#include "support/wall_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace freshet {
namespace {

using namespace test;

class Ball final : public Shape {
 public:
  Ball(const Vec3& center, double radius) : center_(center), radius_(radius) {}
  double signed_distance(const Vec3& x) const override { return (x - center_).norm() - radius_; }
  Box bounds() const override { return {center_.array() - radius_, center_.array() + radius_}; }

 private:
  Vec3 center_;
  double radius_;
};

/// What lies below a plane.
class Ground final : public Shape {
 public:
  Ground(const Vec3& point, const Vec3& outward) : point_(point), outward_(outward) {}
  double signed_distance(const Vec3& x) const override { return (x - point_).dot(outward_); }
  Box bounds() const override { return {Vec3::Constant(-1e9), Vec3::Constant(1e9)}; }

 private:
  Vec3 point_;
  Vec3 outward_;
};

/// Liquid around a ball, or a disc, that is let go of or not; air far from it.
WallBox around_ball(int dimension, WallCondition wall) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {16, 16, dimension == 3 ? 16 : 1};
  box.condition = WallCondition::sticky;
  const Vec3 center(7.7, 8.2, dimension == 3 ? 8.1 : 0.5);
  SolidBody body;
  body.shape = std::make_shared<Ball>(center, 3.3);
  body.surface = Surface::fractions;
  body.wall = wall;
  box.bodies = {body};
  box.liquid = [center](const Vec3i& cell) {
    return (cell.cast<double>() + Vec3::Constant(0.5) - center).norm() < 6.0 ? Label::liquid : Label::air;
  };
  box.velocity = [](int axis, const Vec3i& cell) {
    const double phase = 1.7 * cell.x() + 2.3 * cell.y() + 0.9 * cell.z();
    return axis == 0 ? 1.0 : std::sin(phase + axis);
  };
  return box;
}

/// Net flow out of a cell through the open parts of its faces. [m/s]
double outflow(const WallCase& water, LocalIndex b, int c) {
  double sum = 0.0;
  for (int d = 0; d < water.layout.domain().dimension(); ++d) {
    const auto [slot, high] = water.beside(b, c, d, 1);
    const auto flow = [&, axis = d](LocalIndex block, int face) {
      return static_cast<double>(water.solids.open_fraction()[axis].block(block)[face]) *
             water.velocity[axis].block(block)[face];
    };
    sum += flow(slot, high) - flow(b, c);
  }
  return sum;
}

class CutWalls2And3 : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, CutWalls2And3, testing::Values(2, 3));

TEST_P(CutWalls2And3, liquid_leaves_the_lee_of_a_ball_and_enters_it_nowhere) {
  WallCase water(world(), around_ball(GetParam(), WallCondition::separating));
  Projection projection(world(), solver_parameters("multigrid", 1e-10));
  const ProjectionReport report = projection(water.labels, water.solids, water.velocity, water.pressure);
  water.layout.halo().gather(water.velocity, 1);
  EXPECT_GT(report.separated_faces, 0);
  EXPECT_LT(report.separated_faces, report.wall_faces);
  EXPECT_LE(report.complementarity, 1e-9);
  ASSERT_NE(projection.released(), nullptr);
  GlobalIndex n_released = 0;
  water.for_each_liquid([&](const Vec3i& cell, LocalIndex b, int c) {
    const bool is_released = projection.released()->block(b)[c] != 0;
    n_released += is_released ? 1 : 0;
    const double net = outflow(water, b, c);
    if (is_released) {
      EXPECT_GE(net, -1e-8) << cell.transpose();
    } else {
      EXPECT_NEAR(net, 0.0, 1e-8) << cell.transpose();
    }
  });
  EXPECT_EQ(world().sum(n_released), report.separated_faces);
}

TEST_P(CutWalls2And3, liquid_held_by_a_ball_has_no_pieces) {
  WallCase water(world(), around_ball(GetParam(), WallCondition::sticky));
  Projection projection(world(), solver_parameters("multigrid", 1e-10));
  const ProjectionReport report = projection(water.labels, water.solids, water.velocity, water.pressure);
  EXPECT_EQ(report.wall_faces, 0);
  EXPECT_EQ(projection.released(), nullptr);
}

TEST_P(CutWalls2And3, liquid_thrown_off_a_plane_flies_on_and_liquid_thrown_at_it_stops) {
  const Vec3 outward = GetParam() == 3 ? Vec3(0.36, 0.8, -0.48) : Vec3(0.6, 0.8, 0.0);
  const Vec3 at(8.0, 4.3, GetParam() == 3 ? 8.0 : 0.5);
  for (const double speed : {1.0, -1.0}) {
    WallBox box;
    box.dimension = GetParam();
    box.cells = {16, 16, GetParam() == 3 ? 16 : 1};
    box.condition = WallCondition::separating;
    SolidBody body;
    body.shape = std::make_shared<Ground>(at, outward);
    body.surface = Surface::fractions;
    body.wall = WallCondition::separating;
    box.bodies = {body};
    // a puddle in the middle, so that no wall of the box has a part in it
    box.liquid = [=](const Vec3i& cell) {
      const Vec3 r = cell.cast<double>() + Vec3::Constant(0.5) - at;
      return r.norm() < 4.0 ? Label::liquid : Label::air;
    };
    box.velocity = [=](int axis, const Vec3i&) { return speed * outward[axis]; };
    WallCase water(world(), box);
    water.project(solver_parameters("multigrid", 1e-10));
    if (speed > 0.0) {
      EXPECT_LE(water.pressure_error([](const Vec3i&) { return 0.0; }), 1e-6);
    } else {
      EXPECT_EQ(water.report.separated_faces, 0);
      double largest = 0.0;  // liquid inside the puddle
      water.for_each_liquid(
          [&](const Vec3i&, LocalIndex b, int c) { largest = std::max(largest, water.pressure.block(b)[c]); });
      EXPECT_GE(world().max(largest), 1.0);
    }
  }
}

}  // namespace
}  // namespace freshet
