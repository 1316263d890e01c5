// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "support/meshes.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace freshet {
namespace {

using test::append;
using test::box_mesh;
using test::icosphere;
using test::turn_inside_out;

constexpr double rounding = 1e-15;  // of differences of coordinates of order 1
constexpr double expansion = 0.04;  // what the first term of far clusters leaves: 0.025 at most in these cases

MeshRepairs repairs_of(TriangleMesh& mesh) {
  return close_mesh(mesh, "mesh");
}

MeshShape shape_of(TriangleMesh mesh) {
  close_mesh(mesh, "mesh");
  return MeshShape(mesh);
}

std::shared_ptr<const MeshShape> shared(TriangleMesh mesh) {
  close_mesh(mesh, "mesh");
  return std::make_shared<const MeshShape>(mesh);
}

/// Points in a cube about the origin, always the same ones.
std::vector<Vec3> points_in_cube(int n, double half_width) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> along(-half_width, half_width);
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    const double x = along(random);
    const double y = along(random);
    points.emplace_back(x, y, along(random));
  }
  return points;
}

double worst_distance(const Shape& shape, double radius) {
  double worst = 0.0;
  for (const Vec3& x : points_in_cube(2000, 1.5))
    worst = std::max(worst, std::abs(shape.signed_distance(x) - (x.norm() - radius)));
  return worst;
}

TEST(MeshShape, a_cube_is_the_box_that_it_bounds) {
  const MeshShape cube = shape_of(box_mesh({0, 0, 0}, {1, 2, 3}));
  EXPECT_EQ(cube.bounds().lower, Vec3(0, 0, 0));
  EXPECT_EQ(cube.bounds().upper, Vec3(1, 2, 3));
  // worked by hand: inside, above a face, beside an edge, off a corner
  EXPECT_DOUBLE_EQ(cube.signed_distance({0.25, 1.0, 1.5}), -0.25);
  EXPECT_DOUBLE_EQ(cube.signed_distance({0.5, 1.0, 4.5}), 1.5);
  EXPECT_DOUBLE_EQ(cube.signed_distance({4.0, 6.0, 1.0}), 5.0);
  EXPECT_DOUBLE_EQ(cube.signed_distance({-1.0, -2.0, -2.0}), 3.0);
  EXPECT_NEAR(cube.signed_distance({0.3, 0.2, 0.0}), 0.0, rounding);
}

TEST(MeshShape, the_distance_to_a_sphere_is_of_second_order) {
  const double coarse = worst_distance(shape_of(icosphere(3)), 1.0);
  const double fine = worst_distance(shape_of(icosphere(4)), 1.0);
  EXPECT_LT(fine, 2e-3);                 // sagitta of an edge of 0.069: l^2 / (6 r) = 0.0008
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);  // edges of half the length
}

TEST(MeshShape, the_distance_changes_by_no_more_than_the_way) {
  const MeshShape sphere = shape_of(icosphere(2));
  const std::vector<Vec3> points = points_in_cube(1000, 1.5);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double change = std::abs(sphere.signed_distance(points[i]) - sphere.signed_distance(points[i - 1]));
    EXPECT_LE(change, (points[i] - points[i - 1]).norm() * (1.0 + 1e-12));  // rounding
  }
}

TEST(MeshShape, a_tree_finds_what_looking_at_every_triangle_finds) {
  TriangleMesh mesh = icosphere(2);
  for (Vec3& x : mesh.points) x.z() *= 3.0 + x.x();
  std::vector<std::unique_ptr<MeshShape>> single;  // each triangle alone
  for (const Triangle& t : mesh.triangles) {
    TriangleMesh one;
    one.points = mesh.points;
    one.triangles = {t};
    single.push_back(std::make_unique<MeshShape>(one));
  }
  const MeshShape all(mesh);
  for (const Vec3& x : points_in_cube(200, 4.0)) {
    double nearest = 1e300;
    double winding = 0.0;
    for (const auto& triangle : single) {
      nearest = std::min(nearest, std::abs(triangle->signed_distance(x)));
      winding += triangle->winding_number(x);
    }
    EXPECT_DOUBLE_EQ(std::abs(all.signed_distance(x)), nearest);
    EXPECT_NEAR(all.winding_number(x), winding, 2.0 * expansion);  // on both sides
    EXPECT_NEAR(all.winding_number(x), std::round(all.winding_number(x)),
                expansion);  // a closed mesh winds whole times
  }
}

/// Distance from a segment by its parameter.
double to_segment(const Vec3& p, const Vec3& q, const Vec3& x) {
  const Vec3 way = q - p;
  return (x - p - std::clamp(way.dot(x - p) / way.squaredNorm(), 0.0, 1.0) * way).norm();
}

/// Distance from a triangle, one at a time and by planes through its edges: a reference for what vectors find.
double to_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& x) {
  const Vec3 normal = (b - a).cross(c - a).normalized();
  const auto is_left = [&](const Vec3& p, const Vec3& q) { return normal.dot((q - p).cross(x - p)) >= 0.0; };
  if (is_left(a, b) && is_left(b, c) && is_left(c, a)) return std::abs(normal.dot(x - a));
  return std::min({to_segment(a, b, x), to_segment(b, c, x), to_segment(c, a, x)});
}

TEST(MeshShape, lattices_are_sampled_as_a_reference_finds_one_triangle_at_a_time) {
  TriangleMesh mesh = icosphere(4);  // 5120 triangles: a tree of ten levels
  for (Vec3& x : mesh.points) x += 0.05 * Vec3(std::sin(9.0 * x.y()), std::sin(8.0 * x.z()), 2.0 * x.x());
  const MeshShape shape(mesh);
  const LatticeNodes nodes{Vec3(-1.3, -1.2, -1.1), 0.29, Vec3i(9, 8, 7)};
  std::vector<double> distances(nodes.size());
  shape.sample(nodes, distances);
  for (int k = 0; k < nodes.count.z(); ++k)
    for (int j = 0; j < nodes.count.y(); ++j)
      for (int i = 0; i < nodes.count.x(); ++i) {
        const Vec3 x = nodes.at(i, j, k);
        double nearest = 1e300;
        for (const auto& [a, b, c] : mesh.triangles)
          nearest = std::min(
              nearest, to_triangle(mesh.points[static_cast<std::size_t>(a)], mesh.points[static_cast<std::size_t>(b)],
                                   mesh.points[static_cast<std::size_t>(c)], x));
        const double found = distances[nodes.index(i, j, k)];
        EXPECT_NEAR(std::abs(found), nearest, 10.0 * rounding) << x.transpose();
        EXPECT_EQ(found < 0.0, shape.signed_distance(x) < 0.0);
      }
}

TEST(MeshShape, nested_shells_that_wind_alike_are_one_body) {
  TriangleMesh mesh = icosphere(3);
  append(mesh, icosphere(3, Vec3::Zero(), 0.5));
  const MeshShape body = shape_of(mesh);
  EXPECT_NEAR(body.winding_number({0, 0, 0}), 2.0, expansion);
  EXPECT_NEAR(body.winding_number({0.75, 0, 0}), 1.0, expansion);
  EXPECT_NEAR(body.winding_number({1.5, 0, 0}), 0.0, expansion);
  EXPECT_LT(body.signed_distance({0.1, 0.2, 0}), 0.0);
  EXPECT_LT(body.signed_distance({0.75, 0, 0}), 0.0);
}

TEST(MeshShape, a_shell_that_winds_against_the_one_around_it_is_a_cavity) {
  TriangleMesh mesh = icosphere(3, Vec3::Zero(), 0.5);
  turn_inside_out(mesh);
  append(mesh, icosphere(3));
  const MeshShape body = shape_of(mesh);
  EXPECT_NEAR(body.winding_number({0, 0, 0}), 0.0, expansion);
  EXPECT_NEAR(body.signed_distance({0.2, 0, 0}), 0.3, 0.01);  // sagitta of the coarser triangles
  EXPECT_NEAR(body.signed_distance({0.8, 0, 0}), -0.2, 0.01);
}

TEST(MeshShape, inside_out_encloses_the_same) {
  TriangleMesh mesh = icosphere(2);
  const MeshShape right = shape_of(mesh);
  turn_inside_out(mesh);
  const MeshShape wrong = shape_of(mesh);
  EXPECT_NEAR(wrong.winding_number({0, 0, 0}), -1.0, expansion);
  for (const Vec3& x : points_in_cube(300, 1.5))
    EXPECT_NEAR(wrong.signed_distance(x), right.signed_distance(x), rounding);
}

TEST(MeshShape, bodies_that_cross_are_joined) {
  TriangleMesh mesh = box_mesh({-1, -1, -1}, {0.5, 1, 1});
  append(mesh, box_mesh({-0.5, -0.9, -0.9}, {1, 0.9, 0.9}));
  const MeshShape body = shape_of(mesh);
  for (const Vec3& x : points_in_cube(2000, 1.5)) {
    const bool in_first = (x - Vec3(-1, -1, -1)).minCoeff() > 0 && (Vec3(0.5, 1, 1) - x).minCoeff() > 0;
    const bool in_second = (x - Vec3(-0.5, -0.9, -0.9)).minCoeff() > 0 && (Vec3(1, 0.9, 0.9) - x).minCoeff() > 0;
    EXPECT_EQ(body.signed_distance(x) < 0.0, in_first || in_second) << x.transpose();
  }
}

TEST(MeshShape, holes_are_closed) {
  TriangleMesh mesh = icosphere(3);
  const std::size_t n_whole = mesh.triangles.size();
  std::erase_if(mesh.triangles,
                [&](const Triangle& t) { return mesh.points[static_cast<std::size_t>(t[0])].z() > 0.9; });
  const std::size_t n_open = mesh.triangles.size();
  ASSERT_LT(n_open, n_whole);
  const MeshRepairs repairs = repairs_of(mesh);
  EXPECT_EQ(repairs.holes, 1);
  EXPECT_EQ(mesh.triangles.size(), n_open + static_cast<std::size_t>(repairs.open_edges));
  const MeshShape body(mesh);
  EXPECT_NEAR(body.winding_number({0, 0, 0}), 1.0, expansion);
  EXPECT_LT(body.signed_distance({0, 0, 0.8}), 0.0);
  EXPECT_GT(body.signed_distance({0, 0, 0.98}), 0.0);  // beyond the lid, where the sphere was
  // near the lid too the distance is one: no jump where the sign changes
  for (double z = 0.7; z < 1.1; z += 0.001)
    EXPECT_LE(std::abs(body.signed_distance({0.01, 0.02, z + 0.001}) - body.signed_distance({0.01, 0.02, z})),
              0.001001);
}

TEST(MeshShape, several_holes_and_a_lonely_triangle_do_no_harm) {
  TriangleMesh mesh = icosphere(3);
  std::erase_if(mesh.triangles,
                [&](const Triangle& t) { return std::abs(mesh.points[static_cast<std::size_t>(t[0])].x()) > 0.95; });
  const auto first = static_cast<std::int32_t>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), {{0.1, 0, 0}, {0.2, 0, 0}, {0.1, 0.1, 0}});
  mesh.triangles.push_back({first, first + 1, first + 2});
  EXPECT_EQ(repairs_of(mesh).holes, 3);
  const MeshShape body(mesh);
  EXPECT_LT(body.signed_distance({0.5, 0.5, 0}), 0.0);
  EXPECT_GT(body.signed_distance({0.99, 0, 0}), 0.0);
}

TEST(MeshShape, a_triangle_that_is_turned_is_put_right) {
  TriangleMesh mesh = icosphere(2);
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  const MeshShape body = shape_of(mesh);
  for (const Vec3& x : points_in_cube(500, 1.5)) {
    if (std::abs(x.norm() - 1.0) < 0.05) continue;  // the sphere's triangles are off by 0.02
    EXPECT_EQ(body.signed_distance(x) < 0.0, x.norm() < 1.0) << x.transpose();
  }
}

TEST(MeshShape, triangles_without_area_are_left_out_without_tearing_the_mesh) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 1, 1});
  // an edge of one face is cut in two, and the gap filled by a triangle on that edge
  mesh.points.emplace_back(0.5, 0.0, 0.0);
  const Triangle cut = mesh.triangles[4];  // {0, 1, 4}
  mesh.triangles[4] = {cut[0], 8, cut[2]};
  mesh.triangles.push_back({8, cut[1], cut[2]});
  mesh.triangles.push_back({0, 1, 8});  // no area: between the halves and the edge's other side
  mesh.triangles.push_back({2, 2, 3});  // a point twice
  const MeshRepairs repairs = repairs_of(mesh);
  EXPECT_EQ(repairs.without_area, 2);
  EXPECT_EQ(repairs.holes, 0);
  EXPECT_EQ(mesh.triangles.size(), 13u);
  const MeshShape cube(mesh);
  EXPECT_DOUBLE_EQ(cube.signed_distance({0.5, 0.25, 0.5}), -0.25);
}

TEST(MeshShape, points_that_coincide_are_welded) {
  TriangleMesh soup;
  const TriangleMesh whole = icosphere(2);
  for (const Triangle& t : whole.triangles) {
    const auto first = static_cast<std::int32_t>(soup.points.size());
    for (const std::int32_t corner : t) soup.points.push_back(whole.points[static_cast<std::size_t>(corner)]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  EXPECT_EQ(repairs_of(soup).holes, 0);
  EXPECT_EQ(soup.points.size(), whole.points.size());
}

void expect_refused(TriangleMesh mesh, const std::string& part) {
  try {
    close_mesh(mesh, "mesh.obj");
    ADD_FAILURE() << "no error: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mesh.obj: "), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(MeshShape, meshes_that_enclose_nothing_are_refused) {
  expect_refused({}, "no triangle with an area");
  TriangleMesh line;
  line.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  line.triangles = {{0, 1, 2}};
  expect_refused(line, "no triangle with an area");
  TriangleMesh sheet;
  sheet.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5}, {0, 1, 0.5}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  expect_refused(sheet, "encloses no volume");
  TriangleMesh torn = icosphere(1);  // triangles that are far apart
  TriangleMesh soup;
  for (const Triangle& t : torn.triangles) {
    const auto first = static_cast<std::int32_t>(soup.points.size());
    for (const std::int32_t corner : t)
      soup.points.push_back(torn.points[static_cast<std::size_t>(corner)] + 0.1 * first * Vec3(1, 1, 1));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  expect_refused(soup, "encloses no volume");
}

TEST(MeshShape, tiny_and_far_meshes_keep_their_shape) {
  for (const double scale : {1e-12, 1e12}) {
    const MeshShape sphere = shape_of(icosphere(2, scale * Vec3(1, 2, 3), scale));
    EXPECT_NEAR(sphere.signed_distance(scale * Vec3(1, 2, 3)) / scale, -1.0, 0.06);  // the sagitta of 320 triangles
    EXPECT_GT(sphere.signed_distance(scale * Vec3(3, 2, 3)), 0.0);
    EXPECT_GT(sphere.signed_distance({1e60, 0.0, 0.0}), 1e59);
  }
}

// -------------------------------------------------------------------------------------------------- sampled shapes

TEST(SampledShape, samples_are_exact_at_the_nodes) {
  const auto exact = shared(icosphere(3));
  const SampledShape sampled(exact, {Vec3(-2, -2, -2), 0.125, 3});
  for (int i = 0; i < 32; i += 1)
    for (int j = 0; j < 32; j += 2)
      for (int k = 0; k < 32; k += 3) {
        const Vec3 x = Vec3(-2, -2, -2) + 0.125 * Vec3(i, j, k);
        if (std::abs(exact->signed_distance(x)) > 0.125) continue;  // blocks far from the surface have fewer samples
        EXPECT_NEAR(sampled.signed_distance(x), exact->signed_distance(x), 1e-7);  // a float below 1
      }
  EXPECT_GT(sampled.n_blocks(), 0);
}

double worst_sample(double h) {
  const auto exact = shared(icosphere(6));
  const SampledShape sampled(exact, {Vec3(-2, -2, -2), h, 3});
  double worst = 0.0;
  for (const Vec3& x : points_in_cube(20000, 1.3))
    if (std::abs(x.norm() - 1.0) < h) worst = std::max(worst, std::abs(sampled.signed_distance(x) - (x.norm() - 1.0)));
  return worst;
}

TEST(SampledShape, the_error_of_a_smooth_surface_is_of_second_order) {
  const double coarse = worst_sample(0.16);
  const double fine = worst_sample(0.08);
  EXPECT_LT(fine, 0.0020);               // h^2 / 8 times two curvatures of 1 / 0.92, and the triangles' own 5e-5
  EXPECT_NEAR(coarse / fine, 4.0, 0.8);  // points are drawn, so neither meets the very worst place
}

TEST(SampledShape, far_blocks_have_the_right_sign) {
  const auto exact = shared(icosphere(3));
  const SampledShape sampled(exact, {Vec3(-2, -2, -2), 0.05, 3});
  for (const Vec3& x : points_in_cube(5000, 1.9)) {
    if (std::abs(x.norm() - 1.0) < 0.05) continue;
    EXPECT_EQ(sampled.signed_distance(x) < 0.0, x.norm() < 1.0) << x.transpose();
  }
}

/// Largest error of the samples at points so near to the surface. [spacings]
double worst_near(const std::shared_ptr<const Shape>& exact, double spacing, double near) {
  const SampledShape sampled(exact, {Vec3(-3, -3, -3), spacing, 3});
  double worst = 0.0;
  for (const Vec3& x : points_in_cube(20000, 1.5)) {
    const double distance = exact->signed_distance(x);
    if (std::abs(distance) <= near * spacing)
      worst = std::max(worst, std::abs(sampled.signed_distance(x) - distance) / spacing);
  }
  return worst;
}

TEST(SampledShape, edges_and_parts_thinner_than_a_cell_are_there) {
  const double h = 0.23;
  for (const double half : {0.5 * h, 0.2 * h, 0.05 * h})  // a box, a rod and a sheet, off the lattice
    for (const Vec3& shares : {Vec3(1, 1, 1), Vec3(1, 0, 0), Vec3(1, 1, 0)}) {
      const Vec3 corner = Vec3::Constant(1.03) + (half - 1.03) * shares;
      const auto body = shared(box_mesh(Vec3(0.07, 0.1, 0.04) - corner, Vec3(0.07, 0.1, 0.04) + corner));
      EXPECT_LT(worst_near(body, h, 0.3), 0.05) << half / h << ' ' << shares.transpose();
    }
}

TEST(SampledShape, gaps_narrower_than_a_cell_are_there) {
  const double h = 0.23;
  TriangleMesh halves = box_mesh({-1, -1, -1}, {0.11, 1, 1});
  append(halves, box_mesh({0.11 + 0.3 * h, -1, -1}, {1.2, 1, 1}));
  EXPECT_LT(worst_near(shared(halves), h, 0.3), 0.05);
}

TEST(SampledShape, between_cells_and_finer_ones_it_does_not_jump_far) {
  const auto ball = shared(icosphere(5));
  for (const double cells : {2.3, 4.0, 7.0, 12.0}) EXPECT_LT(worst_near(ball, 1.0 / cells, 0.3), 0.04) << cells;
}

TEST(SampledShape, exact_distances_have_the_shapes_own_sign) {
  const auto ball = shared(icosphere(4));
  const SampledShape sampled(ball, {Vec3(-3, -3, -3), 0.4, 3});
  for (const Vec3& x : points_in_cube(20000, 1.3))
    EXPECT_EQ(sampled.exact_distance(x) < 0.0, ball->signed_distance(x) < 0.0) << x.transpose();
}

/// Outside, and away from the surface, nothing is nearer than it says: so sphere tracing cannot go through a thin edge.
TEST(SampledShape, away_from_the_surface_it_is_no_larger_than_the_distance) {
  const double h = 0.1;
  const auto plate = shared(box_mesh({0.03, -2.0, -2.0}, {0.03 + 0.3 * h, 0.41, 0.37}));
  const SampledShape sampled(plate, {Vec3(-3, -3, -3), h, 3});
  for (const Vec3& x : points_in_cube(20000, 1.5)) {
    const double distance = plate->signed_distance(x);
    if (distance <= 3.0 * h) continue;
    EXPECT_LE(sampled.signed_distance(x), distance + 0.1 * h) << x.transpose();
  }
}

TEST(SampledShape, far_away_it_is_off_by_few_cells_and_very_far_the_shape_itself_answers) {
  const auto cube = shared(box_mesh({-1, -1, -1}, {1, 1, 1}));
  const double h = 0.01;
  const SampledShape sampled(cube, {Vec3::Zero(), h, 3});
  for (const Vec3& x : points_in_cube(500, 4.0))
    EXPECT_NEAR(sampled.signed_distance(x), cube->signed_distance(x), 4.0 * h) << x.transpose();
  EXPECT_EQ(sampled.signed_distance({1e40, 0.0, 0.0}), cube->signed_distance({1e40, 0.0, 0.0}));
}

TEST(SampledShape, in_two_dimensions_it_is_the_section) {
  const auto sphere = shared(icosphere(5));
  const SampledShape sampled(sphere, {Vec3(-2.0, -2.0, 0.6), 0.05, 2});
  EXPECT_EQ(sampled.signed_distance({0.3, 0.2, 0.6}), sampled.signed_distance({0.3, 0.2, 17.0}));
  EXPECT_NEAR(sampled.signed_distance({0.8, 0.0, 0.6}), 0.0, 2e-3);  // a circle of radius 0.8; h^2 / 8 and triangles
  EXPECT_LT(sampled.signed_distance({0.75, 0.0, 0.6}), 0.0);
  EXPECT_GT(sampled.signed_distance({0.85, 0.0, 0.6}), 0.0);
}

TEST(SampledShape, threads_that_ask_at_once_get_the_same_values) {
  const auto exact = shared(icosphere(3));
  const SampleLattice lattice{Vec3(-2, -2, -2), 0.05, 3};
  const SampledShape alone(exact, lattice);
  const SampledShape shared(exact, lattice);
  const std::vector<Vec3> points = points_in_cube(20000, 1.2);
  std::vector<double> found(points.size());
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t i = 0; i < points.size(); ++i) found[i] = shared.signed_distance(points[i]);
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_EQ(found[i], alone.signed_distance(points[i]));
  EXPECT_EQ(shared.n_blocks(), alone.n_blocks());
}

}  // namespace
}  // namespace freshet
