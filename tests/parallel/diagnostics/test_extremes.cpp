// SPDX-License-Identifier: Apache-2.0
#include "freshet/diagnostics/extremes.hpp"
#include "support/placed_particles.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace freshet {
namespace {

using test::make_domain;
using test::PlacedParticles;
using test::world;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

PlacedParticles scene_of(const std::vector<Vec3>& velocity) {
  PlacedParticles::Options options;
  options.velocity = velocity;
  return {make_domain(3, {16, 16, 16}, FaceCondition::free_slip, 0.5), {{1, 1, 1}, {5, 2, 3}, {6, 7, 7.5}}, options};
}

TEST(Extremes, the_fastest_particle_of_all_ranks_is_described) {
  const PlacedParticles scene = scene_of({{1, 0, 0}, {0, -9, 0}, {0, 3, 4}});
  const std::string text = describe_fastest_particle(scene.particles, scene.layout);
  const std::string expected = "Fastest particle: id 1 with velocity (0, -9, 0) m/s in cell (10, 4, 6) at (5, 2, 3) m";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_TRUE(all_finite(scene.particles, scene.layout));
}

TEST(Extremes, a_velocity_that_is_nan_comes_first) {
  PlacedParticles scene = scene_of({{1, 0, 0}, {0, -9, 0}, {0, 3, 4}});
  scene.for_each([&](const Vec3&, ParticleIndex p) {
    if (scene.particles.id()[p] == 2) scene.particles.velocity()[3 * p + 1] = static_cast<ParticleReal>(nan);
  });
  EXPECT_FALSE(all_finite(scene.particles, scene.layout));
  EXPECT_NE(describe_fastest_particle(scene.particles, scene.layout).find("id 2 "), std::string::npos);
}

TEST(Extremes, without_particles_there_is_none) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}), {});
  EXPECT_EQ(describe_fastest_particle(scene.particles, scene.layout), "No particle is left.");
  EXPECT_TRUE(all_finite(scene.particles, scene.layout));
}

TEST(Extremes, the_fastest_face_is_an_owned_one) {
  const PlacedParticles scene(make_domain(3, {16, 16, 16}, FaceCondition::free_slip, 0.5), {});
  FaceField<double> velocity(scene.layout, 0.0);
  velocity.fill(0.25);
  for (LocalIndex b = scene.layout.n_owned(); b < scene.layout.n_blocks(); ++b) velocity[0].block(b)[0] = 100.0;
  const LocalIndex block = scene.layout.find_owned(morton_key({1, 0, 1}));
  if (block != scene.layout.background()) velocity[1].block(block)[3 + 8 * (2 + 8 * 1)] = -7.5;
  const std::string text = describe_fastest_face(velocity);
  const std::string expected = "Fastest face: -7.5 m/s through the low y face of cell (11, 2, 9) at (5.5, 1, 4.5) m";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
}

}  // namespace
}  // namespace freshet
