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

constexpr double largest_term = 0x1.fffffffffffffp600;
constexpr double lowest_bit = 0x1.0p-645;

/// Random doubles of every exponent whose bits all count.
std::vector<double> random_doubles(std::size_t n, unsigned seed) {
  const WithoutTraps suspended;
  std::mt19937_64 random(seed);
  std::vector<double> numbers;
  while (numbers.size() < n) {
    const auto number = std::bit_cast<double>(random());
    if (std::abs(number) <= largest_term && std::abs(number) >= std::ldexp(lowest_bit, 52)) numbers.push_back(number);
  }
  return numbers;
}

TEST(ExactSum, one_term_comes_back_as_it_is) {
  std::vector<double> numbers = random_doubles(100000, 1);
  for (const double number : {0.0, 1.0, largest_term, lowest_bit, 5 * lowest_bit})
    numbers.insert(numbers.end(), {number, -number});
  for (const double number : numbers) ASSERT_EQ(sum_of({number}), number);
}

TEST(ExactSum, bits_below_the_lowest_are_cut_off_each_term_alone) {
  EXPECT_EQ(sum_of({1.75 * lowest_bit, 1.75 * lowest_bit}), 2 * lowest_bit);
  EXPECT_EQ(sum_of({-1.75 * lowest_bit, -1.75 * lowest_bit}), -2 * lowest_bit);
  for (const double small : {0.99 * lowest_bit, 1e-300, Limits::min(), Limits::denorm_min()}) {
    EXPECT_EQ(sum_of({small, small}), 0.0);
    EXPECT_EQ(sum_of({-small, lowest_bit}), lowest_bit);
  }
}

TEST(ExactSum, two_terms_are_rounded_as_the_processor_rounds) {
  const WithoutTraps suspended;
  const std::vector<double> a = random_doubles(100000, 2);
  std::mt19937_64 random(3);
  for (const double x : a) {  // exponents close enough for both terms to count
    const double y =
        std::ldexp(x, static_cast<int>(random() % 128) - 64) * (1.0 - 1e-3 * static_cast<double>(random() % 2000));
    if (std::abs(y) > largest_term || std::abs(y) < std::ldexp(lowest_bit, 52)) continue;
    ASSERT_EQ(sum_of({x, y}), x + y) << x << " + " << y;
    ASSERT_EQ(sum_of({x, -y}), x - y) << x << " - " << y;
  }
}

TEST(ExactSum, ties_go_to_even_and_the_smallest_term_breaks_them) {
  const double ulp = Limits::epsilon();
  EXPECT_EQ(sum_of({1.0, ulp / 2}), 1.0);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  EXPECT_EQ(sum_of({1.0, ulp / 2, lowest_bit}), 1.0 + ulp);
  EXPECT_EQ(sum_of({1.0 + ulp, ulp / 2, -lowest_bit}), 1.0 + ulp);
  EXPECT_EQ(sum_of({-1.0, -ulp / 2, -lowest_bit}), -1.0 - ulp);
}

TEST(ExactSum, what_cancels_leaves_no_trace) {
  EXPECT_EQ(sum_of({1e180, 1.0, -1e180}), 1.0);
  EXPECT_EQ(sum_of({1e180, -1e-180, 1e16, -1e180, 1.0, -1e16}), 1.0);
  EXPECT_EQ(sum_of({lowest_bit, largest_term, -largest_term}), lowest_bit);
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
  sum.add(-0.1);
  sum.add(std::nextafter(1.0, 0.0));
  for (int doubling = 0; doubling < 40; ++doubling) sum.add(ExactSum(sum));
  EXPECT_EQ(sum.round(), std::ldexp(sum_of({-0.1, std::nextafter(1.0, 0.0)}), 40));
}

TEST(ExactSum, many_terms_carry_before_a_digit_overflows) {
  ExactSum sum;
  const double term = std::nextafter(-2.0, 0.0);     // 53 bits, all 1
  constexpr std::int64_t n = std::int64_t{1} << 22;  // a digit overflows beyond 2^20
  for (int place = -10; place < 33; ++place)         // however the bits lie in the digits
    for (std::int64_t i = 0; i < n / 16; ++i) sum.add(std::ldexp(term, place));
  for (std::int64_t i = 0; i < n; ++i) sum.add(term);
  ExactSum expected;
  for (int place = -10; place < 33; ++place) expected.add(std::ldexp(term, place + 18));
  expected.add(std::ldexp(term, 22));
  EXPECT_EQ(sum.round(), expected.round());
}

TEST(ExactSum, sums_may_exceed_the_largest_term) {
  EXPECT_EQ(sum_of({largest_term, largest_term}), 2 * largest_term);
  EXPECT_EQ(sum_of({-largest_term, -largest_term, -largest_term, -largest_term}), -4 * largest_term);
}

TEST(ExactSum, a_term_that_is_not_finite_makes_it_nan) {
  const WithoutTraps suspended;
  for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), 0x1.0p601, -Limits::max()}) {
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
