// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/partition.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace freshet {
namespace {

using test::hashed;
using test::world;

TEST(Partition, uniform_stretches_cover_the_curve) {
  const Domain domain = test::make_domain(3, {64, 64, 64});
  const Splitters splitters = uniform_splitters(domain, 8);
  const std::vector<BlockKey> first = splitters.first_keys();
  EXPECT_EQ(first.front(), 0U);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  for (int octant = 0; octant < 8; ++octant)
    EXPECT_EQ(splitters.owner(morton_key({4 * (octant & 1), 2 * (octant & 2), octant & 4})), octant);
}

TEST(Partition, balanced_stretches_differ_from_the_mean_by_at_most_one_block) {
  // 500 blocks in uneven hands: rank r holds a stretch that grows with r
  const int n_ranks = world().size();
  std::vector<BlockKey> keys;
  std::vector<double> costs;
  const int total_parts = n_ranks * (n_ranks + 1) / 2;
  const int parts_before = world().rank() * (world().rank() + 1) / 2;
  for (int n = 500 * parts_before / total_parts; n < 500 * (parts_before + world().rank() + 1) / total_parts; ++n) {
    keys.push_back(static_cast<BlockKey>(3 * n + 1));
    costs.push_back(1.0 + hashed(static_cast<std::uint64_t>(n)));
  }
  const Splitters splitters = balanced_splitters(world(), keys, costs);
  std::vector<double> load(static_cast<std::size_t>(n_ranks), 0.0);
  for (std::size_t n = 0; n < keys.size(); ++n) load[static_cast<std::size_t>(splitters.owner(keys[n]))] += costs[n];
  world().sum_in_place(load);
  const double mean = std::accumulate(load.begin(), load.end(), 0.0) / n_ranks;
  for (const double cost : load) EXPECT_NEAR(cost, mean, 2.0);  // half of the largest block at either end
}

TEST(Partition, more_ranks_than_blocks_leaves_some_empty) {
  std::vector<BlockKey> keys;
  std::vector<double> costs;
  if (world().is_root()) {
    keys = {10, 20};
    costs = {1.0, 1.0};
  }
  const Splitters splitters = balanced_splitters(world(), keys, costs);
  const std::vector<BlockKey> first = splitters.first_keys();
  EXPECT_EQ(splitters.n_ranks(), world().size());
  EXPECT_EQ(first.size(), static_cast<std::size_t>(world().size()));
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_GE(splitters.owner(20), 0);
  if (world().size() > 1) {
    EXPECT_NE(splitters.owner(10), splitters.owner(20));
  }
}

double imbalance(double cost) {
  RankCosts costs(cost);
  Reduction reduction;
  costs.add_to(reduction);
  reduction.reduce(world());
  return costs.imbalance(world().size());
}

TEST(Partition, no_blocks_at_all_is_no_fault) {
  const Splitters splitters = balanced_splitters(world(), {}, {});
  EXPECT_LT(splitters.owner(5), world().size());
  EXPECT_EQ(imbalance(0.0), 1.0);
}

TEST(Partition, imbalance_is_the_largest_over_the_mean) {
  const double cost = world().is_root() ? 3.0 : 1.0;
  EXPECT_DOUBLE_EQ(imbalance(cost), 3.0 * world().size() / (world().size() + 2.0));
}

TEST(Partition, coarser_splitters_give_a_block_to_the_owner_of_its_first_possible_child) {
  const std::vector<BlockKey> first{0, 1, 8, 8, 17, 200, ~BlockKey{0}};
  const Splitters splitters(first);
  Splitters coarse = splitters;
  std::vector<BlockKey> expected = first;
  for (int level = 1; level <= 3; ++level) {
    coarse = coarse.coarser();
    for (BlockKey& key : expected) key = key / 8 + (key % 8 != 0 ? 1 : 0);
    EXPECT_EQ(coarse.first_keys(), expected);
    EXPECT_EQ(coarse, Splitters(expected));
    EXPECT_NE(coarse, splitters);
    const BlockKey scale = BlockKey{1} << (3U * static_cast<unsigned>(level));
    for (BlockKey key = 0; key < 40; ++key) {
      EXPECT_EQ(coarse.owner(key), splitters.owner(key * scale)) << key;
      EXPECT_EQ(coarse.owner(key), Splitters(expected).owner(key)) << key;
    }
  }
  EXPECT_EQ(splitters, Splitters(first));
  EXPECT_EQ(coarse.n_ranks(), 7);
}

TEST(Partition, imbalance_of_stretches_counts_the_blocks_wherever_they_are_now) {
  // 16 blocks of cost 1 and 2 in turn, all on the last rank
  std::vector<BlockKey> keys;
  std::vector<double> costs;
  for (int n = 0; n < 16 && world().rank() == world().size() - 1; ++n) {
    keys.push_back(static_cast<BlockKey>(n));
    costs.push_back(1.0 + n % 2);
  }
  std::vector<BlockKey> first;
  for (int r = 0; r < world().size(); ++r) first.push_back(static_cast<BlockKey>(2 * r));
  const Splitters splitters(first);
  // every rank but the last has two blocks of cost 3 together
  const double last = 24.0 - 3.0 * (world().size() - 1);
  EXPECT_DOUBLE_EQ(imbalance_of(world(), keys, costs, splitters), last * world().size() / 24.0);
  EXPECT_EQ(imbalance_of(world(), {}, {}, splitters), 1.0);
}

}  // namespace
}  // namespace freshet
