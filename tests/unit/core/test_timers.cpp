// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/timers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace freshet {
namespace {

void spend(Timers& timers, const char* name) {
  const auto region = timers.region(name);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(Timers, phases_stand_in_order_of_first_use_with_calls_and_time) {
  Timers timers;
  spend(timers, "deposit");
  spend(timers, "solve");
  spend(timers, "deposit");
  ASSERT_EQ(timers.phases().size(), 2U);
  EXPECT_EQ(timers.phases()[0].name, "deposit");
  EXPECT_EQ(timers.phases()[0].calls, 2);
  EXPECT_GE(timers.phases()[0].seconds, 0.004);  // sleep_for sleeps at least that long
  EXPECT_EQ(timers.phases()[1].name, "solve");
  EXPECT_EQ(timers.phases()[1].calls, 1);
  EXPECT_DOUBLE_EQ(timers.total(), timers.phases()[0].seconds + timers.phases()[1].seconds);
}

TEST(Timers, a_region_inside_another_one_stops_the_outer_one_s_clock) {
  Timers timers;
  const auto start = std::chrono::steady_clock::now();
  {
    const auto outer = timers.region("move");
    spend(timers, "migrate");
    spend(timers, "migrate");
  }
  spend(timers, "solve");
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_EQ(timers.phases().size(), 3U);
  EXPECT_EQ(timers.phases()[1].calls, 2);
  EXPECT_GE(timers.phases()[1].seconds, 0.004);
  EXPECT_GE(timers.phases()[0].seconds, 0.0);
  EXPECT_LE(timers.total(), elapsed) << "a second was counted for two phases";
}

TEST(Timers, all_that_came_before_becomes_one_phase) {
  Timers timers;
  spend(timers, "deposit");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // in no region
  timers.close_as("start");
  ASSERT_EQ(timers.phases().size(), 1U);
  EXPECT_EQ(timers.phases()[0].name, "start");
  EXPECT_EQ(timers.phases()[0].calls, 1);
  EXPECT_GE(timers.phases()[0].seconds, 0.004);
  spend(timers, "deposit");
  ASSERT_EQ(timers.phases().size(), 2U);
  EXPECT_EQ(timers.phases()[1].name, "deposit");
  EXPECT_EQ(timers.phases()[1].calls, 1);
}

}  // namespace
}  // namespace freshet
