// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/row.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace freshet {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double first[block_width] = {1.5, -2.0, 0.0, 1e300, nan, -0.0, 7.25, infinite};
constexpr double second[block_width] = {1.5, 3.0, -1.0, 1e300, 2.0, 0.0, nan, 1.0};

/// Check lane by lane, and that a number which is none stands where one is expected.
template <class Expected>
void expect_lanes(const RealRow& row, Expected&& expected) {
  for (int i = 0; i < block_width; ++i) {
    const double value = expected(first[i], second[i]);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(row[i])) << i;
    } else {
      EXPECT_EQ(row[i], value) << i;
    }
  }
}
template <class Expected>
void expect_bits(const RealMask& mask, Expected&& expected) {
  unsigned bits = 0;
  for (int i = 0; i < block_width; ++i) {
    const bool is_set = expected(first[i], second[i]);
    EXPECT_EQ(mask[i], is_set ? -1 : 0) << i;
    bits |= static_cast<unsigned>(is_set) << i;
  }
  EXPECT_EQ(bits_of(mask), bits);
}

TEST(RegisterRow, computes_each_lane_by_itself) {
  const RealRow a = load_row(first), b = load_row(second);
  expect_lanes(a + b, [](double x, double y) { return x + y; });
  expect_lanes(a - b, [](double x, double y) { return x - y; });
  expect_lanes(a * b, [](double x, double y) { return x * y; });
  expect_lanes(a / b, [](double x, double y) { return x / y; });
  expect_lanes(-a, [](double x, double) { return -x; });
  expect_lanes(3.0 - a, [](double x, double) { return 3.0 - x; });
  expect_lanes(a / 3.0, [](double x, double) { return x / 3.0; });
  expect_lanes(RealRow::all(3.0) - 2.0 * a, [](double x, double) { return 3.0 - 2.0 * x; });
}

TEST(RegisterRow, compares_each_lane_and_is_false_for_what_is_not_a_number) {
  const RealRow a = load_row(first), b = load_row(second);
  expect_bits(a < b, [](double x, double y) { return x < y; });
  expect_bits(a <= b, [](double x, double y) { return x <= y; });
  expect_bits(a > b, [](double x, double y) { return x > y; });
  expect_bits(a >= b, [](double x, double y) { return x >= y; });
  expect_bits(a == b, [](double x, double y) { return x == y; });
  expect_bits(a != b, [](double x, double y) { return x != y; });
  expect_bits((a > 0.0) & (b > 1.0), [](double x, double y) { return x > 0.0 && y > 1.0; });
  expect_bits((a > 1.0) | (b > 1.0), [](double x, double y) { return x > 1.0 || y > 1.0; });
  expect_lanes(select(a < b, a, b), [](double x, double y) { return x < y ? x : y; });
}

TEST(RegisterRow, takes_eight_lanes_from_any_place_in_two_rows) {
  const RealRow low = RealRow::of({0, 1, 2, 3, 4, 5, 6, 7}), high = low + 8.0;
  const auto check = [&]<int... n>(std::integer_sequence<int, n...>) {
    const RealRow rows[] = {lanes_from<n>(low, high)...};
    for (int begin = 0; begin <= block_width; ++begin)
      for (int i = 0; i < block_width; ++i) EXPECT_EQ(rows[begin][i], begin + i);
  };
  check(std::make_integer_sequence<int, block_width + 1>{});
}

TEST(RegisterRow, converts_to_floats_and_back) {
  const float floats[block_width] = {0.1F, -2.5F, 3e-30F, 4e30F, 0.0F, 6.0F, -7.0F, 8.5F};
  const RealRow reals = to_reals(load_row(floats)), loaded = to_register_row<double>(floats);
  const FloatRow back = to_floats(reals);
  float stored[block_width];
  store_converted(stored, reals);
  for (int i = 0; i < block_width; ++i) {
    EXPECT_EQ(reals[i], static_cast<double>(floats[i]));
    EXPECT_EQ(loaded[i], reals[i]);
    EXPECT_EQ(back[i], floats[i]);
    EXPECT_EQ(stored[i], floats[i]);
  }
}

TEST(RegisterRow, masks_of_bits_are_the_inverse_of_bits_of_masks) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    EXPECT_EQ(bits_of(real_mask(bits)), bits);
    EXPECT_EQ(bits_of(float_mask(bits)), bits);
  }
}

}  // namespace
}  // namespace freshet
