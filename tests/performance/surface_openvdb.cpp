// SPDX-License-Identifier: Apache-2.0
// The same ball of particles as in surface_table.cpp, made a mesh by OpenVDB: spheres of the particles' radius united
// to a level set, and its zero as triangles and quads. OpenVDB unites spheres and does not blend them: with a third
// argument, the usual filter (a mean and an offset) smooths the bumps away.
#include "support/ball_particles.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/LevelSetMeasure.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

struct ParticleList {
  using PosType = openvdb::Vec3R;
  std::vector<freshet::Vec3> positions;
  std::size_t size() const { return positions.size(); }
  void getPos(std::size_t n, openvdb::Vec3R& x) const {
    x = openvdb::Vec3R(positions[n].x(), positions[n].y(), positions[n].z());
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 128;
  const int resolution = argc > 2 ? std::atoi(argv[2]) : 2;
  const bool smooths = argc > 3;
  const char* threads = std::getenv("OMP_NUM_THREADS");
  const int n_threads = threads != nullptr ? std::atoi(threads) : 2;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(n_threads));
  openvdb::initialize();
  const ParticleList particles{freshet::test::ball(cells)};
  const auto start = std::chrono::steady_clock::now();
  auto grid = openvdb::createLevelSet<openvdb::FloatGrid>(1.0 / resolution, 3.0);
  openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
  raster.setRmin(0.1);  // in voxels; by default spheres of less than 1.5 voxels are left out
  raster.rasterizeSpheres(particles, 0.5);
  raster.finalize(true);
  if (smooths) {
    openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*grid);
    filter.mean(1);
  }
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0.0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double volume = openvdb::tools::levelSetVolume(*grid);
  std::printf(
      "{\"program\": \"openvdb\", \"method\": \"%s\", \"particles\": %zu, \"cells\": %d, \"resolution\": %d, "
      "\"ranks\": 1, \"threads\": %d, \"seconds\": %.4f, \"vertices\": %zu, \"faces\": %zu, \"volume_ratio\": %.5f}\n",
      smooths ? "spheres and a mean" : "spheres", particles.size(), cells, resolution, n_threads, seconds,
      points.size(), triangles.size() + 2 * quads.size(), volume / (static_cast<double>(particles.size()) / 8.0));
  return 0;
}
