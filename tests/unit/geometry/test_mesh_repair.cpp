// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh_repair.hpp"
#include "support/meshes.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

/// Open edges, loops of them, and polygons, each by itself; what becomes of whole meshes is shown by
/// test_mesh_cracks.cpp.
namespace freshet {
namespace {

using Loop = std::vector<std::int32_t>;

/// Each loop begins with its lowest point; the loops are sorted.
std::vector<Loop> normal_form(std::vector<Loop> loops) {
  for (Loop& loop : loops) std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::sort(loops.begin(), loops.end());
  return loops;
}

TriangleMesh flat_mesh(int n_points, std::vector<Triangle> triangles) {
  TriangleMesh mesh;
  for (int n = 0; n < n_points; ++n) mesh.points.emplace_back(std::cos(n), std::sin(n), 0.0);
  mesh.triangles = std::move(triangles);
  return mesh;
}

TEST(OpenEdges, of_a_closed_mesh_are_none) {
  EXPECT_TRUE(find_open_edges(test::box_mesh(Vec3::Zero(), Vec3::Ones())).empty());
}

TEST(OpenEdges, have_the_direction_of_the_triangle_that_is_there) {
  TriangleMesh mesh = test::box_mesh(Vec3::Zero(), Vec3::Ones());
  const Triangle lost = mesh.triangles.back();
  mesh.triangles.pop_back();
  const std::vector<OpenEdge> open = find_open_edges(mesh);
  ASSERT_EQ(open.size(), 3u);
  for (const OpenEdge& edge : open) {
    EXPECT_EQ(edge.times, 1);
    const auto corner = std::find(lost.begin(), lost.end(), edge.to) - lost.begin();
    EXPECT_EQ(lost[static_cast<std::size_t>(corner + 1) % 3], edge.from) << "the lost triangle runs the other way";
  }
}

TEST(OpenEdges, count_how_often_one_direction_is_in_excess) {
  // three triangles go from 0 to 1, one from 1 to 0
  const TriangleMesh mesh = flat_mesh(6, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {1, 0, 5}});
  for (const OpenEdge& edge : find_open_edges(mesh)) {
    const bool is_shared = edge.from == 0 && edge.to == 1;
    EXPECT_EQ(edge.times, is_shared ? 2 : 1) << edge.from << " to " << edge.to;
    EXPECT_FALSE(edge.from == 1 && edge.to == 0);
  }
}

double volume_of(const TriangleMesh& mesh) {
  double volume = 0.0;
  for (const auto& [a, b, c] : mesh.triangles)
    volume += mesh.points[static_cast<std::size_t>(a)].dot(
                  mesh.points[static_cast<std::size_t>(b)].cross(mesh.points[static_cast<std::size_t>(c)])) /
              6.0;
  return volume;
}

void turn(Triangle& triangle) {
  std::swap(triangle[1], triangle[2]);
}

TEST(TurnedTriangles, of_a_cube_are_turned_back_however_many_they_are) {
  for (const std::size_t n : {1U, 5U, 6U, 11U}) {
    TriangleMesh mesh = test::box_mesh({1, 2, 3}, {2, 4, 6});
    for (std::size_t t = 0; t < n; ++t) turn(mesh.triangles[2 * t % 12 + (2 * t) / 12]);
    const MeshRepairs repairs = close_mesh(mesh, "cube");
    EXPECT_EQ(repairs.holes, 0) << n;
    EXPECT_EQ(repairs.turned, n <= 6 ? n : 12 - n) << n;
    EXPECT_NEAR(volume_of(mesh), n <= 6 ? 6.0 : -6.0, 1e-12) << n << ": most of its triangles say where outside is";
  }
}

TEST(TurnedTriangles, leave_bodies_and_cavities_without_them_alone) {
  TriangleMesh mesh = test::box_mesh(Vec3::Zero(), {4, 4, 4});
  TriangleMesh cavity = test::box_mesh(Vec3::Ones(), {2, 2, 2});
  for (Triangle& triangle : cavity.triangles) turn(triangle);
  test::append(mesh, cavity);
  turn(mesh.triangles[3]);
  EXPECT_EQ(close_mesh(mesh, "box").turned, 1);
  EXPECT_NEAR(volume_of(mesh), 63.0, 1e-12);
}

TEST(TurnedTriangles, of_a_strip_with_one_side_stay) {
  TriangleMesh strip;
  constexpr int n = 8;
  for (int i = 0; i < n; ++i) {
    const double turn = 0.785398163397448 * i;
    const Vec3 out(std::cos(turn), std::sin(turn), 0.0);
    const Vec3 across = std::cos(0.5 * turn) * Vec3::UnitZ() + std::sin(0.5 * turn) * out;
    for (const double side : {-0.3, 0.3}) strip.points.push_back(out + side * across);
  }
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t a = 2 * i, b = a + 1;
    const bool closes = i == n - 1;  // where the two sides meet
    const std::int32_t c = closes ? 1 : a + 2, d = closes ? 0 : b + 2;
    strip.triangles.push_back({a, c, b});
    strip.triangles.push_back({b, c, d});
  }
  const std::vector<Triangle> before = strip.triangles;
  EXPECT_EQ(turn_to_neighbours(strip), 0);
  EXPECT_EQ(strip.triangles, before);
}

TEST(Holes, are_as_wide_as_a_square_of_their_shape) {
  TriangleMesh cup = test::box_mesh(Vec3::Zero(), {0.4, 0.4, 2.0});
  cup.triangles.erase(cup.triangles.begin() + 2, cup.triangles.begin() + 4);  // the face z = 2
  const MeshRepairs repairs = close_mesh(cup, "cup");
  EXPECT_NEAR(repairs.widest_hole, 0.4, 1e-12);
  EXPECT_NEAR(repairs.cap_area / repairs.own_area, 0.16 / 3.36, 1e-12) << "a glass has a small lid";
  TriangleMesh slit = test::box_mesh(Vec3::Zero(), {1.0, 0.02, 1.0});
  slit.triangles.erase(slit.triangles.begin() + 2, slit.triangles.begin() + 4);
  EXPECT_NEAR(close_mesh(slit, "slit").widest_hole, 4.0 * 0.02 / 2.04, 1e-12);
}

TEST(BoundaryLoops, of_two_holes_are_two_loops) {
  TriangleMesh mesh = test::box_mesh(Vec3::Zero(), Vec3::Ones());
  mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 2);  // the face z = 0
  mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 2);  // the face z = 1
  const std::vector<Loop> loops = boundary_loops(mesh, find_open_edges(mesh));
  ASSERT_EQ(loops.size(), 2u);
  for (const Loop& loop : loops) {
    ASSERT_EQ(loop.size(), 4u);
    const double z = mesh.points[static_cast<std::size_t>(loop[0])].z();
    for (const std::int32_t point : loop) EXPECT_EQ(mesh.points[static_cast<std::size_t>(point)].z(), z);
  }
}

TEST(BoundaryLoops, that_touch_in_a_point_visit_it_once_each) {
  // two triangles in the plane with the corner 0 in common, like a bow
  TriangleMesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0.2, 0}, {1, -0.2, 0}, {-1, -0.2, 0}, {-1, 0.2, 0}};
  mesh.triangles = {{0, 2, 1}, {0, 4, 3}};
  EXPECT_EQ(normal_form(boundary_loops(mesh, find_open_edges(mesh))), (std::vector<Loop>{{0, 2, 1}, {0, 4, 3}}));
}

TEST(BoundaryLoops, take_an_edge_as_often_as_it_is_open) {
  const TriangleMesh mesh = flat_mesh(5, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}});
  const std::vector<Loop> loops = boundary_loops(mesh, find_open_edges(mesh));
  EXPECT_EQ(normal_form(loops), (std::vector<Loop>{{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}));
}

/// Area of each triangle along z [m^2].
std::vector<double> areas(const std::vector<Triangle>& triangles, const std::vector<Vec3>& points) {
  std::vector<double> found;
  for (const auto& [a, b, c] : triangles) {
    const Vec3& corner = points[static_cast<std::size_t>(a)];
    const Vec3 ab = points[static_cast<std::size_t>(b)] - corner;
    found.push_back(0.5 * ab.cross(points[static_cast<std::size_t>(c)] - corner).z());
  }
  return found;
}

TEST(CutPolygon, of_a_star_gives_triangles_inside_of_it) {
  std::vector<Vec3> points;
  for (int n = 0; n < 10; ++n) {
    const double angle = 0.628318530717958 * n;
    points.push_back((n % 2 == 0 ? 2.0 : 0.7) * Vec3(std::cos(angle), std::sin(angle), 0.0));
  }
  double area = 0.0;  // by the shoelace formula
  for (std::size_t n = 0; n < 10; ++n) area += 0.5 * points[n].cross(points[(n + 1) % 10]).z();
  for (const bool reversed : {false, true}) {
    Loop corners(10);
    std::iota(corners.begin(), corners.end(), 0);
    if (reversed) std::reverse(corners.begin(), corners.end());
    std::vector<Triangle> triangles;
    cut_polygon(corners, points, triangles);
    ASSERT_EQ(triangles.size(), 8u);
    double sum = 0.0;
    for (const double one : areas(triangles, points)) {
      EXPECT_GT(reversed ? -one : one, 0.0) << "a triangle outside of the star runs the other way";
      sum += one;
    }
    EXPECT_NEAR(sum, reversed ? -area : area, 1e-12);
  }
}

TEST(CutPolygon, appends_and_leaves_earlier_triangles) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<Triangle> triangles{{7, 8, 9}};
  cut_polygon(Loop{0, 1, 2, 3}, points, triangles);
  ASSERT_EQ(triangles.size(), 3u);
  EXPECT_EQ(triangles[0], (Triangle{7, 8, 9}));
  EXPECT_EQ(areas({triangles[1], triangles[2]}, points), (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace freshet
