// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/waiting.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace freshet {
namespace {

using namespace std::chrono_literals;

/// Compute on the given core until a time has passed.
void be_busy(int core, std::chrono::milliseconds time) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(Waiting, a_core_that_two_threads_share_is_missed_by_one_of_them) {
  CoreShortage shortage;
  std::thread first(be_busy, sched_getcpu(), 1200ms);
  std::thread second(be_busy, sched_getcpu(), 1200ms);
  // Both threads exist at the look in the middle and at the last one: a thread counts from one look to the next.
  std::this_thread::sleep_for(550ms);
  (void)shortage.share();
  std::this_thread::sleep_for(550ms);
  const double share = shortage.share();
  first.join();
  second.join();
  EXPECT_GT(share, 0.25);  // each has half of the core; a third process may take some of it
  EXPECT_LE(share, 1.0);
}

TEST(Waiting, teams_of_threads_work_while_they_wait_asleep_and_after) {
  for (const Waiting how : {Waiting::sleeping, Waiting::spinning, Waiting::sleeping, Waiting::spinning}) {
    set_waiting(how);
    EXPECT_EQ(waiting(), how);
    std::atomic<int> n_threads = 0;
#pragma omp parallel
    ++n_threads;
    EXPECT_EQ(n_threads, omp_get_max_threads());
  }
}

TEST(Waiting, ranks_meet_when_they_are_told) {
  EXPECT_FALSE(ranks_meet());
  let_ranks_meet(true);
  EXPECT_TRUE(ranks_meet());
  let_ranks_meet(false);
  EXPECT_FALSE(ranks_meet());
}

}  // namespace
}  // namespace freshet
