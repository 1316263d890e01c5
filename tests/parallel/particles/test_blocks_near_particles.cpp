// SPDX-License-Identifier: Apache-2.0
#include "freshet/particles/migration.hpp"
#include "freshet/particles/near_blocks.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/particle_crowd.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <set>

namespace freshet {
namespace {

using test::all_blocks;
using test::make_crowd;
using test::make_domain;
using test::world;

/// The same by its definition: every cell within the band, one by one.
std::set<BlockKey> blocks_by_cells(const ParticleStore& particles, const Domain& domain, int band) {
  std::set<BlockKey> keys;
  const int depth = domain.dimension() == 3 ? band : 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(particles.size()); ++p) {
    const BlockKey home = particles.home_keys()[static_cast<std::size_t>(particles.home()[p])];
    const auto place = test::place_of(particles, p, home);
    const Vec3i cell = Eigen::Map<const Eigen::Matrix<std::int64_t, 3, 1>>(place.data())
                           .unaryExpr([](std::int64_t x) { return x / test::ticks_per_cell; })
                           .cast<int>();
    for (int dz : {-depth, 0, depth})  // the corners, edges and faces of the band reach every block that it reaches
      for (int dy : {-band, 0, band})
        for (int dx : {-band, 0, band}) {
          Vec3i block = cell + Vec3i(dx, dy, dz);
          for (int axis = 0; axis < 3; ++axis)
            block[axis] = static_cast<int>(std::floor(static_cast<double>(block[axis]) / domain.block_cells()[axis]));
          if (domain.wrap_block(block)) keys.insert(morton_key(block));
        }
  }
  return keys;
}

TEST(BlocksNearParticles, are_those_of_every_cell_within_the_band) {
  const Domain domains[] = {make_domain(3, {40, 32, 24}), make_domain(3, {40, 16, 8}, FaceCondition::periodic),
                            make_domain(3, {30, 24, 17}, FaceCondition::open), make_domain(2, {80, 56, 1}),
                            make_domain(2, {8, 56, 1}, FaceCondition::periodic)};
  for (const Domain& domain : domains)
    for (const ParticleId n : {0, 5, 40, 300})
      for (int band = 0; band <= 8; ++band) {
        SCOPED_TRACE(::testing::Message() << domain.dimension() << "-D " << domain.cells().transpose() << ", " << n
                                          << " particles, band " << band);
        const Splitters splitters = uniform_splitters(domain, world().size());
        const ParticleStore particles = make_crowd(domain, splitters, world().rank(), n);
        const std::set<BlockKey> expected = blocks_by_cells(particles, domain, band);
        EXPECT_EQ(blocks_near_particles(particles, domain, band),
                  std::vector<BlockKey>(expected.begin(), expected.end()));
      }
}

TEST(BlocksNearParticles, a_particle_in_the_middle_needs_its_own_block_only) {
  const Domain domain = make_domain(3, {24, 24, 24});
  ParticleStore particles;
  particles.resize(1);
  std::fill_n(particles.position(), 3, ParticleReal{4.5});
  particles.home().assign(1, 0);
  particles.home_keys() = {morton_key({1, 1, 1}), morton_key({0, 0, 0})};  // no particle in the second
  EXPECT_EQ(blocks_near_particles(particles, domain, 3), (std::vector<BlockKey>{morton_key({1, 1, 1})}));
  EXPECT_EQ(blocks_near_particles(particles, domain, 4).size(), 8u);  // cell 4 is within 4 of cell 8
  EXPECT_EQ(blocks_near_particles(particles, domain, 5).size(), 27u);
}

/// In layouts that hold all blocks near the particles and others, on any ranks.
TEST(NearBlocks, are_the_blocks_near_particles_that_exist) {
  const Domain domains[] = {make_domain(3, {40, 32, 24}), make_domain(3, {40, 16, 8}, FaceCondition::periodic),
                            make_domain(3, {30, 24, 17}, FaceCondition::open), make_domain(2, {80, 56, 1}),
                            make_domain(2, {8, 56, 1}, FaceCondition::periodic)};
  NearBlocks near;
  for (const Domain& domain : domains)
    for (const ParticleId n : {0, 5, 40})
      for (int band = 0; band <= 8; band += 2) {
        SCOPED_TRACE(::testing::Message() << domain.dimension() << "-D " << domain.cells().transpose() << ", " << n
                                          << " particles, band " << band);
        const Splitters splitters = uniform_splitters(domain, world().size());
        ParticleStore particles = make_crowd(domain, splitters, world().rank(), n);
        const std::vector<BlockKey> wanted =
            owned_blocks(world(), splitters, blocks_near_particles(particles, domain, band)).keys;
        std::vector<BlockKey> keys = wanted;
        for (const BlockKey key : all_blocks(domain))
          if (test::hashed(key, static_cast<std::uint64_t>(band)) < 0.3) keys.push_back(key);
        const BlockLayout layout(world(), domain, splitters, keys);
        SortWorkspace workspace;
        sort_particles(particles, layout, CellOrder::arrival, workspace);
        near.find(particles, layout, band);
        ASSERT_EQ(near.marks().size(), static_cast<std::size_t>(layout.n_owned()));
        for (LocalIndex b = 0; b < layout.n_owned(); ++b)
          EXPECT_EQ(near.marks()[static_cast<std::size_t>(b)] != 0,
                    std::binary_search(wanted.begin(), wanted.end(), layout.key(b)));
      }
}

/// Blocks that the layout lacks by the definition of lacks_blocks().
std::vector<BlockKey> lacked_blocks(const ParticleStore& particles, const BlockLayout& layout, int band) {
  std::vector<BlockKey> keys = blocks_near_particles(particles, layout.domain(), band);
  std::erase_if(keys, [&](BlockKey key) { return layout.find(key) != layout.background(); });
  return keys;
}

/// Many particles in the middle of some blocks, and amid those of each block one at a random place: whole vectors of
/// particles have the same home, and only such a vector holds the one that matters.
ParticleStore lone_particles_in_crowds(const Domain& domain, const Splitters& splitters) {
  constexpr int n_crowd = 48;
  ParticleStore particles;
  particles.home_keys() = all_blocks(domain);
  std::sort(particles.home_keys().begin(), particles.home_keys().end());
  std::erase_if(particles.home_keys(), [&](BlockKey key) { return splitters.owner(key) != world().rank(); });
  std::vector<ParticleReal> position;
  for (std::size_t h = 0; h < particles.home_keys().size(); ++h) {
    const BlockKey key = particles.home_keys()[h];
    if (morton_block(key).dot(Vec3i(1, 2, 3)) % 11 != 0) continue;
    for (int p = 0; p < n_crowd; ++p) {
      particles.home().push_back(static_cast<LocalIndex>(h));
      for (std::uint64_t axis = 0; axis < 3; ++axis)
        position.push_back(static_cast<int>(axis) >= domain.dimension() ? ParticleReal{0.5}
                           : p == n_crowd / 2 ? static_cast<ParticleReal>(7.9 * test::hashed(key, axis))
                                              : ParticleReal{4});
    }
  }
  particles.resize(static_cast<ParticleIndex>(position.size() / 3));
  std::copy(position.begin(), position.end(), particles.position());
  return particles;
}

TEST(LacksBlocks, finds_each_single_block_that_is_missing) {
  const Domain domains[] = {make_domain(3, {40, 32, 24}), make_domain(3, {40, 32, 24}, FaceCondition::periodic),
                            make_domain(3, {40, 16, 8}, FaceCondition::periodic), make_domain(2, {80, 56, 1}),
                            make_domain(2, {8, 56, 1}, FaceCondition::periodic)};
  for (const Domain& domain : domains) {
    const Splitters splitters = uniform_splitters(domain, world().size());
    const ParticleStore crowd = lone_particles_in_crowds(domain, splitters);
    const std::vector<BlockKey> all = all_blocks(domain);
    int n_lacking = 0, n_complete = 0;
    for (const BlockKey dropped : all) {
      std::vector<BlockKey> wanted = all;
      std::erase(wanted, dropped);
      const BlockLayout layout(world(), domain, splitters, wanted);
      for (const int band : {0, 2, 3, 8}) {
        const bool lacks = lacks_blocks(crowd, layout, band);
        EXPECT_EQ(lacks, !lacked_blocks(crowd, layout, band).empty())
            << "block " << morton_block(dropped).transpose() << ", band " << band;
        (lacks ? n_lacking : n_complete) += 1;
      }
    }
    EXPECT_GT(world().sum(GlobalIndex{n_lacking}), 0);
    EXPECT_GT(world().sum(GlobalIndex{n_complete}), 0);
  }
}

TEST(LacksBlocks, a_home_that_does_not_exist_is_lacking) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), std::vector<BlockKey>{});
  ParticleStore particles;
  EXPECT_FALSE(lacks_blocks(particles, layout, 2));
  particles.resize(1);
  std::fill_n(particles.position(), 3, ParticleReal{4.5});
  particles.home().assign(1, 0);
  particles.home_keys() = {morton_key({1, 1, 1})};
  EXPECT_TRUE(lacks_blocks(particles, layout, 0));
}

}  // namespace
}  // namespace freshet
