// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace freshet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;  // a few dozen operations on numbers of order 1 to 10

ShapeParameters of_kind(ShapeKind kind) {
  ShapeParameters p;
  p.kind = kind;
  return p;
}

ShapeParameters box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters p = of_kind(ShapeKind::box);
  p.lower = lower;
  p.upper = upper;
  return p;
}

ShapeParameters sphere(const Vec3& center, double radius) {
  ShapeParameters p = of_kind(ShapeKind::sphere);
  p.center = center;
  p.radius = radius;
  return p;
}

ShapeParameters capsule(const Vec3& start, const Vec3& end, double radius) {
  ShapeParameters p = of_kind(ShapeKind::capsule);
  p.start = start;
  p.end = end;
  p.radius = radius;
  return p;
}

ShapeParameters torus(const Vec3& center, const Vec3& axis, double major, double minor) {
  ShapeParameters p = of_kind(ShapeKind::torus);
  p.center = center;
  p.axis = axis;
  p.major_radius = major;
  p.minor_radius = minor;
  return p;
}

ShapeParameters combine(ShapeKind kind, std::vector<ShapeParameters> parts) {
  ShapeParameters p = of_kind(kind);
  p.parts = std::move(parts);
  return p;
}

/// One shape of each kind, all within 4 of the origin.
std::vector<ShapeParameters> one_of_each() {
  ShapeParameters cylinder = of_kind(ShapeKind::cylinder);
  cylinder.start = {0.5, -1.0, 0.0};
  cylinder.end = {1.0, 1.0, 1.0};
  cylinder.radius = 0.7;
  ShapeParameters plane = of_kind(ShapeKind::half_space);
  plane.point = {0.0, 0.5, 0.0};
  plane.normal = {1.0, 2.0, -0.5};
  const ShapeParameters ball = sphere({0.5, 0.2, -0.3}, 1.1);
  const ShapeParameters brick = box({-1, -0.5, 0}, {1, 1, 1.5});
  return {brick,
          ball,
          cylinder,
          plane,
          capsule({-1, 0, 0}, {1, 1, 0.5}, 0.4),
          torus({0.1, 0.2, 0.3}, {1, 1, 0}, 1.2, 0.3),
          combine(ShapeKind::union_of, {brick, ball}),
          combine(ShapeKind::intersection_of, {brick, ball}),
          combine(ShapeKind::difference_of, {brick, ball, plane})};
}

std::vector<Vec3> points(int n, double half_width) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> along(-half_width, half_width);
  std::vector<Vec3> all;
  for (int i = 0; i < n; ++i) {
    const double x = along(random);
    const double y = along(random);
    all.emplace_back(x, y, along(random));
  }
  return all;
}

TEST(Primitives, capsule_measures_to_its_line) {
  const auto shape = make_shape(capsule({0, 0, 0}, {4, 0, 0}, 0.5));
  EXPECT_DOUBLE_EQ(shape->signed_distance({2, 3, 0}), 2.5);
  EXPECT_DOUBLE_EQ(shape->signed_distance({7, 4, 0}), 4.5);
  EXPECT_DOUBLE_EQ(shape->signed_distance({1, 0, 0}), -0.5);
  EXPECT_EQ(shape->bounds().upper, Vec3(4.5, 0.5, 0.5));
  EXPECT_DOUBLE_EQ(make_shape(capsule({1, 1, 1}, {1, 1, 1}, 0.5))->signed_distance({1, 4, 5}), 4.5);  // a sphere
}

TEST(Primitives, torus_measures_to_its_circle) {
  const auto shape = make_shape(torus({0, 0, 0}, {0, 0, 5}, 2.0, 0.5));
  EXPECT_DOUBLE_EQ(shape->signed_distance({2, 0, 0}), -0.5);
  EXPECT_DOUBLE_EQ(shape->signed_distance({0, 0, 0}), 1.5);
  EXPECT_DOUBLE_EQ(shape->signed_distance({0, 5, 4}), 4.5);
  EXPECT_NEAR((shape->bounds().upper - Vec3(2.5, 2.5, 0.5)).norm(), 0.0, rounding);
}

TEST(Primitives, differences_and_intersections_have_the_points_they_should) {
  const auto cut = make_shape(combine(ShapeKind::difference_of, {box({0, 0, 0}, {4, 4, 4}), sphere({4, 4, 4}, 2.0)}));
  EXPECT_DOUBLE_EQ(cut->signed_distance({1, 2, 2}), -1.0);
  EXPECT_DOUBLE_EQ(cut->signed_distance({4, 4, 4}), 2.0);
  EXPECT_DOUBLE_EQ(cut->signed_distance({3.0, 3.9, 3.9}), 2.0 - std::sqrt(1.02));
  EXPECT_EQ(cut->bounds().upper, Vec3(4, 4, 4));
  const auto lens = make_shape(combine(ShapeKind::intersection_of, {sphere({0, 0, 0}, 2.0), sphere({3, 0, 0}, 2.0)}));
  EXPECT_DOUBLE_EQ(lens->signed_distance({1.5, 0, 0}), -0.5);
  EXPECT_DOUBLE_EQ(lens->signed_distance({-1, 0, 0}), 2.0);
  EXPECT_EQ(lens->bounds().lower, Vec3(1, -2, -2));
  EXPECT_EQ(lens->bounds().upper, Vec3(2, 2, 2));
}

TEST(Transforms, a_point_is_scaled_then_turned_then_moved) {
  ShapeParameters p = sphere({1, 0, 0}, 0.5);
  p.transform = {2.0, Vec3(0, 0, 3), 90.0, Vec3(1, 1, 0), Vec3(0, 0, 7)};
  // (1, 0, 0) -> (2, 0, 0) -> about (1, 1): (1, -1) turns into (1, 1), so (2, 2, 0) -> (2, 2, 7)
  const auto shape = make_shape(p);
  EXPECT_NEAR(shape->signed_distance({2, 2, 7}), -1.0, rounding);
  EXPECT_NEAR(shape->signed_distance({2, 5, 7}), 2.0, rounding);
}

TEST(Transforms, any_shape_keeps_its_distances_up_to_the_scale) {
  for (ShapeParameters p : one_of_each()) {
    const auto before = make_shape(p);
    p.transform = {1.7, Vec3(1, -2, 0.5), 77.0, Vec3(0.3, 0.1, -2), Vec3(3, -1, 2)};
    const auto after = make_shape(p);
    // the same map by hand: Rodrigues' formula
    const Vec3 n = p.transform.axis.normalized();
    const double angle = 77.0 * std::acos(-1.0) / 180.0;
    const auto map = [&](const Vec3& x) {
      const Vec3 arm = 1.7 * x - p.transform.center;
      const Vec3 cross(n.y() * arm.z() - n.z() * arm.y(), n.z() * arm.x() - n.x() * arm.z(),
                       n.x() * arm.y() - n.y() * arm.x());
      const Vec3 turned = std::cos(angle) * arm + std::sin(angle) * cross + (1.0 - std::cos(angle)) * n.dot(arm) * n;
      return Vec3(turned + p.transform.center + p.transform.translate);
    };
    for (const Vec3& x : points(200, 3.0))
      EXPECT_NEAR(after->signed_distance(map(x)), 1.7 * before->signed_distance(x), 10 * rounding);
  }
}

TEST(Transforms, bounds_hold_the_turned_shape) {
  for (ShapeParameters p : one_of_each()) {
    p.transform = {0.8, Vec3(1, 1, 0.3), 40.0, Vec3(0, 1, 0), Vec3(0.5, 0, 0)};
    const auto shape = make_shape(p);
    const Box bounds = shape->bounds();
    for (const Vec3& x : points(3000, 4.0)) {
      if (shape->signed_distance(x) > 0.0) continue;
      EXPECT_TRUE((x.array() >= bounds.lower.array() - rounding).all()) << static_cast<int>(p.kind);
      EXPECT_TRUE((x.array() <= bounds.upper.array() + rounding).all()) << static_cast<int>(p.kind);
    }
  }
}

TEST(Transforms, quarter_turns_are_exact) {
  ShapeParameters p = box({0, 0, 0}, {4, 2, 6});
  p.transform.angle = -450.0;  // a quarter turn back, about z: (x, y) -> (y, -x)
  const Box bounds = make_shape(p)->bounds();
  EXPECT_EQ(bounds.lower, Vec3(0, -4, 0));
  EXPECT_EQ(bounds.upper, Vec3(2, 0, 6));
  ShapeParameters slab = box({-infinity, 0, -infinity}, {infinity, 2, infinity});
  slab.transform.angle = 90.0;
  EXPECT_EQ(make_shape(slab)->bounds().lower, Vec3(-2, -infinity, -infinity));
  EXPECT_EQ(make_shape(slab)->bounds().upper, Vec3(0, infinity, infinity));
}

TEST(Transforms, parts_move_with_the_whole) {
  ShapeParameters inner = sphere({1, 0, 0}, 1.0);
  inner.transform.translate = {0, 1, 0};  // (1, 1, 0)
  ShapeParameters whole = combine(ShapeKind::union_of, {inner});
  whole.transform.scale = 2.0;    // (2, 2, 0)
  whole.transform.angle = 180.0;  // (-2, -2, 0)
  EXPECT_NEAR(make_shape(whole)->signed_distance({-2, -2, 0}), -2.0, rounding);
}

TEST(Transforms, distances_change_by_no_more_than_the_way) {
  for (ShapeParameters p : one_of_each()) {
    p.transform = {1.3, Vec3(1, 0, 1), 25.0, Vec3::Zero(), Vec3::Zero()};
    const auto shape = make_shape(p);
    const std::vector<Vec3> all = points(500, 4.0);
    for (std::size_t i = 1; i < all.size(); ++i)
      EXPECT_LE(std::abs(shape->signed_distance(all[i]) - shape->signed_distance(all[i - 1])),
                (all[i] - all[i - 1]).norm() + rounding);
  }
}

}  // namespace
}  // namespace freshet
