// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/parallel_for.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace freshet {
namespace {

TEST(ParallelFor, every_block_is_visited_once) {
  std::vector<int> visits(1000, 0);
  parallel_for_blocks(1000, [&](LocalIndex block) { ++visits[static_cast<std::size_t>(block)]; });
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
}

TEST(ParallelFor, no_blocks_are_no_calls) {
  parallel_for_blocks(0, [](LocalIndex) { FAIL(); });
}

TEST(ParallelFor, loops_of_any_length_follow_each_other_on_any_number_of_threads) {
  const int before = omp_get_max_threads();
  for (const int n_threads : {1, 3, 8, 2}) {
    omp_set_num_threads(n_threads);
    for (const LocalIndex n : {1, 2, 7, 64, 5}) {
      std::vector<int> visits(static_cast<std::size_t>(n), 0);
      parallel_for_blocks(n, [&](LocalIndex block) { ++visits[static_cast<std::size_t>(block)]; });
      EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(n), 1)) << n << " on " << n_threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

TEST(ThreadShares, a_thread_begins_at_the_front_of_its_own_share_and_takes_over_others_from_the_back) {
  ThreadShares shares;
  shares.divide(10, 3);  // 0 1 2, 3 4 5, 6 7 8 9
  std::vector<LocalIndex> taken;
  shares.work(1, [&](LocalIndex n) { taken.push_back(n); });
  EXPECT_EQ(taken, (std::vector<LocalIndex>{3, 4, 5, 9, 8, 7, 6, 2, 1, 0}));
  taken.clear();
  shares.work(2, [&](LocalIndex n) { taken.push_back(n); });
  EXPECT_TRUE(taken.empty()) << "nothing is left";
  shares.divide(4, 3);
  shares.work(2, [&](LocalIndex n) { taken.push_back(n); });
  EXPECT_EQ(taken, (std::vector<LocalIndex>{2, 3, 0, 1}));
}

TEST(ParallelFor, exception_arrives_after_the_region_and_the_other_blocks_still_run) {
  std::vector<int> visits(100, 0);
  const auto body = [&](LocalIndex block) {
    ++visits[static_cast<std::size_t>(block)];
    if (block == 7) throw std::runtime_error("block 7");
  };
  EXPECT_THROW(parallel_for_blocks(100, body), std::runtime_error);
  EXPECT_EQ(visits, std::vector<int>(100, 1));
}

}  // namespace
}  // namespace freshet
