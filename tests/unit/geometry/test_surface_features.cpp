// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/geometry/surface_features.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr SectionPlane space{3, 0.0};
constexpr SectionPlane flat{2, 0.05};

const MeshSource no_mesh = [](const ShapeParameters&) -> const TriangleMesh& {
  static const TriangleMesh none;
  return none;
};

SurfaceFeatures features(const ShapeParameters& shape, const SectionPlane& plane) {
  return surface_features(shape, plane, no_mesh, 0.05);
}

ShapeParameters box(const Vec3& lower, const Vec3& upper) {
  ShapeParameters p;
  p.lower = lower;
  p.upper = upper;
  return p;
}

ShapeParameters rod(ShapeKind kind, const Vec3& start, const Vec3& end, double radius) {
  ShapeParameters p;
  p.kind = kind;
  p.start = start;
  p.end = end;
  p.radius = radius;
  return p;
}

ShapeParameters ball(const Vec3& center, double radius) {
  ShapeParameters p;
  p.kind = ShapeKind::sphere;
  p.center = center;
  p.radius = radius;
  return p;
}

/// The farthest that a shape's features reach in a direction.
double reach(const SurfaceFeatures& features, const Vec3& direction) {
  double farthest = -1e300;
  for (const RoundedLine& line : features.lines)
    farthest = std::max({farthest, direction.dot(line.start) + line.radius, direction.dot(line.end) + line.radius});
  for (const RoundedCircle& circle : features.circles) {
    const double across = (direction - direction.dot(circle.axis) * circle.axis).norm();
    farthest = std::max(farthest, direction.dot(circle.center) + across * circle.radius + circle.thickness);
  }
  return farthest;
}

/// Directions all around, in the plane or in space.
std::vector<Vec3> directions(int dimension) {
  std::vector<Vec3> all;
  for (int i = 0; i < 24; ++i)
    for (int k = -2; k <= 2; ++k) {
      if (dimension == 2 && k != 0) continue;
      const double angle = 0.1 + i * std::numbers::pi / 12.0, up = 0.6 * k;
      all.emplace_back(Vec3(std::cos(angle) * std::cos(up), std::sin(angle) * std::cos(up), std::sin(up)));
    }
  return all;
}

TEST(SurfaceFeatures, a_turned_box_reaches_as_far_as_its_corners) {
  ShapeParameters p = box({0.2, 0.1, 0.0}, {0.6, 0.4, 0.1});
  p.transform.axis = Vec3::UnitZ();
  p.transform.angle = 30.0;
  p.transform.scale = 1.5;
  const double c = std::cos(std::numbers::pi / 6.0), s = 0.5;
  for (const SectionPlane& plane : {space, flat}) {
    const SurfaceFeatures found = features(p, plane);
    EXPECT_EQ(found.lines.size(), plane.dimension == 3 ? 12U : 4U);
    const double middle = plane.dimension == 2 ? plane.height : 0.0;
    for (const Vec3& n : directions(plane.dimension)) {
      double exact = -1e300;
      for (const double x : {0.3, 0.9})
        for (const double y : {0.15, 0.6})
          for (const double z : {0.0, 0.1 * 1.5})
            exact = std::max(exact, n.dot(Vec3(c * x - s * y, s * x + c * y, plane.dimension == 3 ? z : middle)));
      EXPECT_NEAR(reach(found, n), exact, 1e-12);
    }
  }
}

TEST(SurfaceFeatures, round_shapes_reach_as_far_as_they_are) {
  const Vec3 a(0.2, 0.3, 0.05), b(0.5, 0.7, 0.05), axis = (b - a).normalized();
  for (const SectionPlane& plane : {space, flat})
    for (const Vec3& n : directions(plane.dimension)) {
      const double ends = std::max(n.dot(a), n.dot(b));
      EXPECT_NEAR(reach(features(ball(a, 0.1), plane), n), n.dot(a) + 0.1, 1e-12);
      EXPECT_NEAR(reach(features(rod(ShapeKind::capsule, a, b, 0.1), plane), n), ends + 0.1, 1e-12);
      const double across = (n - n.dot(axis) * axis).norm();
      EXPECT_NEAR(reach(features(rod(ShapeKind::cylinder, a, b, 0.1), plane), n), ends + 0.1 * across, 1e-12);
    }
}

TEST(SurfaceFeatures, the_section_of_a_ball_off_the_plane_is_a_smaller_disc) {
  const SurfaceFeatures found = features(ball({0.0, 0.0, 0.05 + 0.06}, 0.1), flat);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_NEAR(found.lines[0].radius, 0.08, 1e-15);  // 6, 8, 10
  EXPECT_EQ(found.lines[0].start, Vec3(0.0, 0.0, 0.05));
}

TEST(SurfaceFeatures, the_cut_of_an_intersection_has_its_corners) {
  // the lower half of a box, cut by a slanted plane: the corners of the cut are at y = 0.5 + 0.1 x
  ShapeParameters half;
  half.kind = ShapeKind::half_space;
  half.point = {0.0, 0.5, 0.0};
  half.normal = Vec3(-0.1, 1.0, 0.0);
  ShapeParameters p;
  p.kind = ShapeKind::intersection_of;
  p.parts = {box({0.0, 0.0, 0.0}, {1.0, 1.0, 0.1}), half};
  for (const SectionPlane& plane : {space, flat}) {
    const SurfaceFeatures found = features(p, plane);
    for (const Vec3& corner : {Vec3(0.0, 0.5, 0.0), Vec3(1.0, 0.6, 0.0), Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.1)}) {
      double nearest = 1e300;
      for (const RoundedLine& line : found.lines)
        for (const Vec3& x : {line.start, line.end})
          nearest =
              std::min(nearest, (x - Vec3(corner.x(), corner.y(), plane.dimension == 2 ? 0.05 : corner.z())).norm());
      EXPECT_LT(nearest, 1e-7) << corner.transpose();
    }
    const auto whole = make_shape(p);
    for (const RoundedLine& line : found.lines)
      for (const Vec3& x : {line.start, line.end}) EXPECT_LT(whole->signed_distance(x), 1e-7);
  }
}

TEST(SurfaceFeatures, a_bowl_has_the_rim_of_its_hollow) {
  ShapeParameters p;
  p.kind = ShapeKind::difference_of;
  p.parts = {box({-0.5, -0.5, -0.5}, {0.5, 0.0, 0.5}), ball(Vec3::Zero(), 0.4)};
  const auto whole = make_shape(p);
  const SurfaceFeatures found = features(p, space);
  int on_rim = 0;
  for (const RoundedLine& line : found.lines) {
    EXPECT_LT(whole->signed_distance(line.start), 1e-7);
    const bool is_on_rim = std::abs(line.start.y()) < 1e-7 && std::abs(line.start.norm() - 0.4) < 1e-7;
    on_rim += is_on_rim && line.start == line.end ? 1 : 0;
  }
  EXPECT_GT(on_rim, 2.0 * std::numbers::pi * 0.4 / 0.1);  // at most two spacings apart
}

TEST(SurfaceFeatures, a_mesh_has_its_corners_and_sharp_edges) {
  TriangleMesh cube;
  for (int n = 0; n < 8; ++n) cube.points.emplace_back(Vec3(n & 1, n >> 1 & 1, n >> 2 & 1));
  cube.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  const MeshSource source = [&](const ShapeParameters&) -> const TriangleMesh& { return cube; };
  ShapeParameters p;
  p.kind = ShapeKind::mesh;
  EXPECT_EQ(surface_features(p, space, source, 0.05).lines.size(), 12U);  // no diagonals
  const SurfaceFeatures section = surface_features(p, {2, 0.5}, source, 0.05);
  for (const Vec3& n : directions(2)) {
    const double exact = std::max(0.0, n.x()) + std::max(0.0, n.y());
    EXPECT_NEAR(reach(section, n), exact, 1e-12);
  }
}

}  // namespace
}  // namespace freshet
