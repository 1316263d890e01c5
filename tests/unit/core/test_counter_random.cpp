// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/counter_random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

namespace freshet {
namespace {

TEST(CellRandom, is_a_function_of_seed_cell_and_counter) {
  const CellRandom a(3, {1, 2, 3});
  const CellRandom same(3, {1, 2, 3});
  EXPECT_EQ(a.bits(7), same.bits(7));
  std::set<std::uint64_t> different{a.bits(7), a.bits(8), CellRandom(4, {1, 2, 3}).bits(7)};
  // cells beside it, and one with the same coordinates in another order
  for (const Vec3i& cell : {Vec3i(2, 2, 3), Vec3i(1, 3, 3), Vec3i(1, 2, 4), Vec3i(3, 2, 1), Vec3i(-1, 2, 3)})
    different.insert(CellRandom(3, cell).bits(7));
  EXPECT_EQ(different.size(), 8u);
}

TEST(CellRandom, numbers_are_even_between_0_and_1_and_those_of_neighbours_are_unrelated) {
  constexpr int n = 40000;
  double sum = 0.0;
  double squares = 0.0;
  double next_counter = 0.0;
  double next_cell = 0.0;
  for (int i = 0; i < n; ++i) {
    const Vec3i cell(i % 40, i / 40 % 40, i / 1600);
    const CellRandom random(1, cell);
    const double u = random.uniform(0) - 0.5;
    ASSERT_GE(u, -0.5);
    ASSERT_LT(u, 0.5);
    sum += u;
    squares += u * u;
    next_counter += u * (random.uniform(1) - 0.5);
    next_cell += u * (CellRandom(1, cell + Vec3i::UnitX()).uniform(0) - 0.5);
  }
  const double five_sigma = 5.0 / std::sqrt(n);  // of the mean of n independent numbers, times their deviation
  EXPECT_LT(std::abs(sum / n), five_sigma * std::sqrt(1.0 / 12));
  EXPECT_LT(std::abs(squares / n - 1.0 / 12), five_sigma * std::sqrt(1.0 / 180));
  EXPECT_LT(std::abs(next_counter / n), five_sigma / 12);
  EXPECT_LT(std::abs(next_cell / n), five_sigma / 12);
}

}  // namespace
}  // namespace freshet
