// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/water_column.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace freshet {
namespace {

/// Slices of 2 m with these shares of liquid; a negative share is a solid.
WaterColumn of(const std::vector<double>& shares) {
  std::vector<ColumnSlice> slices;
  for (const double share : shares) slices.push_back({2.0, 8.0 * share, share < 0.0 ? 0.0 : 8.0});
  return water_column(slices);
}

void expect_lengths(const std::vector<double>& shares, double height, double connected, double top) {
  const WaterColumn column = of(shares);
  EXPECT_DOUBLE_EQ(column.height, height);
  EXPECT_DOUBLE_EQ(column.connected, connected);
  EXPECT_DOUBLE_EQ(column.top, top);
}

TEST(WaterColumn, surface_lies_within_a_slice) {
  expect_lengths({1.0, 1.0, 0.25, 0.0}, 4.5, 4.5, 4.5);
  expect_lengths({1.0, 1.0, 0.75, 0.0}, 5.5, 5.5, 5.5);
}

TEST(WaterColumn, slices_inside_the_liquid_are_full) {
  expect_lengths({0.9, 1.1, 0.8, 1.0, 0.5}, 9.0, 9.0, 9.0);
  expect_lengths({0.9, 0.4, 1.0}, 1.8 + 0.8 + 2.0, 1.8 + 0.8 + 2.0,
                 6.0);  // a hole of one slice is none of them, and no gap
}

TEST(WaterColumn, more_than_full_is_full) {
  expect_lengths({1.0, 1.0, 1.5, 0.0}, 6.0, 6.0, 6.0);
}

TEST(WaterColumn, liquid_above_a_gap_counts_but_is_not_connected) {
  expect_lengths({1.0, 0.0, 0.0, 1.0, 0.25}, 4.5, 2.0, 8.5);
}

TEST(WaterColumn, film_and_spray) {
  expect_lengths({0.25, 0.0, 0.0}, 0.5, 0.5, 0.5);
  expect_lengths({0.0, 0.0, 0.0}, 0.0, 0.0, 0.0);
  expect_lengths({1.0, 0.0, 0.125}, 2.25, 2.0, 2.0);  // spray is no top
}

TEST(WaterColumn, line_through_a_solid) {
  expect_lengths({-1.0, 1.0, 0.5, 0.0}, 3.0, 3.0, 5.0);  // begins in it
  expect_lengths({1.0, -1.0, 1.0, 0.25}, 4.5, 2.0, 6.5);
}

TEST(WaterColumn, empty_line) {
  expect_lengths({}, 0.0, 0.0, 0.0);
}

}  // namespace
}  // namespace freshet
