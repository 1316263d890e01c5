// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/energy.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;

TEST(ParticleSums, of_three_particles_by_hand) {
  PlacedParticles::Options options;
  options.velocity = {{1, 0, 0}, {0, -2, 0}, {0, 3, 4}};
  // cells of 1/2 m: blocks of 4 m
  const PlacedParticles scene(make_domain(3, {16, 16, 16}, FaceCondition::free_slip, 0.5),
                              {{1, 1, 1}, {5, 2, 3}, {6, 7, 7.5}}, options);
  const ParticleSums sums = sum_particles(scene.particles, scene.layout, 2.0, {0, -10, 0});
  EXPECT_DOUBLE_EQ(sums.max_speed, 5.0);
  EXPECT_DOUBLE_EQ(sums.kinetic_energy, 1.0 + 4.0 + 25.0);
  EXPECT_DOUBLE_EQ(sums.potential_energy, 2.0 * 10.0 * (1 + 2 + 7));
  EXPECT_EQ(sums.momentum, Vec3(2, 2, 8));
  EXPECT_LT((sums.center_of_mass - Vec3(4.0, 10.0 / 3, 11.5 / 3)).norm(), 1e-14);
}

TEST(ParticleSums, without_particles_are_0) {
  const PlacedParticles scene(make_domain(2, {16, 16, 1}), {});
  const ParticleSums sums = sum_particles(scene.particles, scene.layout, 2.0, {0, -10, 0});
  EXPECT_EQ(sums.max_speed, 0.0);
  EXPECT_EQ(sums.kinetic_energy, 0.0);
  EXPECT_EQ(sums.center_of_mass, Vec3(0, 0, 0));
}

}  // namespace
}  // namespace freshet
