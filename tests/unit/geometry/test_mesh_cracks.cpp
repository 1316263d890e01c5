// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "support/meshes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

/// Meshes whose triangles nearly touch.
namespace freshet {
namespace {

using test::append;
using test::box_mesh;
using test::icosphere;

constexpr double within = 0.01;  // of a volume: points on a lattice miss 0.003 of it, 20480 triangles on a sphere 0.001

/// Part of the cube of side 2 about the origin where the distance is negative. [m^3]
double volume_inside(const TriangleMesh& mesh) {
  const MeshShape shape(mesh);
  constexpr int n = 50;
  constexpr double h = 2.0 / n;
  const LatticeNodes nodes{Vec3::Constant(-1.0 + 0.5 * h), h, Vec3i::Constant(n)};
  std::vector<double> distances(nodes.size());
  shape.sample(nodes, distances);
  double volume = 0.0;
  for (const double distance : distances) volume += distance < 0.0 ? h * h * h : 0.0;
  return volume;
}

/// The eight octants of a sphere, each moved away from the middle along all axes.
/// \param[in] n_first  edges along a side of the first octant; 12 of the others
TriangleMesh octants(double radius, double gap, int n_first = 12) {
  TriangleMesh mesh;
  for (int octant = 0; octant < 8; ++octant) {
    const int n = octant == 0 ? n_first : 12;
    const Vec3 side(octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1);
    TriangleMesh part;
    std::vector<std::vector<std::int32_t>> number(static_cast<std::size_t>(n + 1));
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        number[static_cast<std::size_t>(i)].push_back(static_cast<std::int32_t>(part.points.size()));
        const Vec3 x = Vec3(i, j, n - i - j).normalized();
        part.points.emplace_back(side.cwiseProduct(radius * x + Vec3::Constant(0.5 * gap)));
      }
    const auto at = [&](int i, int j) { return number[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        part.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        if (i + j + 1 < n) part.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    if (side.prod() < 0.0) test::turn_inside_out(part);
    append(mesh, part);
  }
  return mesh;
}

/// Every `n_together` triangles with points of their own, each point moved at random by up to `jitter` along each axis.
TriangleMesh taken_apart(const TriangleMesh& whole, std::size_t n_together, double jitter) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> move(-jitter, jitter);
  TriangleMesh loose;
  for (std::size_t first = 0; first < whole.triangles.size(); first += n_together) {
    TriangleMesh part;
    part.points = whole.points;
    for (Vec3& x : part.points)
      for (int d = 0; d < 3; ++d) x[d] += move(random);
    part.triangles.assign(whole.triangles.begin() + static_cast<std::ptrdiff_t>(first),
                          whole.triangles.begin() + static_cast<std::ptrdiff_t>(first + n_together));
    append(loose, part);
  }
  return loose;
}

TEST(MeshCracks, octants_of_a_sphere_with_gaps_are_the_sphere) {
  const double radius = 0.7;
  TriangleMesh whole = octants(radius, 0.0);
  EXPECT_EQ(close_mesh(whole, "mesh").stitched, 0);
  const double exact = volume_inside(whole);
  EXPECT_NEAR(exact / (4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3)), 1.0, 2.0 * within);  // 1152 triangles
  for (const double gap : {1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 5e-4}) {
    TriangleMesh mesh = octants(radius, 2.0 * radius * gap);
    const MeshRepairs repairs = close_mesh(mesh, "mesh");
    EXPECT_EQ(repairs.holes, 0) << gap;
    EXPECT_EQ(repairs.cap_area, 0.0) << gap;
    EXPECT_EQ(repairs.stitched, 8 * 36 - (3 * 48 - 6)) << gap;  // three great circles that cross at six points
    EXPECT_EQ(mesh.triangles.size(), whole.triangles.size()) << gap;
    EXPECT_NEAR(volume_inside(mesh) / exact, 1.0, within) << gap;
  }
}

TEST(MeshCracks, along_a_seam_between_coarse_and_fine_each_sliver_is_closed_by_itself) {
  const double radius = 0.7;
  for (const double gap : {0.0, 1e-6}) {
    TriangleMesh mesh = octants(radius, gap, 24);
    const MeshRepairs repairs = close_mesh(mesh, "mesh");
    EXPECT_EQ(repairs.holes, 36) << gap;  // edges around an octant of the coarse ones
    EXPECT_EQ(repairs.open_edges, 3 * 36) << gap;
    EXPECT_LT(repairs.cap_area, 0.01 * repairs.own_area) << gap;
    const MeshShape shape(mesh);  // no closing face lies inside: 0.007 is the coarse triangles' sagitta
    for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0.2, 0.2, 0), Vec3(0.2, 0.2, 0.2), Vec3(0, 0.3, 0.1), Vec3(-0.1, 0, 0.4)})
      EXPECT_NEAR(shape.signed_distance(x), x.norm() - radius, 0.007) << x.transpose();
  }
}

TEST(MeshCracks, a_cube_of_six_loose_faces_or_twelve_loose_triangles_is_the_cube) {
  const TriangleMesh whole = box_mesh(Vec3::Constant(-0.56), Vec3::Constant(0.56));
  const double exact = std::pow(1.12, 3);  // its faces lie midway between nodes
  for (const std::size_t n_together : {2u, 1u})
    for (const double jitter : {1e-12, 1e-8, 1e-5, 2e-4}) {
      TriangleMesh mesh = taken_apart(whole, n_together, jitter);
      const MeshRepairs repairs = close_mesh(mesh, "mesh");
      EXPECT_EQ(repairs.holes, 0) << jitter;
      EXPECT_EQ(mesh.points.size(), 8u) << jitter;
      EXPECT_NEAR(volume_inside(mesh) / exact, 1.0, 1e-9) << jitter;
    }
}

TEST(MeshCracks, every_triangle_of_a_fine_sphere_may_be_loose) {
  TriangleMesh mesh = taken_apart(icosphere(4, Vec3::Zero(), 0.8), 1, 1e-4);
  const MeshRepairs repairs = close_mesh(mesh, "mesh");
  EXPECT_EQ(repairs.holes, 0);
  EXPECT_EQ(mesh.triangles.size(), 5120u);
  EXPECT_NEAR(volume_inside(mesh) / (4.0 / 3.0 * std::numbers::pi * std::pow(0.8, 3)), 1.0, within);
}

TEST(MeshCracks, one_body_of_two_may_have_cracks) {
  TriangleMesh mesh = box_mesh({-0.9, -0.9, -0.9}, {-0.3, -0.3, -0.3});
  append(mesh, taken_apart(box_mesh({0.1, 0.1, 0.1}, {0.9, 0.9, 0.9}), 2, 3e-8));
  EXPECT_EQ(close_mesh(mesh, "mesh").holes, 0);
  const MeshShape shape(mesh);
  EXPECT_NEAR(shape.signed_distance(Vec3::Constant(0.5)), -0.4, 1e-7);
  EXPECT_NEAR(shape.signed_distance(Vec3::Constant(-0.6)), -0.3, 1e-7);
}

TEST(MeshCracks, triangles_narrower_than_rounding_are_left_out_and_counted) {
  TriangleMesh mesh = taken_apart(box_mesh(Vec3::Constant(-0.5), Vec3::Constant(0.5)), 2, 1e-9);
  const auto first = static_cast<std::int32_t>(mesh.points.size());  // it fills a crack that is open beside it
  mesh.points.insert(mesh.points.end(), {mesh.points[0], mesh.points[2], mesh.points[2] + Vec3::Constant(1e-8)});
  mesh.triangles.push_back({first, first + 1, first + 2});
  EXPECT_EQ(close_mesh(mesh, "mesh").without_area, 1);
  EXPECT_EQ(mesh.triangles.size(), 12u);
}

TEST(MeshCracks, a_mesh_whose_edges_meet_keeps_its_bits_however_near_its_points_are) {
  TriangleMesh mesh = icosphere(2);
  append(mesh, icosphere(2, Vec3(1e-9, 0, 0)));     // another shell, hardly beside it
  append(mesh, icosphere(2, Vec3(2, 0, 0), 1e-8));  // as small as what is welded where edges are open
  const TriangleMesh given = mesh;
  EXPECT_EQ(close_mesh(mesh, "mesh").stitched, 0);
  EXPECT_EQ(mesh.triangles.size(), given.triangles.size());
  for (std::size_t t = 0; t < given.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_EQ(mesh.points[static_cast<std::size_t>(mesh.triangles[t][c])],
                given.points[static_cast<std::size_t>(given.triangles[t][c])]);
}

TEST(MeshCracks, rims_of_holes_are_no_cracks) {
  // edges of 5e-4 of the extent, finer than the widest crack, around a hole
  TriangleMesh mesh = box_mesh(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  TriangleMesh fine = icosphere(3, Vec3(0.9, 0, 0), 0.003);
  std::erase_if(fine.triangles,
                [&](const Triangle& t) { return fine.points[static_cast<std::size_t>(t[0])].z() > 0.0025; });
  append(mesh, fine);
  const std::size_t n_given = mesh.triangles.size();
  const MeshRepairs repairs = close_mesh(mesh, "mesh");
  EXPECT_EQ(repairs.stitched, 0);
  EXPECT_EQ(repairs.without_area, 0);
  EXPECT_EQ(repairs.holes, 1);
  EXPECT_EQ(mesh.triangles.size(), n_given + static_cast<std::size_t>(repairs.open_edges));
}

TEST(MeshCracks, the_area_of_lids_is_told) {
  TriangleMesh mesh = box_mesh({0, 0, 0}, {1, 2, 3});
  std::erase_if(mesh.triangles, [&](const Triangle& t) {  // the face z = 3
    return std::all_of(t.begin(), t.end(),
                       [&](std::int32_t c) { return mesh.points[static_cast<std::size_t>(c)].z() == 3.0; });
  });
  const MeshRepairs repairs = close_mesh(mesh, "mesh");
  EXPECT_DOUBLE_EQ(repairs.cap_area, 2.0);
  EXPECT_DOUBLE_EQ(repairs.own_area, 20.0);
}

TEST(MeshCracks, tiny_meshes_with_cracks_are_closed_or_refused) {
  for (const double scale : {1e-300, 1e-160, 1e-100, 1e-12, 1e12, 1e29}) {
    TriangleMesh mesh = taken_apart(icosphere(1), 1, 1e-4);
    for (Vec3& x : mesh.points) x *= scale;
    try {
      const MeshRepairs repairs = close_mesh(mesh, "mesh");
      EXPECT_EQ(repairs.holes, 0) << scale;
    } catch (const InputError& error) {
      EXPECT_LT(scale, 1e-99) << error.what();
    }
  }
}

}  // namespace
}  // namespace freshet
