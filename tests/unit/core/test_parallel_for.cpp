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
