// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/reduction.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using test::world;

TEST(Reduction, sums_maxima_and_flags_come_back_in_one) {
  const int rank = world().rank();
  const int n = world().size();
  GlobalIndex count = (GlobalIndex{1} << 40) + rank;
  double largest = 0.25 * rank;
  bool somebody = rank == n - 1;
  bool nobody = false;
  ExactSum sum;
  sum.add(rank == 0 ? 1e100 : 1.0);
  sum.add(rank == 0 ? -1e100 : 0.0);
  Reduction reduction;
  reduction.sum(count);
  reduction.max(largest);
  reduction.any(somebody);
  reduction.any(nobody);
  reduction.sum(sum);
  reduction.reduce(world());
  EXPECT_EQ(count, n * (GlobalIndex{1} << 40) + n * (n - 1) / 2);
  EXPECT_EQ(largest, 0.25 * (n - 1));
  EXPECT_TRUE(somebody);
  EXPECT_FALSE(nobody);
  EXPECT_EQ(sum.round(), n - 1.0);
}

TEST(Reduction, holds_as_many_numbers_as_are_added) {
  constexpr std::size_t n = 71;  // more than fit beside the words of one sum
  std::vector<GlobalIndex> counts(n);
  std::vector<double> maxima(n);
  std::vector<ExactSum> sums(5);
  Reduction reduction;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      reduction.sum(counts[i] = static_cast<GlobalIndex>(i));
      reduction.max(maxima[i] = static_cast<double>(i) + world().rank());
    }
    for (ExactSum& sum : sums) {
      sum = ExactSum();
      sum.add(0.1);
      reduction.sum(sum);
    }
    reduction.reduce(world());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(counts[i], static_cast<GlobalIndex>(i) * world().size());
      EXPECT_EQ(maxima[i], static_cast<double>(i) + world().size() - 1);
    }
    for (const ExactSum& sum : sums) EXPECT_DOUBLE_EQ(sum.round(), 0.1 * world().size());
  }
}

TEST(Reduction, nan_of_one_rank_is_infinite_on_all_and_minus_zero_is_zero) {
  double spoilt = world().is_root() ? std::numeric_limits<double>::quiet_NaN() : 3.0;
  double infinite = world().is_root() ? std::numeric_limits<double>::infinity() : 3.0;
  double zero = -0.0;
  Reduction reduction;
  for (double* value : {&spoilt, &infinite, &zero}) reduction.max(*value);
  reduction.reduce(world());
  EXPECT_EQ(spoilt, std::numeric_limits<double>::infinity());
  EXPECT_EQ(infinite, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(std::signbit(zero));
}

TEST(Reduction, forgotten_numbers_stay_as_they_are) {
  GlobalIndex count = 7;
  Reduction reduction;
  reduction.sum(count);
  reduction.forget();
  reduction.reduce(world());
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace freshet
