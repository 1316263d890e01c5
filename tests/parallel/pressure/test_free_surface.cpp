// SPDX-License-Identifier: Apache-2.0
#include "support/mpi_test.hpp"
#include "support/wall_case.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace freshet {
namespace {

using namespace test;

constexpr double g_dt = 0.125;  ///< what gravity adds in the step [m/s]

PressureOptions precise(std::string_view preconditioner, double theta_min = 1e-4) {
  PressureOptions options = solver_parameters(preconditioner, 1e-12);
  options.theta_min = theta_min;
  return options;
}

/// Liquid at rest below a plane that gravity is normal to, `height` cells above the middle of the box.
WallBox tank(int dimension, const Vec3& down, double height) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {16, 16, dimension == 3 ? 16 : 1};
  box.condition = WallCondition::sticky;
  const Vec3 middle(8.0, 8.0, dimension == 3 ? 8.0 : 0.5);
  box.distance = [=](const Vec3& x) { return -down.dot(x - middle) - height; };
  box.velocity = [=](int axis, const Vec3i&) { return g_dt * down[axis]; };
  return box;
}

constexpr double rounding = 1e-4 * g_dt;  ///< of distances of some cells in float, over theta

class FreeSurface2And3 : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, FreeSurface2And3, testing::Values(2, 3));

TEST_P(FreeSurface2And3, water_at_rest_has_the_pressure_of_its_depth_wherever_the_surface_lies) {
  const Vec3 tilted = GetParam() == 3 ? Vec3(0.36, -0.8, 0.48) : Vec3(0.6, -0.8, 0.0);
  for (const Vec3& down : {Vec3(0.0, -1.0, 0.0), tilted})
    // no centre is closer to the surface than 0.01 cells: theta_min has no part in this
    for (const double height : {0.05, 0.31, -0.45, -0.29, 0.51}) {
      const WallBox box = tank(GetParam(), down, height);
      WallCase water(world(), box);
      water.project(precise("mic0"));
      const auto hydrostatic = [&](const Vec3i& cell) {
        return -g_dt * box.distance(cell.cast<double>().array() + 0.5);
      };
      EXPECT_LE(water.pressure_error(hydrostatic), 10.0 * rounding) << height;
      EXPECT_LE(water.velocity_error([](int, const Vec3i&) { return 0.0; }), rounding) << height;
    }
}

/// The bound moves the surface away from cells whose centre is closer to it: pressure is too high there by what
/// theta_min - theta weighs, and nowhere by more.
TEST_P(FreeSurface2And3, the_bound_of_theta_moves_the_surface_by_no_more_than_the_bound) {
  constexpr double theta = 0.0625;
  WallCase water(world(), tank(GetParam(), Vec3(0.0, -1.0, 0.0), 0.5 + 1.0 / 64));
  water.project(precise("mic0", theta));
  const auto of_moved_surface = [&](const Vec3i& cell) { return g_dt * (8.5 + theta - (cell.y() + 0.5)); };
  EXPECT_LE(water.pressure_error(of_moved_surface), 10.0 * rounding);
}

/// A drop that expands evenly, u* = x: div u* is constant and p~ = (|x|^2 - R^2) / 2 in it. Largest error over R^2.
double drop_error(int dimension, int n, std::string_view preconditioner) {
  WallBox box;
  box.dimension = dimension;
  box.cells = {n, n, dimension == 3 ? n : 1};
  const double radius = 0.37 * n;
  const Vec3 center(0.51 * n, 0.49 * n, dimension == 3 ? 0.503 * n : 0.5);
  box.distance = [=](const Vec3& x) { return (x - center).norm() - radius; };
  box.velocity = [=](int axis, const Vec3i& cell) { return cell[axis] - center[axis]; };
  WallCase drop(world(), box);
  drop.project(precise(preconditioner));
  const auto exact = [=](const Vec3i& cell) {
    const Vec3 x = cell.cast<double>().array() + 0.5;
    return 0.5 * ((x - center).squaredNorm() - radius * radius);
  };
  return drop.pressure_error(exact) / (radius * radius);
}

TEST_P(FreeSurface2And3, pressure_in_a_drop_is_second_order) {
  const double coarse = drop_error(GetParam(), 16, "multigrid");
  const double fine = drop_error(GetParam(), 32, "multigrid");
  EXPECT_GE(coarse / fine, 3.5) << coarse << " at 16 cells, " << fine
                                << " at 32";  // 4 for order 2; the places of the surface between centres vary
}

/// A ball whose curvature is 1 / 64 has the pressure of its tension everywhere, and stays at rest.
TEST_P(FreeSurface2And3, a_drop_at_rest_has_the_pressure_of_its_tension) {
  WallBox box;
  box.dimension = GetParam();
  box.cells = {24, 24, GetParam() == 3 ? 24 : 1};
  const Vec3 center(12.3, 11.9, GetParam() == 3 ? 12.2 : 0.5);
  box.distance = [=](const Vec3& x) { return (x - center).norm() - 7.1; };
  box.velocity = [](int, const Vec3i&) { return 0.0; };
  box.curvature = [](const Vec3&) { return 1.0 / 64; };
  for (const std::string_view name : {"multigrid", "mic0"}) {
    WallCase drop(world(), box);
    drop.project(precise(name, 0.01));
    EXPECT_LE(drop.pressure_error([](const Vec3i&) { return 1.0 / 64; }), 1e-9);
    EXPECT_LE(drop.velocity_error([](int, const Vec3i&) { return 0.0; }), 1e-9);
  }
}

/// The curvature that counts is that of the surface between two centres: a pressure that grows evenly along x stops
/// liquid that would move along x between the walls.
TEST_P(FreeSurface2And3, tension_is_interpolated_to_the_surface) {
  WallBox box = tank(GetParam(), Vec3(0.0, -1.0, 0.0), 0.31);
  constexpr double slope = 1.0 / 128;
  box.velocity = [](int axis, const Vec3i&) { return axis == 0 ? slope : 0.0; };
  box.curvature = [](const Vec3& x) { return slope * x.x() + 0.5 * (x.y() - 8.31); };
  WallCase water(world(), box);
  water.project(precise("mic0"));
  EXPECT_LE(water.pressure_error([](const Vec3i& cell) { return slope * (cell.x() + 0.5); }), 1e-5);
  EXPECT_LE(water.velocity_error([](int, const Vec3i&) { return 0.0; }), 1e-5);
}

TEST(FreeSurface, every_preconditioner_finds_the_same_pressure) {
  const double reference = drop_error(2, 24, "multigrid");
  for (const std::string_view name : all_preconditioners())
    EXPECT_NEAR(drop_error(2, 24, name), reference, 1e-8) << name;
}

}  // namespace
}  // namespace freshet
