// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/exact_sum.hpp"
#include "freshet/core/floating_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace freshet {
namespace {

using Limits = std::numeric_limits<double>;

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.round();
}

/// Random finite doubles of every exponent.
std::vector<double> random_doubles(std::size_t n, unsigned seed) {
  const WithoutTraps suspended;
  std::mt19937_64 random(seed);
  std::vector<double> numbers;
  while (numbers.size() < n) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) numbers.push_back(number);
  }
  return numbers;
}

TEST(ExactSum, one_term_comes_back_as_it_is) {
  std::vector<double> numbers = random_doubles(100000, 1);
  for (const double number : {0.0, 1.0, Limits::max(), Limits::min(), Limits::denorm_min(), 4.9e-320})
    numbers.insert(numbers.end(), {number, -number});
  for (const double number : numbers) ASSERT_EQ(sum_of({number}), number);
}

TEST(ExactSum, two_terms_are_rounded_as_the_processor_rounds) {
  const WithoutTraps suspended;
  const std::vector<double> a = random_doubles(100000, 2);
  std::mt19937_64 random(3);
  for (const double x : a) {  // exponents close enough for both terms to count
    const double y =
        std::ldexp(x, static_cast<int>(random() % 128) - 64) * (1.0 - 1e-3 * static_cast<double>(random() % 2000));
    if (!std::isfinite(y)) continue;
    ASSERT_EQ(sum_of({x, y}), x + y) << x << " + " << y;
    ASSERT_EQ(sum_of({x, -y}), x - y) << x << " - " << y;
  }
}

TEST(ExactSum, ties_go_to_even_and_the_smallest_term_breaks_them) {
  const double ulp = Limits::epsilon();
  EXPECT_EQ(sum_of({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, Limits::denorm_min()}), 1.0 + ulp);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2, -Limits::denorm_min()}), 1.0 + ulp);
  EXPECT_EQ(sum_of({-1.0, -ulp / 2, -Limits::denorm_min()}), -1.0 - ulp);
}

TEST(ExactSum, what_cancels_leaves_no_trace) {
  EXPECT_EQ(sum_of({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(sum_of({1e300, -1e-300, 1e16, -1e300, 1.0, -1e16}), 1.0);
  EXPECT_EQ(sum_of({Limits::denorm_min(), 1e308, -1e308}), Limits::denorm_min());
  EXPECT_EQ(sum_of({3 * Limits::denorm_min(), -Limits::min()}), -Limits::min() + 3 * Limits::denorm_min());
  std::vector<double> numbers = random_doubles(1000, 4);
  const std::size_t n = numbers.size();
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(-numbers[i]);
  numbers.push_back(0.1);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(5));
  EXPECT_EQ(sum_of(numbers), 0.1);
}

TEST(ExactSum, integers_add_as_integers) {
  std::mt19937_64 random(6);
  ExactSum sum;
  std::int64_t expected = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto number = static_cast<std::int64_t>(random() >> 28U) - (std::int64_t{1} << 35);
    expected += number;
    sum.add(std::ldexp(static_cast<double>(number), -200));
  }
  EXPECT_EQ(sum.round(), std::ldexp(static_cast<double>(expected), -200));  // below 2^53: exact
}

TEST(ExactSum, bits_depend_neither_on_order_nor_on_grouping) {
  std::vector<double> numbers = random_doubles(4096, 7);
  for (double& number : numbers) number = std::ldexp(number, -13);  // no overflow
  const double expected = sum_of(numbers);
  std::mt19937_64 random(8);
  for (const std::size_t n_groups : {1U, 2U, 3U, 8U, 61U}) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    std::vector<ExactSum> groups(n_groups);
    for (const double number : numbers) groups[random() % n_groups].add(number);
    ExactSum total;
    for (ExactSum& group : groups) {
      if (random() % 2 == 0) group.carry();
      total.add(group);
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(total.round()), std::bit_cast<std::uint64_t>(expected));
  }
}

TEST(ExactSum, sums_of_sums_carry_before_a_digit_overflows) {
  ExactSum sum;
  sum.add(Limits::max());
  sum.add(-0.1);
  double factor = 1.0;
  for (int doubling = 0; doubling < 40; ++doubling) {  // 2^41 terms
    sum.add(ExactSum(sum));
    factor *= 2.0;
  }
  ExactSum large;  // the same without the terms that exceed a double
  large.add(-Limits::max());
  for (int doubling = 0; doubling < 40; ++doubling) large.add(ExactSum(large));
  sum.add(large);
  EXPECT_EQ(sum.round(), -0.1 * factor);
}

TEST(ExactSum, many_terms_carry_in_time) {
  ExactSum sum;
  const double term = -std::ldexp(1.0 - Limits::epsilon() / 2, 31);  // every bit is 1, and shifted as far as it goes
  constexpr std::int64_t n = (std::int64_t{1} << 28) + 1000;
  for (std::int64_t i = 0; i < n; ++i) sum.add(term);
  ExactSum expected;
  expected.add(-std::ldexp(static_cast<double>(n), 31));
  expected.add(std::ldexp(static_cast<double>(n), 31 - 53));
  EXPECT_EQ(sum.round(), expected.round());
}

TEST(ExactSum, beyond_the_range_is_infinite_and_comes_back) {
  const WithoutTraps suspended;
  EXPECT_EQ(sum_of({Limits::max(), Limits::max()}), Limits::infinity());
  EXPECT_EQ(sum_of({-Limits::max(), -Limits::max()}), -Limits::infinity());
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), -Limits::max()}), Limits::max());
  EXPECT_EQ(sum_of({Limits::max(), std::ldexp(1.0, 970)}), Limits::infinity());  // half an ulp: a tie, away from odd
  EXPECT_EQ(sum_of({Limits::max(), std::ldexp(1.0, 969)}), Limits::max());
}

TEST(ExactSum, a_term_that_is_not_finite_makes_it_nan) {
  const WithoutTraps suspended;
  for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sum_of({1.0, bad, -1.0})));
    ExactSum other;
    other.add(bad);
    ExactSum sum;
    sum.add(1.0);
    sum.add(other);
    sum.carry();
    EXPECT_TRUE(std::isnan(sum.round()));
  }
}

TEST(ExactSum, nothing_is_plus_zero) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(ExactSum().round()), 0U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_of({-0.0, -0.0})), 0U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum_of({1.5, -1.5})), 0U);
}

}  // namespace
}  // namespace freshet
