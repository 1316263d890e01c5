// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/idle_threads.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

TEST(IdleThreads, ranks_that_are_not_bound_share_the_cores) {
  EXPECT_FALSE(is_oversubscribed({.ranks = 2, .threads = 2, .cores = 4}));
  EXPECT_TRUE(is_oversubscribed({.ranks = 2, .threads = 2, .cores = 2}));
  EXPECT_TRUE(is_oversubscribed({.ranks = 5, .threads = 1, .cores = 4}));
}

TEST(IdleThreads, a_bound_rank_has_its_cores_for_itself) {
  EXPECT_FALSE(is_oversubscribed({.ranks = 8, .threads = 2, .cores = 2, .own_cores = true}));
  EXPECT_TRUE(is_oversubscribed({.ranks = 8, .threads = 3, .cores = 2, .own_cores = true}));
}

}  // namespace
}  // namespace freshet
