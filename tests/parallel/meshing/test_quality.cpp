// SPDX-License-Identifier: Apache-2.0
// Volume and smoothness of surfaces in scenes that are hard for them.
#include "freshet/meshing/level_set.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "support/layout_cases.hpp"
#include "support/splash.hpp"

#include <array>
#include <cmath>
#include <map>

namespace freshet {
namespace {

using test::world;

constexpr double volume_bound = 0.02;  ///< of surfaces beside that of the particles

SurfaceParticles particles_of(std::vector<Vec3> positions) {
  SurfaceParticles particles;
  particles.positions = std::move(positions);
  return particles;
}

SurfaceOptions closed_by(SurfaceMethod method) {
  SurfaceOptions options;
  options.method = method;
  options.solids = SurfaceSolids::closed;
  return options;
}

/// A thin sheet over a pool that comes apart into threads and drops: of its particles fewer are left the farther out.
SurfaceParticles torn_sheet(const Domain& domain, std::uint64_t seed) {
  return particles_of(test::seeded(
      domain.cells(), 2, 1.0,
      [&](const Vec3& x) {
        if (x.y() < 8.0) return true;
        const double height = x.y() - 16.0 - 2.0 * std::sin(0.3 * x.x());
        const auto place =
            static_cast<std::uint64_t>(1e6 * x.x()) * 64'000'000 + static_cast<std::uint64_t>(1e6 * x.z());
        return height > 0.0 && height < 1.0 && test::hashed(seed, place) > x.x() / 32.0;
      },
      world().rank(), world().size()));
}

TEST(SurfaceQuality, of_torn_sheets_keep_the_volume_and_hardly_move_flat_water) {
  DomainOptions cube;
  cube.cells = Vec3i::Constant(32);
  const Domain domain(cube);
  for (const SurfaceMethodRecord& method : surface_methods()) {
    SurfaceOptions options = closed_by(method.method);
    const SurfaceParticles particles = torn_sheet(domain, 5);
    const LevelSet level_set(world(), domain, options, particles);
    const SurfaceMesh mesh = level_set.contour();
    const double volume = static_cast<double>(level_set.n_particles()) / 8.0;
    EXPECT_NEAR(check_mesh(world(), mesh).volume / volume, 1.0, volume_bound) << method.name;
    EXPECT_NEAR(level_set.volume() / volume, 1.0, volume_bound) << method.name;
    if (method.method == SurfaceMethod::blobbies) continue;  // lose so much of the sheet that the rest moves too
    options.volume = SurfaceVolume::as_made;
    const SurfaceMesh plain = LevelSet(world(), domain, options, particles).contour();
    const auto height_of_pool = [&](const SurfaceMesh& m) {  // mean over the vertices of its top
      double sum = 0.0;
      GlobalIndex n = 0;
      for (const auto& x : m.positions)
        if (x[1] > 7.0F && x[1] < 9.0F && std::min(x[0], x[2]) > 1.0F && std::max(x[0], x[2]) < 31.0F) {
          sum += x[1];
          ++n;
        }
      return world().sum(sum) / static_cast<double>(world().sum(n));
    };
    // [cells], a third of a lattice cell: the sheet is an eighth of the pool, and the lattice cannot show it thinner
    EXPECT_NEAR(height_of_pool(mesh), height_of_pool(plain), 0.15) << method.name;
  }
}

/// A pool whose particles drift to and fro while a ball falls into it: positions in cells at the time of a frame.
SurfaceParticles calm_pool_and_ball(const Domain& domain, int frame) {
  SurfaceParticles particles = particles_of(test::seeded(
      domain.cells(), 2, 1.0, [&](const Vec3& x) { return x.y() < 8.0 || (x - Vec3(24.0, 16.0, 8.0)).norm() < 4.0; },
      world().rank(), world().size()));
  for (Vec3& x : particles.positions) {
    const double depth = x.y() / 8.0;
    if (depth < 1.0)  // a sixth of a cell each frame at the surface
      x.x() += frame * depth / 6.0 * (x.x() > 1.0 && x.x() < 30.0 ? 1.0 : 0.0);
    else
      x.y() -= 0.8 * frame;
  }
  return particles;
}

/// Heights of the vertices on the vertical edges of the lattice, of calm water far from the ball and the walls.
std::map<std::array<int, 2>, double> calm_heights(const SurfaceMesh& mesh) {
  std::map<std::array<int, 2>, double> heights;
  for (const auto& x : mesh.positions) {
    const double i = 2.0 * x[0] - 0.5, k = 2.0 * x[2] - 0.5;
    if (std::abs(i - std::round(i)) + std::abs(k - std::round(k)) > 1e-4) continue;
    if (x[0] > 6.0F && x[0] < 17.0F && x[2] > 2.0F && x[2] < 14.0F && x[1] > 6.0F && x[1] < 10.0F)
      heights[{static_cast<int>(std::round(i)), static_cast<int>(std::round(k))}] = x[1];
  }
  return heights;
}

TEST(SurfaceQuality, calm_water_is_flat_and_does_not_flicker_beside_a_splash) {
  DomainOptions wide;
  wide.cells = {32, 24, 16};
  const Domain domain(wide);
  for (const SurfaceMethodRecord& method : surface_methods()) {
    SurfaceOptions options;
    options.method = method.method;
    std::map<std::array<int, 2>, double> last;
    double change = 0.0, bump = 0.0, mean = 0.0;
    GlobalIndex n_changes = 0, n = 0;
    for (int frame = 0; frame < 4; ++frame) {
      const auto heights =
          calm_heights(LevelSet(world(), domain, options, calm_pool_and_ball(domain, frame)).contour());
      for (const auto& [place, height] : heights) {
        mean += height - 8.0;
        bump += (height - 8.0) * (height - 8.0);
        ++n;
        if (last.count(place) == 0) continue;
        change += (height - last[place]) * (height - last[place]);
        ++n_changes;
      }
      last = heights;
    }
    n = world().sum(n);
    n_changes = world().sum(n_changes);
    ASSERT_GT(n_changes, 500);  // those whose rank has not changed
    // [cells]: a particle stands anywhere in its half cell, and a lattice cell is half a cell wide
    EXPECT_LT(std::abs(world().sum(mean)) / static_cast<double>(n), 0.02) << method.name;
    EXPECT_LT(std::sqrt(world().sum(bump) / static_cast<double>(n)), 0.045) << method.name;
    EXPECT_LT(std::sqrt(world().sum(change) / static_cast<double>(n_changes)), 0.015) << method.name;
  }
}

}  // namespace
}  // namespace freshet
