// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/sampled_shape.hpp"
#include "freshet/particles/seeding.hpp"
#include "support/meshes.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>

namespace freshet {
namespace {

using test::world;

constexpr double dx = 1.0 / 32.0;

Domain make_domain() {
  DomainOptions options;
  options.dimension = 3;
  options.cells = Vec3i::Constant(40);
  options.cell_size = dx;
  return Domain(options);
}

/// A ball with a bump, whose surface crosses many blocks; and its volume.
TriangleMesh bumpy_ball(double& volume) {
  TriangleMesh mesh = test::icosphere(5, Vec3::Zero(), 0.45);
  for (Vec3& x : mesh.points) x = Vec3::Constant(0.6) + (1.0 + 0.25 * std::max(x.y(), 0.0)) * x;
  volume = 0.0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3& a = mesh.points[static_cast<std::size_t>(t[0])];
    const Vec3& b = mesh.points[static_cast<std::size_t>(t[1])];
    const Vec3& c = mesh.points[static_cast<std::size_t>(t[2])];
    volume += (a.x() * (b.y() * c.z() - b.z() * c.y()) + a.y() * (b.z() * c.x() - b.x() * c.z()) +
               a.z() * (b.x() * c.y() - b.y() * c.x())) /
              6.0;
  }
  return mesh;
}

struct Seeded {
  GlobalIndex n = 0;
  GlobalIndex fingerprint = 0;  ///< of ids, blocks and the bits of positions
};

Seeded seed(const Communicator& comm, const TriangleMesh& mesh) {
  const Domain domain = make_domain();
  SeedingOptions options;
  options.seed = 5;
  const auto shape =
      std::make_shared<const SampledShape>(std::make_shared<const MeshShape>(mesh), SampleLattice{Vec3::Zero(), dx, 3});
  Splitters splitters;
  ParticleStore particles;
  const SeedingReport report =
      seed_particles(comm, domain, options, {{shape, Vec3::Zero(), 0}}, {}, splitters, particles);
  GlobalIndex sum = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    std::uint64_t h =
        particles.id()[p] * 0x9e3779b97f4a7c15U + particles.home_keys()[static_cast<std::size_t>(particles.home()[p])];
    for (std::size_t axis = 0; axis < 3; ++axis)
      h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9U +
          std::bit_cast<std::uint64_t>(static_cast<double>(particles.position()[3 * p + axis]));
    sum += static_cast<GlobalIndex>(h >> 32);
  }
  return {report.seeded, comm.sum(sum)};
}

TEST(MeshSeeding, a_mesh_holds_its_volume_of_particles) {
  double volume = 0.0;
  const TriangleMesh mesh = bumpy_ball(volume);
  const Seeded seeded = seed(world(), mesh);
  const double per_volume = 8.0 / (dx * dx * dx);
  // Where the surface cuts a sub-cell one point decides. That is about 4 pi r^2 / (dx / 2)^2 = 11000 sub-cells, each
  // off by 1/2 or less at random: three times 0.5 sqrt(11000) = 160 particles.
  EXPECT_NEAR(static_cast<double>(seeded.n), volume * per_volume, 160.0);
  EXPECT_GT(seeded.n, 100000);
}

TEST(MeshSeeding, sheets_and_rods_thinner_than_a_cell_hold_their_volume_too) {
  const Vec3 center(0.61, 0.62, 0.63);
  const double per_volume = 8.0 / (dx * dx * dx);
  for (const Vec3& half : {Vec3(0.3 * dx, 0.4, 0.4), Vec3(0.35 * dx, 0.35 * dx, 0.5)}) {
    const Seeded seeded = seed(world(), test::box_mesh(center - half, center + half));
    const double expected = 8.0 * half.prod() * per_volume;
    // each place is in by chance: the square root is one standard deviation of independent ones; jitter moves each
    // within its sub-cell, so that less is left to chance
    EXPECT_NEAR(static_cast<double>(seeded.n), expected, 2.0 * std::sqrt(expected));
  }
}

TEST(MeshSeeding, the_particles_do_not_depend_on_ranks) {
  double volume = 0.0;
  const TriangleMesh mesh = bumpy_ball(volume);
  const Seeded together = seed(world(), mesh);
  const Communicator alone(MPI_COMM_SELF);
  const Seeded single = seed(alone, mesh);
  EXPECT_EQ(together.n, single.n);
  EXPECT_EQ(together.fingerprint, single.fingerprint);
}

}  // namespace
}  // namespace freshet
