// SPDX-License-Identifier: Apache-2.0
// OpenVDB as the reference of level sets and meshes; ctest runs it where libopenvdb-dev is there (surface.openvdb).
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "freshet/parallel/environment.hpp"
#include "support/splash.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/LevelSetMeasure.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <cmath>
#include <cstdio>

namespace freshet::test {
namespace {

using Grid = openvdb::FloatGrid;

int n_failures = 0;

void expect_below(const char* what, double value, double bound) {
  std::printf("%-70s %10.3g, at most %.3g\n", what, value, bound);
  if (!(value <= bound)) ++n_failures;
}

Domain box(int cells) {
  DomainOptions options;
  options.cells = Vec3i::Constant(cells);
  return Domain(options);
}

struct Spheres {
  using PosType = openvdb::Vec3R;
  std::vector<Vec3> positions;
  double radius;
  std::size_t size() const { return positions.size(); }
  void getPos(std::size_t n, openvdb::Vec3R& x) const {
    x = openvdb::Vec3R(positions[n].x(), positions[n].y(), positions[n].z());
  }
  void getPosRad(std::size_t n, openvdb::Vec3R& x, openvdb::Real& r) const {
    getPos(n, x);
    r = radius;
  }
};

/// The same phi in OpenVDB's tree; its index counts cells of our lattice.
Grid::Ptr copy_of(const LevelSet& level_set) {
  const BlockLayout& layout = level_set.layout();
  auto grid = Grid::create(static_cast<float>(level_set.options().band * level_set.dx()));
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  const Vec3 first = layout.domain().origin() + Vec3::Constant(0.5 * level_set.dx());
  auto transform = openvdb::math::Transform::createLinearTransform(level_set.dx());
  transform->postTranslate(openvdb::Vec3d(first.x(), first.y(), first.z()));
  grid->setTransform(transform);
  auto accessor = grid->getAccessor();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    for (int c = 0; c < 512; ++c) {
      const Vec3i cell = layout.first_cell(b) + Vec3i(c & 7, c >> 3 & 7, c >> 6);
      accessor.setValue(openvdb::Coord(cell.x(), cell.y(), cell.z()), level_set.phi().block(b)[c]);
    }
  openvdb::tools::signedFloodFill(grid->tree());
  return grid;
}

/// Spheres that do not touch have the same distance in both. \return error of our volume, relative to the exact one
double compare_spheres(const Communicator& comm, double radius) {
  SurfaceParticles particles;
  Spheres spheres{{}, radius};
  for (int m = 0; m < 8; ++m) spheres.positions.push_back(Vec3(8.1, 8.4, 7.8) + 16.3 * Vec3(m % 2, m / 2 % 2, m / 4));
  particles.positions = spheres.positions;
  SurfaceOptions options;
  options.radius = spheres.radius;
  options.kernel = radius + 2.2;  // so that the band lies within the particles' reach
  const LevelSet level_set(comm, box(32), options, particles);
  auto grid = openvdb::createLevelSet<Grid>(level_set.dx(), options.band);
  openvdb::tools::ParticlesToLevelSet<Grid> raster(*grid);
  raster.rasterizeSpheres(spheres);
  raster.finalize(true);
  const openvdb::tools::GridSampler<Grid, openvdb::tools::BoxSampler> theirs(*grid);
  const SurfaceMesh mesh = level_set.contour();
  double largest = 0.0;
  for (const auto& x : mesh.positions)
    largest = std::max(largest, std::abs(static_cast<double>(theirs.wsSample(openvdb::Vec3R(x[0], x[1], x[2])))));
  expect_below("distance of our vertices from OpenVDB's spheres [lattice cells]", largest / level_set.dx(), 0.1);
  const double sphere = 4.0 / 3.0 * 3.14159265358979 * std::pow(radius, 3);
  const double ours = check_mesh(comm, mesh).volume / 8.0 / sphere;
  const double volume = openvdb::tools::levelSetVolume(*grid) / 8.0 / sphere;
  std::printf("%-70s %10.4f and %.4f\n", "volumes of a sphere over the exact one, our mesh's and OpenVDB's", ours,
              volume);
  return std::abs(ours - 1.0);
}

/// Triangles between points of a sphere lie inside it: a mesh's volume converges with the second order.
void compare_volumes(const Communicator& comm) {
  const double coarse = compare_spheres(comm, 1.8), fine = compare_spheres(comm, 3.6);
  expect_below("error of a sphere's volume, twice the radius over once", fine / coarse, 0.35);
  expect_below("error of the volume of a sphere of 7 lattice cells", fine, 0.02);
}

/// Both make triangles of one phi: those of a splash.
void compare_meshes(const Communicator& comm, SurfaceMethod method) {
  const Domain domain = box(32);
  SurfaceParticles particles;
  particles.positions = splash(domain.cells(), 4);
  SurfaceOptions options;
  options.method = method;
  options.solids = SurfaceSolids::closed;
  const LevelSet level_set(comm, domain, options, particles);
  const Grid::Ptr grid = copy_of(level_set);
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0.0);
  double volume = 0.0;
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {  // their faces turn the other way round
    volume -= openvdb::Vec3d(points[a]).dot(openvdb::Vec3d(points[b]).cross(openvdb::Vec3d(points[c]))) / 6.0;
  };
  for (const auto& t : triangles) add(t[0], t[1], t[2]);
  for (const auto& q : quads) {
    add(q[0], q[1], q[2]);
    add(q[0], q[2], q[3]);
  }
  const SurfaceMesh mesh = level_set.contour();
  const double ours = check_mesh(comm, mesh).volume;
  expect_below("volume of the mesh of a splash beside OpenVDB's", std::abs(ours / std::abs(volume) - 1.0), 0.01);
  const openvdb::tools::GridSampler<Grid, openvdb::tools::BoxSampler> phi(*grid);
  double sum_ours = 0.0, sum_theirs = 0.0;
  for (const auto& x : mesh.positions)
    sum_ours += std::abs(static_cast<double>(phi.wsSample(openvdb::Vec3R(x[0], x[1], x[2]))));
  for (const auto& x : points)
    sum_theirs += std::abs(static_cast<double>(phi.wsSample(openvdb::Vec3R(x[0], x[1], x[2]))));
  const double mean = sum_ours / static_cast<double>(mesh.positions.size()) / level_set.dx();
  const double mean_theirs = sum_theirs / static_cast<double>(points.size()) / level_set.dx();
  expect_below("mean |phi| of our vertices [lattice cells]", mean, 0.01);
  std::printf("%-70s %10.3g\n", "the same of OpenVDB's, which stand in cells", mean_theirs);
}

}  // namespace
}  // namespace freshet::test

int main(int argc, char** argv) {
  const freshet::Environment environment(argc > 0 ? argv[0] : "", {});
  const freshet::Communicator world(MPI_COMM_WORLD);
  openvdb::initialize();
  freshet::test::compare_volumes(world);
  for (const freshet::SurfaceMethodRecord& method : freshet::surface_methods())
    freshet::test::compare_meshes(world, method.method);
  return freshet::test::n_failures == 0 ? 0 : 1;
}
