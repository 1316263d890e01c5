// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/shape.hpp"
#include "freshet/geometry/volume_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace freshet {
namespace {

const MeshSource no_mesh = [](const ShapeParameters&) -> const TriangleMesh& {
  static const TriangleMesh none;
  return none;
};

/// Moments by counting points of a fine lattice that lie in the shape.
VolumeMoments counted(const ShapeParameters& p, const SectionPlane& plane, int n) {
  const auto shape = make_shape(p);
  const Box box = shape->bounds();
  const Vec3 step = (box.upper - box.lower) / n;
  VolumeMoments sum;
  std::vector<Vec3> inside;
  for (int k = 0; k < (plane.dimension == 3 ? n : 1); ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        Vec3 x = box.lower + step.cwiseProduct(Vec3(i + 0.5, j + 0.5, k + 0.5));
        if (plane.dimension == 2) x.z() = plane.height;
        if (shape->signed_distance(x) < 0.0) inside.push_back(x);
      }
  const double part = plane.dimension == 3 ? step.prod() : step.x() * step.y();
  sum.volume = part * static_cast<double>(inside.size());
  for (const Vec3& x : inside) sum.centroid += x / static_cast<double>(inside.size());
  for (const Vec3& x : inside) sum.second += part * (x - sum.centroid) * (x - sum.centroid).transpose();
  return sum;
}

std::vector<ShapeParameters> solid_shapes() {
  std::vector<ShapeParameters> shapes(5);
  shapes[0].kind = ShapeKind::box;
  shapes[0].lower = {0.1, 0.2, 0.3};
  shapes[0].upper = {1.0, 0.7, 1.7};
  shapes[1].kind = ShapeKind::sphere;
  shapes[1].center = {0.2, 0.4, 0.6};
  shapes[1].radius = 0.7;
  shapes[2].kind = ShapeKind::cylinder;
  shapes[2].start = {0.0, 0.1, 0.2};
  shapes[2].end = {0.6, 0.9, 0.7};
  shapes[2].radius = 0.4;
  shapes[3] = shapes[2];
  shapes[3].kind = ShapeKind::capsule;
  shapes[4].kind = ShapeKind::torus;
  shapes[4].center = {0.2, 0.4, 0.6};
  shapes[4].axis = {1.0, 2.0, 0.5};
  shapes[4].major_radius = 0.8;
  shapes[4].minor_radius = 0.3;
  for (ShapeParameters& shape : shapes) {
    shape.transform.scale = 1.3;
    shape.transform.axis = {0.2, 1.0, 0.4};
    shape.transform.angle = 40.0;
    shape.transform.translate = {0.5, -1.0, 0.25};
  }
  return shapes;
}

void expect_close(const VolumeMoments& exact, const VolumeMoments& other, double tolerance) {
  const double size = std::cbrt(exact.volume);
  EXPECT_NEAR(other.volume / exact.volume, 1.0, tolerance);
  EXPECT_LT((other.centroid - exact.centroid).norm(), tolerance * size);
  EXPECT_LT((other.second - exact.second).norm(), tolerance * exact.second.norm());
}

TEST(VolumeMoments, closed_forms_agree_with_counted_points) {
  for (const ShapeParameters& shape : solid_shapes()) {
    SCOPED_TRACE(static_cast<int>(shape.kind));
    const auto exact = volume_moments(shape, {}, no_mesh);
    ASSERT_TRUE(exact);
    expect_close(*exact, counted(shape, {}, 100), 4e-3);  // a lattice of 100^3 points
  }
}

TEST(VolumeMoments, sections_agree_with_counted_points) {
  const SectionPlane plane{2, 0.05};
  std::vector<ShapeParameters> shapes = solid_shapes();
  shapes[0].lower.z() = -1.0;
  shapes[2].start.z() = shapes[2].end.z() = shapes[3].start.z() = shapes[3].end.z() = 0.2;
  shapes[1].center.z() = shapes[4].center.z() = 0.15;
  shapes[4].axis = Vec3::UnitZ();
  shapes.push_back(shapes[2]);
  shapes.back().end = shapes.back().start + Vec3::UnitZ();
  shapes.back().start.z() -= 1.0;
  for (ShapeParameters& shape : shapes) {
    SCOPED_TRACE(static_cast<int>(shape.kind));
    shape.transform.axis = Vec3::UnitZ();
    shape.transform.translate.z() = 0.0;
    shape.transform.scale = 1.0;  // the shape of counted() scales heights, too
    const auto exact = volume_moments(shape, plane, no_mesh);
    ASSERT_TRUE(exact);
    expect_close(*exact, counted(shape, plane, 1000), 4e-3);
  }
}

TEST(VolumeMoments, shapes_without_a_closed_form_have_none) {
  ShapeParameters shape;
  shape.kind = ShapeKind::half_space;
  EXPECT_FALSE(volume_moments(shape, {}, no_mesh));
  shape.kind = ShapeKind::union_of;
  shape.parts = solid_shapes();
  EXPECT_FALSE(volume_moments(shape, {}, no_mesh));
  ShapeParameters box = solid_shapes()[0];
  box.transform = {};
  EXPECT_FALSE(volume_moments(box, {2, 5.0}, no_mesh));  // the plane passes over it
}

/// The surface of a box as 12 triangles, seen from outside.
TriangleMesh box_mesh(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh;
  for (int n = 0; n < 8; ++n)
    mesh.points.emplace_back((n & 1) != 0 ? upper.x() : lower.x(), (n & 2) != 0 ? upper.y() : lower.y(),
                             (n & 4) != 0 ? upper.z() : lower.z());
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TEST(VolumeMoments, a_mesh_has_the_moments_of_its_region) {
  ShapeParameters box = solid_shapes()[0];
  ShapeParameters shape = box;
  shape.kind = ShapeKind::mesh;
  TriangleMesh mesh = box_mesh(box.lower, box.upper);
  const MeshSource source = [&](const ShapeParameters&) -> const TriangleMesh& { return mesh; };
  const auto exact = volume_moments(box, {}, no_mesh);
  expect_close(*exact, *volume_moments(shape, {}, source), 1e-13);
  for (Triangle& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);  // shown from inside
  expect_close(*exact, *volume_moments(shape, {}, source), 1e-13);
}

TEST(VolumeMoments, a_section_of_a_mesh_is_that_of_its_region) {
  const TriangleMesh mesh = box_mesh({0.1, 0.2, 0.3}, {1.0, 0.7, 1.7});
  const VolumeMoments moments = moments_of_section(mesh, 0.77);
  EXPECT_NEAR(moments.volume, 0.9 * 0.5, 1e-14);
  EXPECT_NEAR((moments.centroid - Vec3(0.55, 0.45, 0.77)).norm(), 0.0, 1e-14);
  EXPECT_NEAR(moments.second(0, 0), 0.45 * 0.81 / 12.0, 1e-14);
  EXPECT_NEAR(moments.second(1, 1), 0.45 * 0.25 / 12.0, 1e-14);
  EXPECT_NEAR(moments.second(0, 1), 0.0, 1e-14);
}

}  // namespace
}  // namespace freshet
