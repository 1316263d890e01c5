// SPDX-License-Identifier: Apache-2.0
#include "freshet/sources/schedule.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

constexpr double years = 1e9;  // [s]

TEST(Schedule, without_times_is_always_on) {
  const Schedule schedule{ScheduleParameters{}};
  EXPECT_EQ(schedule.time_on(0.0), 0.0);
  EXPECT_EQ(schedule.time_on(2.5), 2.5);
  EXPECT_EQ(schedule.time_after(2.5), 2.5);
  EXPECT_FALSE(schedule.is_over(years));
}

TEST(Schedule, is_on_from_its_start_to_its_end) {
  ScheduleParameters parameters;
  parameters.start = 1.0;
  parameters.end = 3.0;
  const Schedule schedule(parameters);
  EXPECT_EQ(schedule.time_on(1.0), 0.0);
  EXPECT_EQ(schedule.time_on(1.5), 0.5);
  EXPECT_EQ(schedule.time_on(years), 2.0);
  EXPECT_FALSE(schedule.is_over(2.999));
  EXPECT_TRUE(schedule.is_over(3.0));
}

TEST(Schedule, adds_up_its_intervals) {
  ScheduleParameters parameters;
  parameters.intervals = {{0.5, 1.0}, {2.0, 4.0}, {8.0, 8.25}};
  const Schedule schedule(parameters);
  EXPECT_EQ(schedule.time_on(0.5), 0.0);
  EXPECT_EQ(schedule.time_on(0.75), 0.25);
  EXPECT_EQ(schedule.time_on(1.5), 0.5);
  EXPECT_EQ(schedule.time_on(3.0), 1.5);
  EXPECT_EQ(schedule.time_on(years), 2.75);
  EXPECT_TRUE(schedule.is_over(8.25));
  EXPECT_FALSE(schedule.is_over(5.0));
}

TEST(Schedule, time_after_is_the_inverse_of_time_on) {
  ScheduleParameters parameters;
  parameters.intervals = {{0.5, 1.0}, {2.0, 4.0}, {8.0, 8.25}};
  const Schedule schedule(parameters);
  for (int n = 1; n <= 11; ++n) {
    const double on = 0.25 * n;  // exact in binary, as the intervals are
    EXPECT_EQ(schedule.time_on(schedule.time_after(on)), on);
  }
  EXPECT_EQ(schedule.time_after(0.5), 1.0);  // not 2.0: the earliest time
  EXPECT_EQ(schedule.time_after(2.75), 8.25);
}

TEST(Schedule, knows_when_it_switches_next) {
  ScheduleParameters parameters;
  parameters.intervals = {{0.5, 1.0}, {2.0, 4.0}};
  const Schedule schedule(parameters);
  EXPECT_EQ(schedule.next_switch(0.0), 0.5);
  EXPECT_EQ(schedule.next_switch(0.5), 1.0);
  EXPECT_EQ(schedule.next_switch(1.5), 2.0);
  EXPECT_GT(schedule.next_switch(4.0), years);
  EXPECT_GT(Schedule{ScheduleParameters{}}.next_switch(0.0), years);
}

}  // namespace
}  // namespace freshet
