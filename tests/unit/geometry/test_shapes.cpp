// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;  // a dozen operations on numbers of order 1 to 10

ShapeParameters box() {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::box;
  parameters.lower = {0.0, 0.0, 0.0};
  parameters.upper = {4.0, 2.0, 6.0};
  return parameters;
}

ShapeParameters sphere(const Vec3& center = {1.0, 2.0, 3.0}, double radius = 2.0) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::sphere;
  parameters.center = center;
  parameters.radius = radius;
  return parameters;
}

ShapeParameters cylinder(const Vec3& start = {0.0, 1.0, 0.0}, const Vec3& end = {0.0, 5.0, 0.0}) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::cylinder;
  parameters.start = start;
  parameters.end = end;
  parameters.radius = 1.5;
  return parameters;
}

ShapeParameters half_space(const Vec3& point, const Vec3& normal) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::half_space;
  parameters.point = point;
  parameters.normal = normal;
  return parameters;
}

ShapeParameters union_of(const std::vector<ShapeParameters>& parts) {
  ShapeParameters parameters;
  parameters.kind = ShapeKind::union_of;
  parameters.parts = parts;
  return parameters;
}

void expect_distance(const ShapeParameters& parameters, const Vec3& x, double distance) {
  EXPECT_NEAR(make_shape(parameters)->signed_distance(x), distance, rounding) << "at " << x.transpose();
}

TEST(Shapes, box_measures_to_its_nearest_face_edge_or_corner) {
  expect_distance(box(), {2.0, 1.0, 3.0}, -1.0);
  expect_distance(box(), {0.5, 1.0, 3.0}, -0.5);
  expect_distance(box(), {7.0, 1.0, 3.0}, 3.0);
  expect_distance(box(), {-3.0, 6.0, 3.0}, 5.0);
  expect_distance(box(), {6.0, 4.0, 7.0}, 3.0);
  expect_distance(box(), {4.0, 1.0, 3.0}, 0.0);
}

TEST(Shapes, box_may_have_sides_at_infinity) {
  ShapeParameters slab = box();
  slab.lower = {-infinity, 0.0, -infinity};
  slab.upper = {infinity, 2.0, infinity};
  expect_distance(slab, {100.0, 0.5, -7.0}, -0.5);
  expect_distance(slab, {100.0, 5.0, -7.0}, 3.0);
  ShapeParameters all = box();
  all.lower = Vec3::Constant(-infinity);
  all.upper = Vec3::Constant(infinity);
  EXPECT_EQ(make_shape(all)->signed_distance({1.0, 2.0, 3.0}), -infinity);
}

TEST(Shapes, sphere_measures_along_its_radius) {
  expect_distance(sphere(), {1.0, 2.0, 3.0}, -2.0);
  expect_distance(sphere(), {4.0, 6.0, 3.0}, 3.0);
  expect_distance(sphere(), {1.0, 2.0, 1.0}, 0.0);
}

TEST(Shapes, cylinder_measures_to_side_cap_and_rim) {
  expect_distance(cylinder(), {0.0, 3.0, 0.0}, -1.5);
  expect_distance(cylinder(), {0.0, 1.25, 0.0}, -0.25);
  expect_distance(cylinder(), {1.0, 3.0, 0.0}, -0.5);
  expect_distance(cylinder(), {0.0, 3.0, 4.0}, 2.5);
  expect_distance(cylinder(), {1.0, 7.0, 0.0}, 2.0);
  expect_distance(cylinder(), {4.5, 9.0, 0.0}, 5.0);  // 3 from the side, 4 above the cap
  expect_distance(cylinder(), {-4.5, -3.0, 0.0}, 5.0);
}

TEST(Shapes, tilted_cylinder_is_the_upright_one_turned) {
  const ShapeParameters tilted = cylinder({1.0, 1.0, 1.0}, Vec3(1.0, 1.0, 1.0) + 4.0 * Vec3(0.6, 0.8, 0.0));
  const Vec3 along(0.6, 0.8, 0.0);
  const Vec3 across(-0.8, 0.6, 0.0);
  for (double t = -3.0; t <= 7.0; t += 0.7)
    for (double r = 0.0; r < 4.0; r += 0.6) {
      const double expected = make_shape(cylinder())->signed_distance({r, 1.0 + t, 0.0});
      expect_distance(tilted, Vec3(1.0, 1.0, 1.0) + t * along + r * across, expected);
    }
}

/// The tube touches itself at the centre and nowhere crosses itself, so that the distance stays exact.
TEST(Shapes, torus_whose_tube_touches_itself_measures_to_its_surface) {
  ShapeParameters torus;
  torus.kind = ShapeKind::torus;
  torus.axis = {0.0, 0.0, 2.0};
  torus.major_radius = torus.minor_radius = 1.0;
  expect_distance(torus, {0.0, 0.0, 0.0}, 0.0);
  expect_distance(torus, {0.0, 0.0, 1.0}, std::sqrt(2.0) - 1.0);
  expect_distance(torus, {1.0, 0.0, 0.0}, -1.0);
  expect_distance(torus, {0.25, 0.0, 0.0}, -0.25);
  const auto shape = make_shape(torus);
  constexpr int n = 80;  // points along an axis of the box around it
  int inside = 0;
  for (int i = 0; i < n * n * n / 2; ++i) {
    const Vec3 x(4.0 * (i % n + 0.5) / n - 2.0, 4.0 * (i / n % n + 0.5) / n - 2.0, 4.0 * (i / n / n + 0.5) / n - 1.0);
    inside += shape->signed_distance(x) < 0.0 ? 1 : 0;
  }
  const double volume = inside * std::pow(4.0 / n, 3);
  EXPECT_NEAR(volume, 2.0 * std::pow(std::acos(-1.0), 2), 0.05);  // Pappus: 2 pi^2 R r^2; midpoints on 40 layers
}

TEST(Shapes, half_space_is_negative_behind_its_plane) {
  const ShapeParameters pool = half_space({0.0, 2.0, 0.0}, {0.0, 3.0, 0.0});  // any length of the normal
  expect_distance(pool, {5.0, 0.5, -9.0}, -1.5);
  expect_distance(pool, {5.0, 6.0, -9.0}, 4.0);
  expect_distance(half_space({1.0, 1.0, 0.0}, {0.6, 0.8, 0.0}), {4.0, 5.0, 2.0}, 5.0);
}

TEST(Shapes, union_is_the_nearest_of_its_parts) {
  const ShapeParameters both = union_of({sphere({0.0, 0.0, 0.0}, 1.0), sphere({10.0, 0.0, 0.0}, 2.0)});
  expect_distance(both, {3.0, 0.0, 0.0}, 2.0);
  expect_distance(both, {7.0, 0.0, 0.0}, 1.0);
  expect_distance(both, {9.0, 0.0, 0.0}, -1.0);
  EXPECT_EQ(make_shape(union_of({}))->signed_distance({0.0, 0.0, 0.0}), infinity);
}

TEST(Shapes, bounds_are_tight_where_the_shape_is_finite) {
  Box bounds = make_shape(box())->bounds();
  EXPECT_EQ(bounds.lower, Vec3(0.0, 0.0, 0.0));
  EXPECT_EQ(bounds.upper, Vec3(4.0, 2.0, 6.0));
  bounds = make_shape(sphere())->bounds();
  EXPECT_EQ(bounds.lower, Vec3(-1.0, 0.0, 1.0));
  EXPECT_EQ(bounds.upper, Vec3(3.0, 4.0, 5.0));
  bounds = make_shape(cylinder())->bounds();
  EXPECT_NEAR((bounds.lower - Vec3(-1.5, 1.0, -1.5)).norm(), 0.0, rounding);
  EXPECT_NEAR((bounds.upper - Vec3(1.5, 5.0, 1.5)).norm(), 0.0, rounding);
  bounds = make_shape(cylinder({0.0, 0.0, 0.0}, {3.0, 4.0, 0.0}))->bounds();  // discs reach 1.5 * (0.8, 0.6, 1)
  EXPECT_NEAR((bounds.lower - Vec3(-1.2, -0.9, -1.5)).norm(), 0.0, rounding);
  EXPECT_NEAR((bounds.upper - Vec3(4.2, 4.9, 1.5)).norm(), 0.0, rounding);
}

TEST(Shapes, bounds_of_half_spaces_and_unions_may_be_infinite) {
  Box bounds = make_shape(half_space({0.0, 2.0, 0.0}, {0.0, 1.0, 0.0}))->bounds();
  EXPECT_EQ(bounds.upper, Vec3(infinity, 2.0, infinity));
  EXPECT_EQ(bounds.lower, Vec3::Constant(-infinity));
  bounds = make_shape(half_space({0.0, 2.0, 0.0}, {0.0, -5.0, 0.0}))->bounds();
  EXPECT_EQ(bounds.lower, Vec3(-infinity, 2.0, -infinity));
  bounds = make_shape(half_space({0.0, 2.0, 0.0}, {1.0, 1.0, 0.0}))->bounds();
  EXPECT_EQ(bounds.upper, Vec3::Constant(infinity));
  bounds = make_shape(union_of({sphere(), half_space({0.0, 2.0, 0.0}, {0.0, 1.0, 0.0})}))->bounds();
  EXPECT_EQ(bounds.upper, Vec3(infinity, 4.0, infinity));
}

TEST(Shapes, distances_rise_by_one_a_metre_along_the_outward_normal) {
  const ShapeParameters shapes[] = {box(), sphere(), cylinder(), half_space({0.0, 2.0, 0.0}, {0.3, 0.5, 0.1})};
  constexpr double h = 1e-4;
  for (const ShapeParameters& parameters : shapes) {
    const auto shape = make_shape(parameters);
    for (double x = -4.05; x < 8.0; x += 2.3)
      for (double y = -3.15; y < 8.0; y += 1.9) {
        const Vec3 at(x, y, 0.37 * x + 1.21 * y);
        const Vec3 normal = outward_normal(*shape, at, h);
        EXPECT_NEAR(normal.norm(), 1.0, rounding);
        const double slope =
            (shape->signed_distance(at + h * normal) - shape->signed_distance(at - h * normal)) / (2 * h);
        EXPECT_NEAR(slope, 1.0, 1e-6);  // curvature h^2 / radius^2 and rounding eps / h, both below
      }
  }
}

TEST(Shapes, outward_normal_vanishes_at_a_centre) {
  EXPECT_EQ(outward_normal(*make_shape(sphere()), {1.0, 2.0, 3.0}, 1e-3), Vec3(Vec3::Zero()));
  EXPECT_NEAR((outward_normal(*make_shape(box()), {3.9, 1.0, 3.0}, 1e-3) - Vec3::UnitX()).norm(), 0.0, rounding);
}

}  // namespace
}  // namespace freshet
