// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/checkpoint_clock.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

CheckpointOptions never() {
  CheckpointOptions options;
  options.wall_interval = 0.0;
  return options;
}

TEST(CheckpointClock, without_any_interval_is_never_due) {
  const CheckpointClock clock(never(), 0, 0.0);
  EXPECT_FALSE(clock.is_due(1'000'000, 1e6));
  EXPECT_FALSE(clock.is_due_by_wall(1e6));
}

TEST(CheckpointClock, counts_steps_from_0_whatever_step_the_run_begins_at) {
  CheckpointOptions options = never();
  options.steps = 10;
  CheckpointClock clock(options, 17, 0.0);
  EXPECT_FALSE(clock.is_due(17, 0.0)) << "the state that the run began with";
  EXPECT_FALSE(clock.is_due(19, 0.0));
  EXPECT_TRUE(clock.is_due(20, 0.0));
  EXPECT_TRUE(clock.is_due(23, 0.0)) << "step 20 was not asked about";
  clock.written(23, 0.0, 0.0);
  EXPECT_FALSE(clock.is_due(29, 0.0));
  EXPECT_TRUE(clock.is_due(30, 0.0));
}

TEST(CheckpointClock, takes_the_first_step_at_or_beyond_a_multiple_of_the_interval) {
  CheckpointOptions options = never();
  options.interval = 0.1;
  CheckpointClock clock(options, 0, 0.0);
  EXPECT_FALSE(clock.is_due(3, 0.0999));
  EXPECT_TRUE(clock.is_due(4, 0.1));
  clock.written(4, 0.1004, 0.0);
  EXPECT_FALSE(clock.is_due(5, 0.1999)) << "times do not count from the checkpoint before";
  EXPECT_TRUE(clock.is_due(6, 0.2001));
}

TEST(CheckpointClock, does_not_miss_a_time_that_rounding_puts_just_before_a_multiple) {
  CheckpointOptions options = never();
  options.interval = 0.1;
  CheckpointClock clock(options, 0, 0.0);
  const double sum = 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1;  // less than 0.8
  ASSERT_LT(sum, 0.8);
  clock.written(7, 0.75, 0.0);
  EXPECT_TRUE(clock.is_due(8, sum));
  clock.written(8, sum, 0.0);
  EXPECT_FALSE(clock.is_due(9, 0.8)) << "the same multiple";
}

TEST(CheckpointClock, counts_wall_clock_time_from_the_last_checkpoint) {
  CheckpointOptions options = never();
  options.wall_interval = 60.0;
  CheckpointClock clock(options, 0, 0.0);
  EXPECT_FALSE(clock.is_due_by_wall(59.0));
  EXPECT_TRUE(clock.is_due_by_wall(60.0));
  clock.written(2, 0.0, 70.0);
  EXPECT_FALSE(clock.is_due_by_wall(129.0));
  EXPECT_TRUE(clock.is_due_by_wall(130.0));
}

}  // namespace
}  // namespace freshet
