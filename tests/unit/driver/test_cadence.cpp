// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/cadence.hpp"
#include "freshet/driver/output_count.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

TEST(Cadence, every_output_time_is_hit_once_and_the_end_too) {
  const Cadence cadence(0.02, 2.01);
  double time = 0.0;
  int n = 0;
  while (time < cadence.end_time()) {
    time = cadence.next(time);
    ++n;
    if (n <= 100) {
      EXPECT_EQ(time, n * 0.02);
    }
  }
  EXPECT_EQ(n, 101);
  EXPECT_EQ(time, 2.01);
}

TEST(Cadence, a_last_interval_that_is_only_rounding_is_no_interval) {
  const Cadence cadence(0.1, 0.3);  // 3 * 0.1 > 0.3 in binary
  EXPECT_EQ(cadence.next(0.2), 0.3);
  EXPECT_EQ(Cadence(0.0, 5.0).next(1.0), 5.0);
}

TEST(Cadence, begins_at_the_first_multiple_of_the_interval_that_is_not_before_the_start) {
  EXPECT_DOUBLE_EQ(Cadence(0.1, 5.0, 1.0).next(0.0), 1.0);
  EXPECT_DOUBLE_EQ(Cadence(0.1, 5.0, 0.3).next(0.0), 0.3);  // 3 * 0.1 is above 0.3
  EXPECT_DOUBLE_EQ(Cadence(0.4, 5.0, 1.0).next(0.0), 1.2);
  EXPECT_DOUBLE_EQ(Cadence(0.4, 5.0, 1.0).next(1.2), 1.6);
  EXPECT_DOUBLE_EQ(Cadence(0.4, 5.0, 9.0).next(0.0), 5.0);
}

TEST(Cadence, steps_land_on_the_target_without_a_sliver) {
  double time = 0.0;
  double smallest = 1.0;
  int n = 0;
  while (time < 1.0) {
    const double dt = Cadence::cut(0.3, time, 1.0);
    smallest = std::min(smallest, dt);
    time += dt;
    ++n;
  }
  EXPECT_EQ(time, 1.0);
  EXPECT_EQ(n, 4);
  EXPECT_GE(smallest, 0.15);
}

TEST(Cadence, counts_the_output_times_of_a_step) {
  const Cadence cadence(0.1, 5.0, 0.25);
  EXPECT_EQ(cadence.n_within(0.0, 0.29), 0);
  EXPECT_EQ(cadence.n_within(0.0, 0.3), 1);  // 3 * 0.1 is above 0.3
  EXPECT_EQ(cadence.n_within(0.3, 0.3999), 0);
  EXPECT_EQ(cadence.n_within(0.3, 0.7), 4);
  EXPECT_EQ(cadence.n_within(0.31, 0.42), 1) << "a step that is longer than the interval may meet one time alone";
  EXPECT_EQ(Cadence(0.0, 5.0).n_within(0.0, 5.0), 0);
}

TEST(Cadence, steps_that_end_next_to_output_times_find_each_of_them_once) {
  const Cadence cadence(0.1, 1.05);
  for (const double dt : {0.03, 0.07, 0.1}) {
    int n = 0;
    double largest = 0.0;  // distance from an output time
    for (int step = 0; (step + 1) * dt < cadence.end_time(); ++step) {
      const double now = (step + 1) * dt;
      if (!cadence.has_within(now - 0.5 * dt, now + 0.5 * dt)) continue;
      ++n;
      largest = std::max(largest, std::abs(now - 0.1 * std::round(now / 0.1)));
    }
    EXPECT_EQ(n, 10) << dt;
    EXPECT_LE(largest, 0.5 * dt + 1e-12) << dt;
  }
  EXPECT_FALSE(Cadence(0.0, 1.0).has_within(0.0, 2.0));
}

TEST(Cadence, tells_an_end_at_a_multiple_from_one_between_two) {
  EXPECT_FALSE(Cadence(0.1, 1.05).has_within(1.0, 1.05));
  const Cadence cadence(0.1, 0.3);  // 3 * 0.1 > 0.3 in binary
  EXPECT_TRUE(cadence.has_within(cadence.just_before_end(), 0.3));
  EXPECT_FALSE(cadence.has_within(0.2, cadence.just_before_end()));
  EXPECT_FALSE(cadence.has_within(0.3, 0.39));
}

TEST(OutputCount, gives_the_number_of_a_file_of_the_end_to_the_next_one) {
  OutputCount count;
  for (const int step : {0, 4, 9}) count.add(step, OutputOccasion::output_time);
  EXPECT_EQ(count.next(11), 3);
  count.add(11, OutputOccasion::end);
  EXPECT_EQ(count.written, 4);
  EXPECT_EQ(count.next(11), 4) << "another file of the same state is one more";
  EXPECT_EQ(count.next(12), 3);
  count.add(14, OutputOccasion::output_time);
  EXPECT_EQ(count.written, 4);
  EXPECT_EQ(count.next(15), 4);
}

TEST(Cadence, times_of_two_cadences_are_the_same_but_for_rounding) {
  const Cadence often(0.05, 1.0), seldom(0.15, 1.0);
  EXPECT_NE(often.next(0.1), seldom.next(0.1));  // 3 * 0.05 is one unit in the last place above 0.15
  EXPECT_TRUE(Cadence::is_same_time(often.next(0.1), seldom.next(0.1)));
  EXPECT_FALSE(Cadence::is_same_time(often.next(0.0), seldom.next(0.0)));
}

}  // namespace
}  // namespace freshet
