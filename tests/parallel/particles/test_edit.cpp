// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/edit.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/particle_crowd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

namespace freshet {
namespace {

using test::all_blocks;
using test::has_its_marks;
using test::make_crowd;
using test::make_domain;
using test::world;

constexpr ParticleId n_particles = 3000;

/// A crowd of sorted particles, open for edits.
struct Scene {
  explicit Scene(int dimension)
      : domain(make_domain(dimension, {40, 24, dimension == 3 ? 17 : 1})),
        layout(world(), domain, uniform_splitters(domain, world().size()), all_blocks(domain)),
        particles(make_crowd(domain, layout.splitters(), world().rank(), n_particles)) {
    sort_particles(particles, layout, CellOrder::by_id, workspace);
    open_for_edits(particles, layout);
  }
  Domain domain;
  BlockLayout layout;
  ParticleStore particles;
  SortWorkspace workspace;
};

TEST(Edit, opened_particles_know_their_blocks) {
  for (const int dimension : {2, 3}) {
    const Scene scene(dimension);
    ASSERT_EQ(scene.particles.home().size(), static_cast<std::size_t>(scene.particles.size()));
    ASSERT_EQ(scene.particles.home_keys().size(), static_cast<std::size_t>(scene.layout.n_owned()));
    for (std::size_t p = 0; p < static_cast<std::size_t>(scene.particles.size()); ++p) {
      const BlockKey key = scene.particles.home_keys()[static_cast<std::size_t>(scene.particles.home()[p])];
      ASSERT_EQ(test::place_of(scene.particles, p, key), test::random_place(scene.domain, scene.particles.id()[p]));
    }
  }
}

TEST(Edit, particles_that_stay_keep_order_and_attributes) {
  for (const ParticleId every : {1, 2, 3, 5000}) {  // all, every second, every third, none but the first
    Scene scene(3);
    ParticleStore& particles = scene.particles;
    std::vector<std::uint8_t> remove;
    std::vector<std::pair<ParticleId, LocalIndex>> left;
    for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
      remove.push_back(particles.id()[p] % every == 0 ? std::uint8_t{7} : std::uint8_t{0});
      if (remove.back() == 0) left.emplace_back(particles.id()[p], particles.home()[p]);
    }
    remove_particles(particles, remove);
    ASSERT_EQ(static_cast<std::size_t>(particles.size()), left.size());
    for (std::size_t p = 0; p < left.size(); ++p) {
      ASSERT_EQ(particles.id()[p], left[p].first);
      ASSERT_EQ(particles.home()[p], left[p].second);
      ASSERT_TRUE(has_its_marks(particles, p));
    }
    EXPECT_EQ(world().sum(GlobalIndex{particles.size()}),
              static_cast<GlobalIndex>(n_particles - (n_particles + every - 1) / every));
    sort_particles(particles, scene.layout, CellOrder::by_id, scene.workspace);  // the homes are valid
  }
}

TEST(Edit, ids_of_new_particles_follow_the_keys_whatever_the_ranks) {
  Scene scene(3);
  ParticleStore& particles = scene.particles;
  const std::vector<BlockKey> keys = [&] {
    std::vector<BlockKey> all = all_blocks(scene.domain);
    std::sort(all.begin(), all.end());
    return all;
  }();
  // Block number b of all gets b % 3 particles.
  std::vector<NewParticle> added;
  for (LocalIndex b = 0; b < scene.layout.n_owned(); ++b) {
    const GlobalIndex n = (scene.layout.first_global() + b) % 3;
    for (GlobalIndex m = 0; m < n; ++m) {
      NewParticle particle;
      particle.home = b;
      particle.position[0] = static_cast<ParticleReal>(m) + ParticleReal{0.5};
      particle.velocity[2] = ParticleReal{3};
      particle.tag = 9;
      added.push_back(particle);
    }
  }
  const ParticleIndex n_old = particles.size();
  GlobalIndex expected = 0;
  std::map<ParticleId, std::pair<BlockKey, ParticleReal>> place_of_id;
  for (std::size_t b = 0; b < keys.size(); ++b)
    for (std::size_t m = 0; m < b % 3; ++m)
      place_of_id[5000 + static_cast<ParticleId>(expected++)] = {keys[b],
                                                                 static_cast<ParticleReal>(m) + ParticleReal{0.5}};
  EXPECT_EQ(append_particles(world(), particles, added, 5000), expected);
  EXPECT_EQ(world().sum(GlobalIndex{particles.size()}), static_cast<GlobalIndex>(n_particles) + expected);
  for (auto p = static_cast<std::size_t>(n_old); p < static_cast<std::size_t>(particles.size()); ++p) {
    const auto [key, x] = place_of_id.at(particles.id()[p]);
    EXPECT_EQ(particles.home_keys()[static_cast<std::size_t>(particles.home()[p])], key);
    EXPECT_EQ(particles.position()[3 * p], x);
    EXPECT_EQ(particles.velocity()[3 * p + 2], ParticleReal{3});
    EXPECT_EQ(particles.tag()[p], 9);
    EXPECT_EQ(particles.attribute<std::int32_t>("mark_int")[2 * p], 0) << "like -1 takes initial values";
  }
  sort_particles(particles, scene.layout, CellOrder::by_id, scene.workspace);
}

TEST(Edit, a_new_particle_takes_over_the_attributes_of_another) {
  Scene scene(2);
  ParticleStore& particles = scene.particles;
  std::vector<NewParticle> added;
  for (ParticleIndex p = 0; p < particles.size(); p += 2) {
    NewParticle particle;
    particle.home = particles.home()[p];
    particle.like = p;
    added.push_back(particle);
  }
  const auto n_old = static_cast<std::size_t>(particles.size());
  append_particles(world(), particles, added, n_particles);
  for (std::size_t m = 0; m < added.size(); ++m) {
    const auto like = static_cast<std::size_t>(added[m].like);
    for (std::size_t e = 0; e < 2; ++e)
      EXPECT_EQ(particles.attribute<std::int32_t>("mark_int")[2 * (n_old + m) + e],
                particles.attribute<std::int32_t>("mark_int")[2 * like + e]);
    EXPECT_EQ(particles.attribute<float>("mark_float")[n_old + m], particles.attribute<float>("mark_float")[like]);
  }
}

TEST(Edit, empty_stores_take_part) {
  Scene scene(3);
  remove_particles(scene.particles, std::vector<std::uint8_t>(static_cast<std::size_t>(scene.particles.size()), 1));
  EXPECT_EQ(scene.particles.size(), 0);
  remove_particles(scene.particles, {});
  EXPECT_EQ(append_particles(world(), scene.particles, {}, 7), 0);
  sort_particles(scene.particles, scene.layout, CellOrder::arrival, scene.workspace);
}

}  // namespace
}  // namespace freshet
