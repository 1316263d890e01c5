// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/sort.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace freshet {
namespace {

using test::all_blocks;
using test::make_domain;
using test::world;

using Position = std::array<ParticleReal, 3>;
const ParticleReal last_below_8 = std::nextafter(ParticleReal{8}, ParticleReal{0});

/// Where a particle of block `home` ends after it was moved to `moved`.
struct Outcome {
  bool there = false;
  Vec3i block = Vec3i::Zero();
  Position position{};
};

Outcome migrate_one(const Domain& domain, const Vec3i& home, const Position& moved) {
  const BlockLayout layout(world(), domain, uniform_splitters(domain, 1), all_blocks(domain));
  ParticleStore particles;
  particles.resize(1);
  particles.home().assign(1, 0);
  particles.home_keys() = {morton_key(home)};
  SortWorkspace workspace;
  sort_particles(particles, layout, CellOrder::arrival, workspace);
  std::copy(moved.begin(), moved.end(), particles.position());
  const MigrationReport report = migrate(particles, layout, layout.splitters());
  EXPECT_EQ(report.total + report.left_domain + report.lost, 1);
  EXPECT_EQ(report.total, particles.size());
  Outcome outcome;
  if (particles.size() == 0) return outcome;
  outcome.there = true;
  outcome.block = morton_block(particles.home_keys()[static_cast<std::size_t>(particles.home()[0])]);
  std::copy_n(particles.position(), 3, outcome.position.begin());
  return outcome;
}

void expect_at(const Outcome& outcome, const Vec3i& block, const Position& position) {
  EXPECT_TRUE(outcome.there);
  EXPECT_EQ(outcome.block, block);
  EXPECT_EQ(outcome.position, position);
}

TEST(BlockEnd, a_particle_that_rounds_to_the_end_of_a_block_stays_below_it) {
  const Domain domain = make_domain(3, {24, 24, 24});
  const ParticleReal tiny = std::numeric_limits<ParticleReal>::epsilon() / 1024;
  expect_at(migrate_one(domain, {1, 1, 1}, {-tiny, 2, 3}), {0, 1, 1}, {last_below_8, 2, 3});
  expect_at(migrate_one(domain, {1, 1, 1}, {1, -tiny, -tiny}), {1, 0, 0}, {1, last_below_8, last_below_8});
  const ParticleReal smallest = std::numeric_limits<ParticleReal>::denorm_min();
  expect_at(migrate_one(domain, {1, 1, 1}, {1, 2, -smallest}), {1, 1, 0}, {1, 2, last_below_8});
}

TEST(BlockEnd, the_end_of_a_block_is_the_start_of_the_next) {
  const Domain domain = make_domain(3, {24, 24, 24});
  expect_at(migrate_one(domain, {1, 1, 1}, {8, 2, 3}), {2, 1, 1}, {0, 2, 3});
  expect_at(migrate_one(domain, {1, 1, 1}, {last_below_8, 2, 3}), {1, 1, 1}, {last_below_8, 2, 3});
  expect_at(migrate_one(domain, {1, 1, 1}, {-0.0f, 0, 0}), {1, 1, 1}, {0, 0, 0});
  expect_at(migrate_one(domain, {1, 1, 1}, {15.5f, -7.5f, -8}), {2, 0, 0}, {7.5f, 0.5f, 0});
}

TEST(BlockEnd, long_jumps_find_their_block) {
  const Domain domain = make_domain(3, {80, 80, 80});
  expect_at(migrate_one(domain, {1, 1, 1}, {66, -3, 40.25f}), {9, 0, 6}, {2, 5, 0.25f});
}

TEST(BlockEnd, periodic_axes_wrap_at_both_ends_and_several_times_round) {
  const Domain domain = make_domain(3, {16, 8, 24}, FaceCondition::periodic);
  const ParticleReal tiny = std::numeric_limits<ParticleReal>::epsilon() / 1024;
  expect_at(migrate_one(domain, {0, 0, 0}, {-tiny, -tiny, -tiny}), {1, 0, 2},
            {last_below_8, last_below_8, last_below_8});
  expect_at(migrate_one(domain, {1, 0, 2}, {8, 8, 8}), {0, 0, 0}, {0, 0, 0});
  expect_at(migrate_one(domain, {0, 0, 0}, {41, -17, -1}), {1, 0, 2}, {1, 7, 7});
}

TEST(BlockEnd, particles_beyond_the_domain_are_dropped) {
  const Domain domain = make_domain(3, {20, 16, 16}, FaceCondition::open);
  EXPECT_TRUE(migrate_one(domain, {2, 0, 0}, {3.75f, 1, 1}).there);
  EXPECT_FALSE(migrate_one(domain, {2, 0, 0}, {4, 1, 1}).there);  // the block goes on, the domain does not
  EXPECT_FALSE(migrate_one(domain, {1, 0, 0}, {12, 1, 1}).there);
  EXPECT_FALSE(migrate_one(domain, {1, 1, 1}, {1, 8, 1}).there);
  EXPECT_FALSE(migrate_one(domain, {1, 0, 1}, {1, -0.25f, 1}).there);
  EXPECT_FALSE(migrate_one(domain, {1, 0, 1}, {1, 1, -900}).there);
}

TEST(BlockEnd, positions_that_are_no_numbers_are_dropped) {
  const WithoutTraps suspended;
  for (const FaceCondition condition : {FaceCondition::open, FaceCondition::periodic}) {
    const Domain domain = make_domain(3, {16, 16, 16}, condition);
    EXPECT_FALSE(migrate_one(domain, {1, 0, 0}, {std::numeric_limits<ParticleReal>::quiet_NaN(), 1, 1}).there);
    EXPECT_FALSE(migrate_one(domain, {1, 0, 0}, {1, std::numeric_limits<ParticleReal>::infinity(), 1}).there);
    EXPECT_FALSE(migrate_one(domain, {1, 0, 0}, {1, 1, -1e30f}).there);
  }
}

TEST(BlockEnd, two_dimensional_particles_never_leave_along_z) {
  const Domain domain = make_domain(2, {24, 16, 1});
  expect_at(migrate_one(domain, {1, 1, 0}, {-1, -7, 0.5f}), {0, 0, 0}, {7, 1, 0.5f});
  expect_at(migrate_one(domain, {1, 1, 0}, {1, 2, 0.5f}), {1, 1, 0}, {1, 2, 0.5f});
}

}  // namespace
}  // namespace freshet
