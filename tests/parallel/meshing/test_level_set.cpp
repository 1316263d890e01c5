// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4 8
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "freshet/meshing/surface_memory.hpp"
#include "support/case.hpp"
#include "support/layout_cases.hpp"
#include "support/splash.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cmath>
#include <map>

namespace freshet {
namespace {

using test::world;

Domain box(int cells) {
  DomainOptions options;
  options.cells = Vec3i::Constant(cells);
  return Domain(options);
}

SurfaceParticles particles_of(std::vector<Vec3> positions) {
  SurfaceParticles particles;
  particles.positions = std::move(positions);
  return particles;
}

SurfaceParticles splash_of(const Domain& domain, std::uint64_t seed, const Communicator& comm) {
  return particles_of(test::splash(domain.cells(), seed, comm.rank(), comm.size()));
}

SurfaceOptions options_of(SurfaceMethod method, SurfaceSolids solids) {
  SurfaceOptions options;
  options.method = method;
  options.solids = solids;
  return options;
}

constexpr double volume_bound = 0.02;  ///< of surfaces beside that of the particles

TEST(LevelSet, ball_of_particles_has_the_surface_of_the_ball) {
  const Domain domain = box(32);
  const Vec3 center = Vec3::Constant(16.0);
  constexpr double radius = 10.0;
  const auto inside = [&](const Vec3& x) { return (x - center).norm() < radius; };
  for (const SurfaceMethodRecord& method : surface_methods()) {
    const LevelSet level_set(
        world(), domain, options_of(method.method, SurfaceSolids::open),
        particles_of(test::seeded(domain.cells(), 2, 1.0, inside, world().rank(), world().size())));
    const SurfaceMesh mesh = level_set.contour();
    double largest = 0.0, sum = 0.0, alignment = 1.0;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      const Vec3 d = Vec3(mesh.positions[v][0], mesh.positions[v][1], mesh.positions[v][2]) - center;
      largest = std::max(largest, std::abs(d.norm() - radius));
      sum += d.norm() - radius;
      alignment =
          std::min(alignment, d.normalized().dot(Vec3(mesh.normals[v][0], mesh.normals[v][1], mesh.normals[v][2])));
    }
    EXPECT_LT(world().max(largest), 0.5) << method.name;  // one particle's spacing: they stand at random in sub-cells
    EXPECT_LT(std::abs(world().sum(sum)) / static_cast<double>(mesh.n_vertices),
              volume_bound / 2.0 * radius)
        << method.name;  // a third of the volume's bound, and the vertices lie outside of their triangles
    EXPECT_GT(world().min(alignment), 0.7) << method.name;
    const MeshReport report = check_mesh(world(), mesh);
    EXPECT_TRUE(report.closed());
    EXPECT_EQ(report.components, 1);
    EXPECT_EQ(report.vertices - report.faces / 2, 2) << "Euler's number of a sphere";
    const double volume = 4.0 / 3.0 * 3.14159265358979 * std::pow(radius, 3);
    EXPECT_NEAR(report.volume / volume, 1.0, volume_bound) << method.name;
    EXPECT_NEAR(level_set.volume() / volume, 1.0, volume_bound) << method.name;
  }
}

TEST(LevelSet, drops_of_one_particle_keep_its_volume) {
  const Domain domain = box(24);
  std::vector<Vec3> positions;
  for (int m = 0; m < 27; ++m)
    if (m % world().size() == world().rank())
      positions.push_back(Vec3(4.2, 4.6, 4.9) + 7.3 * Vec3(m % 3, m / 3 % 3, m / 9));
  SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, SurfaceSolids::closed);
  options.resolution = 3;
  const MeshReport report = check_mesh(world(), LevelSet(world(), domain, options, particles_of(positions)).contour());
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.components, 27);
  EXPECT_NEAR(report.volume / (27.0 / 8.0), 1.0, 0.25);  // a drop is two lattice cells wide
}

TEST(LevelSet, surfaces_of_splashes_are_watertight_and_keep_the_volume) {
  const Domain domain = box(32);
  for (const SurfaceMethodRecord& method : surface_methods())
    for (std::uint64_t seed = 0; seed < (method.method == SurfaceMethod::improved_blobbies ? 3 : 1); ++seed) {
      const SurfaceParticles particles = splash_of(domain, seed, world());
      const LevelSet level_set(world(), domain, options_of(method.method, SurfaceSolids::closed), particles);
      const MeshReport report = check_mesh(world(), level_set.contour());
      EXPECT_EQ(report.open_edges, 0) << method.name;
      EXPECT_EQ(report.bad_edges, 0) << method.name;
      const double volume = static_cast<double>(level_set.n_particles()) / 8.0;
      EXPECT_NEAR(report.volume / volume, 1.0, volume_bound) << method.name << " " << seed;
      EXPECT_NEAR(level_set.volume() / volume, 1.0, volume_bound) << method.name << " " << seed;
    }
}

TEST(LevelSet, particles_that_are_left_out_do_not_count_for_the_volume) {
  const Domain domain = box(24);
  std::vector<Vec3> positions = test::splash(domain.cells(), 2, world().rank(), world().size());
  SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, SurfaceSolids::closed);
  options.min_cell_particles = 3;
  std::map<std::array<int, 3>, int> count;
  for (const Vec3& x : test::splash(domain.cells(), 2)) ++count[{int(x.x()), int(x.y()), int(x.z())}];
  double volume = 0.0;
  for (const auto& cell : count)
    if (cell.second >= options.min_cell_particles) volume += cell.second / 8.0;
  const LevelSet level_set(world(), domain, options, particles_of(positions));
  EXPECT_NEAR(level_set.volume() / volume, 1.0, 0.002);
}

SurfaceParticles splash_with_attributes(const Domain& domain, const Communicator& comm) {
  SurfaceParticles particles = splash_of(domain, 7, comm);
  particles.attributes.push_back({"height", 1, false, {}});
  particles.attributes.push_back({"side", 1, true, {}});
  for (const Vec3& x : particles.positions) {
    particles.attributes[0].values.push_back(static_cast<float>(x.y()));
    particles.attributes[1].values.push_back(x.x() < 12.0 ? 3.0F : 5.0F);
  }
  return particles;
}

/// The mesh of rank 0 alone, on all ranks.
SurfaceMesh mesh_of_one_rank(const Domain& domain, const SurfaceOptions& options) {
  const Communicator alone(MPI_COMM_SELF);
  SurfaceMesh mesh;
  if (world().is_root()) mesh = LevelSet(alone, domain, options, splash_with_attributes(domain, alone)).contour();
  mesh.attributes.resize(2);
  world().broadcast(mesh.positions);
  world().broadcast(mesh.normals);
  world().broadcast(mesh.triangles);
  for (SurfaceMesh::Attribute& a : mesh.attributes) world().broadcast(a.values);
  return mesh;
}

TEST(LevelSet, mesh_is_the_same_on_any_number_of_ranks) {
  const Domain domain = box(24);
  for (const SurfaceMethodRecord& method : surface_methods()) {
    const bool is_default = method.method == SurfaceMethod::improved_blobbies;
    const SurfaceOptions options = options_of(method.method, is_default ? SurfaceSolids::open : SurfaceSolids::closed);
    const SurfaceMesh mesh = LevelSet(world(), domain, options, splash_with_attributes(domain, world())).contour();
    const SurfaceMesh expected = mesh_of_one_rank(domain, options);
    ASSERT_EQ(mesh.n_vertices, static_cast<std::int64_t>(expected.positions.size())) << method.name;
    ASSERT_EQ(mesh.n_triangles, static_cast<std::int64_t>(expected.triangles.size())) << method.name;
    const auto first = static_cast<std::size_t>(mesh.first_vertex);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      ASSERT_EQ(mesh.positions[v], expected.positions[first + v]);
      ASSERT_EQ(mesh.normals[v], expected.normals[first + v]);
      for (std::size_t a = 0; a < 2; ++a)
        ASSERT_EQ(mesh.attributes[a].values[v], expected.attributes[a].values[first + v]);
    }
    const auto triangle =
        static_cast<std::size_t>(world().exclusive_sum(static_cast<GlobalIndex>(mesh.triangles.size())));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      ASSERT_EQ(mesh.triangles[t], expected.triangles[triangle + t]);
  }
}

/// Three particles in each place of a small pool, with a number of their own each; forwards or backwards.
SurfaceParticles threefold_pool(const Domain& domain, const Communicator& comm, bool backwards) {
  std::vector<Vec3> places = test::seeded(
      domain.cells(), 2, 1.0, [](const Vec3& x) { return x.y() < 5.0; }, comm.rank(), comm.size());
  if (backwards) std::reverse(places.begin(), places.end());
  SurfaceParticles particles;
  particles.attributes.push_back({"heat", 1, false, {}});
  for (const Vec3& x : places)
    for (int m = 0; m < 3; ++m) {
      const auto place = static_cast<std::uint64_t>(1e6 * x.norm());
      particles.positions.push_back(x);
      particles.attributes[0].values.push_back(
          static_cast<float>(test::hashed(place, static_cast<std::uint64_t>(backwards ? 2 - m : m))));
    }
  return particles;
}

TEST(LevelSet, particles_in_one_place_give_the_same_bits_in_any_order) {
  const Domain domain = box(16);
  SurfaceMesh mesh = LevelSet(world(), domain, SurfaceOptions{}, threefold_pool(domain, world(), false)).contour();
  gather_mesh(world(), mesh);
  if (!world().is_root()) return;
  const Communicator alone(MPI_COMM_SELF);
  const SurfaceMesh expected = LevelSet(alone, domain, SurfaceOptions{}, threefold_pool(domain, alone, true)).contour();
  EXPECT_EQ(mesh.positions, expected.positions);
  EXPECT_EQ(mesh.attributes[0].values, expected.attributes[0].values);
}

TEST(LevelSet, vertices_take_over_the_attributes_around_them) {
  const Domain domain = box(24);
  const auto inside = [](const Vec3& x) { return x.y() < 10.0; };
  SurfaceParticles particles =
      particles_of(test::seeded(domain.cells(), 2, 0.0, inside, world().rank(), world().size()));
  particles.attributes.push_back({"velocity", 3, false, {}});
  particles.attributes.push_back({"tag", 1, true, {}});
  for (const Vec3& x : particles.positions) {
    for (const double u : {x.x(), 2.0, -x.z()}) particles.attributes[0].values.push_back(static_cast<float>(u));
    particles.attributes[1].values.push_back(x.x() < 12.0 ? 3.0F : 5.0F);
  }
  const SurfaceMesh mesh = LevelSet(world(), domain, SurfaceOptions{}, particles).contour();
  ASSERT_EQ(mesh.attributes.size(), 2u);
  EXPECT_EQ(mesh.attributes[0].name, "velocity");
  EXPECT_TRUE(mesh.attributes[1].integer);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const float* u = &mesh.attributes[0].values[3 * v];
    const float x = mesh.positions[v][0], z = mesh.positions[v][2];
    if (x > 2.0F && x < 22.0F) {  // images behind walls carry the value of their particle
      EXPECT_NEAR(u[0], x, 0.05);
    }
    EXPECT_NEAR(u[1], 2.0F, 1e-5);
    if (z > 2.0F && z < 22.0F) {
      EXPECT_NEAR(u[2], -z, 0.05);
    }
    EXPECT_EQ(mesh.attributes[1].values[v], x < 12.0F ? 3.0F : 5.0F);
  }
}

/// Vertices of edges with one triangle, on this rank's triangles.
std::vector<Vec3> rim_vertices(const SurfaceMesh& mesh) {
  std::map<std::array<std::int64_t, 2>, int> count;
  for (const auto& t : mesh.triangles)
    for (std::size_t m = 0; m < 3; ++m) ++count[{std::min(t[m], t[(m + 1) % 3]), std::max(t[m], t[(m + 1) % 3])}];
  std::vector<Vec3> rim;
  for (const auto& [edge, n] : count)
    if (n == 1)
      for (const std::int64_t v : edge) {
        const auto& x = mesh.positions[static_cast<std::size_t>(v)];
        rim.emplace_back(x[0], x[1], x[2]);
      }
  return rim;
}

TEST(LevelSet, open_surfaces_end_on_walls_and_have_no_film_there) {
  const Communicator alone(MPI_COMM_SELF);
  const Domain domain = box(24);
  const auto inside = [](const Vec3& x) { return x.y() < 10.0; };
  const SurfaceParticles particles = particles_of(test::seeded(domain.cells(), 2, 1.0, inside));
  const SurfaceMesh mesh = LevelSet(alone, domain, SurfaceOptions{}, particles).contour();
  EXPECT_EQ(check_mesh(alone, mesh).bad_edges, 0);
  const std::vector<Vec3> rim = rim_vertices(mesh);
  EXPECT_GT(rim.size(), 100u);
  for (const Vec3& x : rim) EXPECT_LT(std::min({x.x(), 24.0 - x.x(), x.z(), 24.0 - x.z()}), 1e-5) << x.transpose();
  for (const auto& x : mesh.positions) EXPECT_NEAR(x[1], 10.0, 0.4);  // nothing on the floor or on the walls
  EXPECT_NEAR(check_mesh(alone, mesh).area, 24.0 * 24.0, 0.03 * 24.0 * 24.0);
}

TEST(LevelSet, open_surfaces_end_on_a_sloped_solid) {
  const Communicator alone(MPI_COMM_SELF);
  const Domain domain = box(24);
  const Vec3 normal = Vec3(-1.0, 1.0, 0.2).normalized();
  const SolidDistance solid = [&](const Vec3& x) { return normal.dot(x - Vec3(12.0, 4.0, 12.0)); };
  const auto inside = [&](const Vec3& x) { return x.y() < 10.0 && solid(x) > 0.0; };
  const SurfaceParticles particles = particles_of(test::seeded(domain.cells(), 2, 1.0, inside));
  const SurfaceMesh mesh = LevelSet(alone, domain, SurfaceOptions{}, particles, solid).contour();
  EXPECT_EQ(check_mesh(alone, mesh).bad_edges, 0);
  bool touches = false;
  for (const Vec3& x : rim_vertices(mesh)) {
    const double slope = std::abs(solid(x));
    EXPECT_LT(std::min({slope, x.x(), 24.0 - x.x(), x.z(), 24.0 - x.z()}), 1e-4) << x.transpose();
    touches = touches || slope < 1e-4;
  }
  EXPECT_TRUE(touches);
  for (const auto& x : mesh.positions) EXPECT_NEAR(x[1], 10.0, 0.5) << x[0] << " " << x[2];
  SurfaceOptions closed;
  closed.solids = SurfaceSolids::closed;
  const MeshReport report = check_mesh(alone, LevelSet(alone, domain, closed, particles, solid).contour());
  EXPECT_TRUE(report.closed());
  EXPECT_NEAR(report.volume / (static_cast<double>(particles.positions.size()) / 8.0), 1.0, 0.02);
}

struct TestPool {
  double depth;                              ///< [cells]
  SolidDistance solid;                       ///< none if empty
  static constexpr double cell_size = 0.05;  ///< [m]; it shows what is in cells and what in metres
};

/// The surface of a pool, as a run or `freshet mesh` makes it.
SurfaceMesh mesh_of(const TestPool& pool, const SurfaceOptions& options) {
  DomainOptions tank;
  tank.cells = {14, 16, 10};
  tank.cell_size = TestPool::cell_size;
  const auto inside = [&](const Vec3& x) {
    return x.y() < pool.depth && (!pool.solid || pool.solid(TestPool::cell_size * x) > 0.0);
  };
  SurfaceParticles particles = particles_of(test::seeded(tank.cells, 2, 1.0, inside, world().rank(), world().size()));
  for (Vec3& x : particles.positions) x *= TestPool::cell_size;
  LevelSet level_set(world(), Domain(tank), options, particles, pool.solid);
  SurfaceMesh mesh = level_set.contour();
  if (options.solids == SurfaceSolids::open) return mesh;
  if (level_set.adjust_volume(check_mesh(world(), mesh).volume)) mesh = level_set.contour();
  EXPECT_EQ(check_mesh(world(), mesh).open_edges, 0);
  return mesh;
}

/// Mean height of the surface away from walls and solids. [cells]
double level_of(const SurfaceMesh& mesh) {
  const Box away{{0.3, 0.06, 0.1}, {0.6, 0.8, 0.4}};
  double sum = 0.0, n = 0.0;
  for (const auto& vertex : mesh.positions) {
    const Vec3 x(vertex[0], vertex[1], vertex[2]);
    if ((x.array() < away.lower.array()).any() || (x.array() > away.upper.array()).any()) continue;
    sum += x.y();
    n += 1.0;
  }
  return world().sum(sum) / world().sum(n) / TestPool::cell_size;
}

TEST(LevelSet, pools_keep_their_level_floor_and_walls_at_every_resolution) {
  if (world().size() > 2) GTEST_SKIP() << "the bits are those of one rank, as another test shows";
  const Vec3 out_of_slope = Vec3(-0.5, 1.0, 0.0).normalized();
  const SolidDistance slope = [&](const Vec3& x) { return out_of_slope.dot(x - Vec3(0.65, 0.0, 0.0)); };
  const SolidDistance block = [](const Vec3& x) {
    return ((x - Vec3(0.0, 0.0, 0.25)).cwiseAbs() - Vec3(0.22, 0.17, 0.13)).maxCoeff();
  };
  const std::vector<TestPool> pools = {{2.3, {}}, {8.6, {}}, {8.6, slope}, {8.6, block}};
  for (std::size_t m = 0; m < pools.size(); ++m)
    for (const int resolution : {1, 2, 3})
      for (const SurfaceSolids solids : {SurfaceSolids::open, SurfaceSolids::closed})
        for (const SurfaceVolume volume : {SurfaceVolume::kept, SurfaceVolume::as_made}) {
          const bool is_closed = solids == SurfaceSolids::closed, is_kept = volume == SurfaceVolume::kept;
          if (m != 1 && !(is_closed && is_kept)) continue;
          SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, solids);
          options.resolution = resolution;
          options.volume = volume;
          const SurfaceMesh mesh = mesh_of(pools[m], options);
          double low_x = 1.0, low_y = 1.0, high_x = 0.0;
          for (const auto& x : mesh.positions) {
            low_x = std::min(low_x, double(x[0]));
            low_y = std::min(low_y, double(x[1]));
            high_x = std::max(high_x, double(x[0]));
          }
          const std::string where =
              fmt::format("pool {}, resolution {}, closed {}, kept {}", m, resolution, is_closed, is_kept);
          const double level = level_of(mesh);
          test::report(where.c_str(), {pools[m].depth, level});
          // particles at random in their sub-cells make the coarsest surface 0.17 cells too low
          EXPECT_NEAR(level, pools[m].depth, resolution == 1 ? 0.2 : 0.1) << where;
          EXPECT_NEAR(-world().max(-low_x), 0.0, 1e-5) << where;
          EXPECT_NEAR(world().max(high_x), 0.7, 1e-5) << where;
          if (is_closed) {
            EXPECT_NEAR(-world().max(-low_y), 0.0, 1e-5) << where;
          }
        }
}

TEST(LevelSet, small_pieces_can_be_left_out) {
  const Domain domain = box(24);
  std::vector<Vec3> positions = test::seeded(
      domain.cells(), 2, 0.0, [](const Vec3& x) { return (x - Vec3::Constant(14.0)).norm() < 6.0; }, world().rank(),
      world().size());
  if (world().is_root()) {
    positions.push_back({3.0, 3.0, 3.0});
    positions.push_back({20.0, 3.0, 3.0});
  }
  SurfaceMesh mesh = LevelSet(world(), domain, SurfaceOptions{}, particles_of(positions)).contour();
  EXPECT_EQ(check_mesh(world(), mesh).components, 3);
  EXPECT_EQ(remove_small_components(world(), 10.0 / 8.0, mesh), 2);
  const MeshReport report = check_mesh(world(), mesh);
  EXPECT_EQ(report.components, 1);
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.vertices - report.faces / 2, 2);
}

/// Mean of the squared angles between the normals of triangles and those of their vertices.
double roughness(const SurfaceMesh& mesh) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles) {
    std::array<Vec3, 3> x, n;
    for (std::size_t m = 0; m < 3; ++m) {
      const auto v = static_cast<std::size_t>(t[m]);
      x[m] = Vec3(mesh.positions[v][0], mesh.positions[v][1], mesh.positions[v][2]);
      n[m] = Vec3(mesh.normals[v][0], mesh.normals[v][1], mesh.normals[v][2]);
    }
    const Vec3 normal = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    for (const Vec3& other : n) sum += (normal - other).squaredNorm();
  }
  return sum / static_cast<double>(mesh.triangles.size());
}

TEST(LevelSet, smoothing_keeps_the_volume_and_gives_the_same_mesh_on_any_number_of_ranks) {
  for (const SurfaceSolids solids : {SurfaceSolids::closed, SurfaceSolids::open}) {
    const Domain domain = box(24);
    SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, solids);
    options.flatten = 0.0;
    SurfaceMesh mesh = LevelSet(world(), domain, options, splash_of(domain, 3, world())).contour();
    const MeshReport before = check_mesh(world(), mesh);
    smooth_mesh(world(), 20, mesh);
    const MeshReport after = check_mesh(world(), mesh);
    EXPECT_EQ(after.open_edges, before.open_edges);
    EXPECT_NEAR(after.volume / before.volume, 1.0, 1e-4);
    gather_mesh(world(), mesh);
    if (!world().is_root()) continue;
    const Communicator alone(MPI_COMM_SELF);
    SurfaceMesh expected = LevelSet(alone, domain, options, splash_of(domain, 3, alone)).contour();
    const double rough = roughness(expected);
    smooth_mesh(alone, 20, expected);
    EXPECT_LT(roughness(expected), 0.5 * rough);
    EXPECT_EQ(mesh.positions, expected.positions);
    EXPECT_EQ(mesh.normals, expected.normals);
    EXPECT_EQ(mesh.triangles, expected.triangles);
  }
}

TEST(LevelSet, decimation_keeps_the_mesh_closed) {
  const Domain domain = box(24);
  const SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, SurfaceSolids::closed);
  SurfaceMesh mesh = LevelSet(world(), domain, options, splash_of(domain, 3, world())).contour();
  const MeshReport before = check_mesh(world(), mesh);
  decimate_mesh(world(), 0.25, mesh);
  const MeshReport after = check_mesh(world(), mesh);
  EXPECT_TRUE(after.closed());
  EXPECT_LE(after.faces, before.faces / 4 + 2);
  EXPECT_GE(after.faces, before.faces / 4 - 2);
  EXPECT_EQ(after.vertices - after.faces / 2, before.vertices - before.faces / 2) << "Euler's number";
  EXPECT_EQ(after.components, before.components);
  EXPECT_NEAR(after.volume / before.volume, 1.0, 0.01);
  EXPECT_EQ(mesh.n_triangles, after.faces);
  gather_mesh(world(), mesh);
  if (world().is_root()) {
    EXPECT_LT(roughness(mesh), 0.5) << "normals belong to the triangles around";
  }
}

TEST(LevelSet, decimation_of_an_open_mesh_keeps_its_edges) {
  const Domain domain = box(24);
  const SurfaceOptions options = options_of(SurfaceMethod::improved_blobbies, SurfaceSolids::open);
  SurfaceMesh mesh = LevelSet(world(), domain, options, splash_of(domain, 3, world())).contour();
  const MeshReport before = check_mesh(world(), mesh);
  ASSERT_GT(before.open_edges, 0);
  decimate_mesh(world(), 0.5, mesh);
  const MeshReport after = check_mesh(world(), mesh);
  EXPECT_EQ(after.bad_edges, 0);
  EXPECT_EQ(after.open_edges, before.open_edges);
  EXPECT_EQ(after.components, before.components);
  EXPECT_LE(after.faces, before.faces / 2 + 2);
}

TEST(LevelSet, its_memory_is_bounded_by_what_is_estimated) {
  const Domain domain = box(24);
  const SolidDistance ball = [](const Vec3& x) { return (x - Vec3(12.0, 4.0, 12.0)).norm() - 5.0; };
  const SurfaceOptions options = options_of(SurfaceMethod::anisotropic, SurfaceSolids::closed);
  const SurfaceParticles particles = splash_of(domain, 3, world());
  const double bytes = memory_of_surface(world(), domain, options, particles, ball);
  const LevelSet level_set(world(), domain, options, particles, ball);
  const SurfaceMesh mesh = level_set.contour();
  // what it holds at the end: its field and its mesh
  const double held = 2048.0 * level_set.layout().n_blocks() + 24.0 * static_cast<double>(mesh.positions.size()) +
                      24.0 * static_cast<double>(mesh.triangles.size());
  EXPECT_LT(held, bytes - 32e6) << "without the part that does not depend on the particles";
  EXPECT_GT(bytes * world().size(), least_memory_of_surface(level_set.n_particles(), 0));
  SurfaceOptions finer = options;
  finer.resolution = 3;
  EXPECT_GT(memory_of_surface(world(), domain, finer, particles, ball), bytes);
}

TEST(LevelSet, two_dimensions_and_no_particles) {
  DomainOptions flat;
  flat.dimension = 2;
  flat.cells = {16, 16, 1};
  EXPECT_THROW(LevelSet(world(), Domain(flat), SurfaceOptions{}, {}), InputError);
  const LevelSet empty(world(), box(16), SurfaceOptions{}, {});
  const SurfaceMesh mesh = empty.contour();
  EXPECT_EQ(mesh.n_vertices, 0);
  EXPECT_EQ(check_mesh(world(), mesh).faces, 0);
  EXPECT_EQ(empty.volume(), 0.0);
}

}  // namespace
}  // namespace freshet
