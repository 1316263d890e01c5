// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/select.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace freshet::test {
namespace {

/// Keys of item i of all, which go round the ranks.
std::vector<std::uint64_t> keys_here(int n, std::uint64_t (*key)(std::uint64_t)) {
  std::vector<std::uint64_t> keys;
  for (int i = world().rank(); i < n; i += world().size()) keys.push_back(key(static_cast<std::uint64_t>(i)));
  return keys;
}

GlobalIndex n_selected(const std::vector<std::uint8_t>& in) {
  return world().sum(std::accumulate(in.begin(), in.end(), GlobalIndex{0}));
}

std::uint64_t scrambled(std::uint64_t i) {
  return i * 0x9e3779b97f4a7c15;  // odd: no two are equal
}

TEST(AmongSmallest, selects_exactly_the_smallest_of_all_ranks) {
  constexpr int n_all = 1000;
  std::vector<std::uint64_t> sorted(n_all);
  for (std::uint64_t i = 0; i < n_all; ++i) sorted[i] = scrambled(i);
  std::sort(sorted.begin(), sorted.end());
  const std::vector<std::uint64_t> keys = keys_here(n_all, scrambled);
  for (const GlobalIndex n : {1, 2, 255, 256, 999}) {
    const std::vector<std::uint8_t> in = among_smallest(world(), keys, n);
    ASSERT_EQ(in.size(), keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
      EXPECT_EQ(in[k] != 0, keys[k] <= sorted[static_cast<std::size_t>(n - 1)]);
    EXPECT_EQ(n_selected(in), n);
  }
}

TEST(AmongSmallest, takes_none_or_all_where_that_is_asked) {
  const std::vector<std::uint64_t> keys = keys_here(10, scrambled);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 0)), 0);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, -3)), 0);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 10)), 10);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 11)), 10);
  EXPECT_EQ(n_selected(among_smallest(world(), {}, 5)), 0);
}

TEST(AmongSmallest, keeps_equal_keys_together) {
  const std::vector<std::uint64_t> keys = keys_here(40, [](std::uint64_t i) { return i / 10; });  // ten of each
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 20)), 20);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 25)), 20);
  EXPECT_EQ(n_selected(among_smallest(world(), keys, 9)), 0);
}

}  // namespace
}  // namespace freshet::test
