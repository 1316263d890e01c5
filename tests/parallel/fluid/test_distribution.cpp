// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/distribution.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/neighbours.hpp"
#include "support/placed_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace freshet {
namespace {

using test::full_cells;
using test::make_domain;
using test::world;

test::PlacedParticles::Options numbered(std::size_t n) {
  test::PlacedParticles::Options options;
  for (std::size_t p = 0; p < n; ++p) options.velocity.emplace_back(static_cast<double>(p), 0, 0);
  return options;
}

/// Particles at given places, in cells, of a 16^3 domain with cells of 1 m; particle p has the velocity (p, 0, 0).
class Scene : public test::PlacedParticles {
 public:
  explicit Scene(const std::vector<Vec3>& places)
      : PlacedParticles(make_domain(3, {16, 16, 16}), places, numbered(places.size())) {}
  /// Label every cell liquid, so that no cell is near a surface.
  void drown() {
    labels.fill(Label::liquid);
    find_inner_cells(labels, solids, inner);
  }
  /// Position in cells and velocity of a particle, on all ranks.
  void find(ParticleId id, Vec3& x, Vec3& u) const {
    double numbers[6] = {};
    for_each([&](const Vec3& place, ParticleIndex p) {
      for (int d = 0; d < 3 && particles.id()[p] == id; ++d) {
        numbers[d] = place[d];
        numbers[3 + d] = particles.velocity()[3 * p + d];
      }
    });
    world().sum_in_place(numbers);
    x = Vec3(numbers[0], numbers[1], numbers[2]);
    u = Vec3(numbers[3], numbers[4], numbers[5]);
  }
  GlobalIndex correct(double strength, const FaceField<double>& velocity = {}) {
    DistributionCorrection correction(SamplingOptions(), {true, strength});
    correction.find(particles, labels, inner, velocity);
    return world().sum(static_cast<GlobalIndex>(correction.apply(solids, particles)));
  }
  GlobalIndex n_liquid_by_density(double alpha) {
    ParticleNeighbours neighbours;
    neighbours.gather(particles, layout);
    LabelField found(layout, Label::solid);
    return world().sum(label_cells_by_density(particles, neighbours, solids, alpha, 2, found));
  }
};

/// Particles of APIC take the velocity of the grid and its gradient.
TEST(Distribution, of_apic_keeps_a_velocity_linear_in_space) {
  Mat3 gradient;
  gradient << 0.1, -0.4, 0.3, 0.2, -0.3, 0.5, -0.6, 0.7, 0.2;
  std::vector<Vec3> places;  // some of them across a side of their block, which is one of two ranks' as well
  for (int p = 0; p < 60; ++p)
    places.push_back(Vec3(7.9, 6.4, 7.2) + 0.4 * Vec3(std::sin(1.0 * p), std::sin(2.3 * p), std::cos(3.1 * p)));
  Scene scene(places);
  scene.drown();
  add_arrays(scene.particles, ArrayNeed::apic);
  FaceField<double> velocity(scene.layout, 0.0);
  const auto linear = [&](const Vec3& x) -> Vec3 { return Vec3(1, 2, 3) + gradient * x; };
  test::set_faces(velocity, linear);
  scene.layout.halo().gather(velocity, 2);
  EXPECT_GT(scene.correct(1.0, velocity), 40);
  scene.for_each([&](const Vec3& x, ParticleIndex p) {
    if (affine_rows(scene.particles)[9 * p] == 0.0F) return;  // not moved
    const Vec3 u = linear(x);
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(scene.particles.velocity()[3 * p + d], u[d], 1e-5);  // 32-bit places and velocities of about 10
      for (int e = 0; e < 3; ++e)
        EXPECT_NEAR(affine_rows(scene.particles)[9 * p + 3 * d + e], gradient(d, e), 1e-6);  // likewise, below 1
    }
  });
}

TEST(Kernels, take_squared_distances) {
  EXPECT_DOUBLE_EQ(loose_kernel(0.0, 4.0), 1.0);
  EXPECT_DOUBLE_EQ(loose_kernel(1.0, 4.0), 0.75);
  EXPECT_EQ(loose_kernel(4.0, 4.0), 0.0);
  EXPECT_DOUBLE_EQ(stiff_kernel(1.0, 4.0), 3.0);
  EXPECT_EQ(stiff_kernel(5.0, 4.0), 0.0);
  EXPECT_TRUE(std::isfinite(stiff_kernel(0.0, 1.0)));
}

/// Across the corner where eight blocks meet, r = 0.3 along y: d = s h (1 - r^2/h^2) = 0.2 0.5 0.64 = 0.064 each.
TEST(Distribution, two_particles_part_along_their_line) {
  Scene scene({{8.0, 7.85, 8.0}, {8.0, 8.15, 8.0}, {3.0, 3.0, 3.0}});
  scene.drown();
  EXPECT_EQ(scene.correct(0.2), 2);
  Vec3 x, u;
  scene.find(0, x, u);
  EXPECT_NEAR((x - Vec3(8.0, 7.85 - 0.064, 8.0)).norm(), 0.0, 1e-6);  // 32-bit places
  // of velocities 0 and 1 with weights 1/0.064^2 - 1 and 1/0.364^2 - 1: the nearer counts more
  const double far = 1.0 / (0.364 * 0.364) - 1.0;
  const double near = 1.0 / (0.064 * 0.064) - 1.0;
  EXPECT_NEAR(u[0], far / (near + far), 1e-4);  // places of 32 bits in a kernel that grows by 1/r^2
  scene.find(1, x, u);
  EXPECT_NEAR((x - Vec3(8.0, 8.15 + 0.064, 8.0)).norm(), 0.0, 1e-6);
  scene.find(2, x, u);
  EXPECT_EQ(u[0], 2.0);  // it did not move
}

/// Whatever their ids are; d = s h = 0.05 each. Two that move alike part all the same.
TEST(Distribution, particles_at_one_place_part_along_their_relative_velocity) {
  Scene scene({{8.0, 8.0, 8.0}, {8.0, 8.0, 8.0}, {4.5, 4.5, 4.5}, {4.5, 4.5, 4.5}});
  scene.for_each([&](const Vec3&, ParticleIndex p) {
    if (scene.particles.id()[p] >= 2) scene.particles.velocity()[3 * p] = 0;
  });
  scene.drown();
  EXPECT_EQ(scene.correct(0.1), 4);
  Vec3 x[4], u;
  for (ParticleId id = 0; id < 4; ++id) scene.find(id, x[id], u);
  EXPECT_NEAR((x[0] - Vec3(7.95, 8.0, 8.0)).norm(), 0.0, 1e-6);  // 32-bit places
  EXPECT_NEAR((x[1] - Vec3(8.05, 8.0, 8.0)).norm(), 0.0, 1e-6);
  EXPECT_NEAR((x[3] - x[2]).norm(), 0.1, 1e-6);
}

TEST(Distribution, no_particle_goes_farther_than_a_tenth_of_a_cell) {
  std::vector<Vec3> places;
  for (int n = 0; n < 20; ++n) places.emplace_back(8.05, 7.9 + 0.01 * n, 8.0);
  places.push_back(places.front());  // two at one place part all the same
  Scene scene(places);
  scene.drown();
  EXPECT_EQ(scene.correct(1.0), 21);
  Vec3 first, last, u;
  for (ParticleId id = 0; id < 21; ++id) {
    scene.find(id, first, u);
    EXPECT_LE((first - places[id]).norm(), 0.1 + 1e-6);  // 32-bit places
  }
  scene.find(0, first, u);
  scene.find(20, last, u);
  EXPECT_GT((first - last).norm(), 0.01);
}

TEST(Distribution, lattice_stays_and_so_does_the_surface) {
  Scene scene(full_cells({2, 2, 2}, {14, 10, 14}));
  EXPECT_EQ(scene.correct(0.5), 0);
  std::vector<Vec3> places = full_cells({2, 2, 2}, {14, 10, 14});
  for (std::size_t p = 0; p < places.size(); ++p)
    for (int d = 0; d < 3; ++d) places[p][d] += 0.3 * (test::hashed(p, static_cast<std::uint64_t>(d)) - 0.5);
  Scene shaken(places);
  EXPECT_GT(shaken.correct(0.5), 1000);
  Vec3 x, u;
  for (ParticleId id = 0; id < places.size(); id += 7) {
    const Vec3i cell = places[id].array().floor().cast<int>();
    const bool at_surface = (cell.array() <= 2).any() || cell.x() >= 13 || cell.y() >= 9 || cell.z() >= 13;
    if (!at_surface) continue;
    shaken.find(id, x, u);
    EXPECT_NEAR((x - places[id]).norm(), 0.0, 1e-6);  // 32-bit places
  }
}

/// A full lattice is liquid up to its last cell, a lone particle is not, and a pair neither.
TEST(DensityLabels, tell_liquid_from_spray) {
  std::vector<Vec3> places = full_cells({4, 4, 4}, {12, 9, 12});
  EXPECT_EQ(Scene(places).n_liquid_by_density(0.2), 8 * 5 * 8);
  places.emplace_back(2.5, 13.5, 8.0);
  places.emplace_back(13.5, 13.5, 8.01);
  places.emplace_back(13.5, 13.6, 8.01);
  Scene scene(places);
  EXPECT_EQ(scene.n_liquid_by_density(0.2), 8 * 5 * 8);
  // alone: rho = 1 / rho_0, where rho_0 = 13.5 sums 1 - r^2 over the lattice: alpha 8 has to be below 1 / 13.5
  EXPECT_EQ(scene.n_liquid_by_density(0.001), 8 * 5 * 8 + 2);
}

}  // namespace
}  // namespace freshet
