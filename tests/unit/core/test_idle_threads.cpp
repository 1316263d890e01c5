// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/idle_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <string>

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

TEST(IdleThreads, places_are_those_of_the_launcher_and_of_the_system) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  const char* const before = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const std::string kept = before != nullptr ? before : "";
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "70", 1);
  const ThreadPlaces places = places_of(3);
  if (before != nullptr) {
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", kept.c_str(), 1);
  } else {
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  }
  EXPECT_EQ(places.ranks, 70);
  EXPECT_EQ(places.threads, 3);
  EXPECT_EQ(places.cores, CPU_COUNT(&own));
}

}  // namespace
}  // namespace freshet
