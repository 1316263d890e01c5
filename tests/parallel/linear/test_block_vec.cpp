// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/block_vec.hpp"
#include "freshet/parallel/petsc_handle.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace freshet {
namespace {

using namespace test;

constexpr int n_rows = 16;
constexpr int n_cells = n_rows * block_width;
constexpr int n_blocks_in_all = 11;

/// Entries of the blocks first, first + step, ... of two vectors.
std::vector<double> entries(int which, int first, int step) {
  std::vector<double> values;
  for (int block = first; block < n_blocks_in_all; block += step)
    for (int cell = 0; cell < n_cells; ++cell) values.push_back(1e3 * std::sin(1.7 * block + 0.3 * cell + which));
  return values;
}

VecHandle vector_of(const std::vector<double>& values) {
  VecHandle vec;
  FRESHET_PETSC(VecCreateMPI(world().raw(), static_cast<PetscInt>(values.size()), PETSC_DETERMINE, vec.receive()));
  std::ranges::copy(values, VecArray(vec.get()).data());
  return vec;
}

TEST(LocalDots, have_the_same_bits_on_any_number_of_ranks) {
  const std::vector<double> all_a = entries(0, 0, 1), all_b = entries(1, 0, 1);
  const std::vector<double> a = entries(0, world().rank(), world().size()),
                            b = entries(1, world().rank(), world().size());
  const VecHandle vec = vector_of(a);
  const EveryRow every{n_blocks_in_all, n_rows}, here{static_cast<LocalIndex>(a.size() / n_cells), n_rows};
  auto sums = local_dots<2, 2>({{{a.data(), b.data()}, {b.data(), b.data()}}}, here);
  ASSERT_EQ(sum_over_ranks(vec.get(), sums), 0);
  const auto expected = local_dots<2, 2>({{{all_a.data(), all_b.data()}, {all_b.data(), all_b.data()}}}, every);
  EXPECT_EQ(sums[0].round(), expected[0].round());
  EXPECT_EQ(sums[1].round(), expected[1].round());
  double plain = 0.0;
  for (std::size_t i = 0; i < all_a.size(); ++i) plain += all_a[i] * all_b[i];
  EXPECT_NEAR(sums[0].round(), plain, 1e-4);  // round-off of 1408 products of up to 1e6
}

/// The rows 0 and 2 of the blocks 0, 2, 4, ...
struct SomeRows {
  LocalIndex n_blocks;
  LocalIndex n_active() const { return (n_blocks + 1) / 2; }
  LocalIndex active_block(LocalIndex n) const { return 2 * n; }
  std::uint64_t active_rows(LocalIndex /*block*/) const { return 5; }
  int rows() const { return n_rows; }
  bool is_worth_threads() const { return false; }

  static bool holds(std::size_t i) {
    const std::size_t row = i % n_cells / block_width;
    return i / n_cells % 2 == 0 && (row == 0 || row == 2);
  }
};

TEST(LocalDots, visit_the_rows_that_are_listed) {
  const std::vector<double> a = entries(0, 0, 1);
  const auto sums = local_dots<1, 1>({{{a.data(), a.data()}}}, SomeRows{n_blocks_in_all});
  double plain = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (SomeRows::holds(i)) plain += a[i] * a[i];
  EXPECT_NEAR(sums[0].round(), plain, 1e-12 * plain);
}

TEST(UpdateRows, changes_the_rows_that_are_listed) {
  const std::vector<double> a = entries(0, 0, 1), b = entries(1, 0, 1);
  const VecHandle x = vector_of(a), y = vector_of(b);
  const auto sum = [](const RealRow& of_x, const RealRow& of_y) { return of_x + of_y; };
  ASSERT_EQ(update_rows(y.get(), x.get(), SomeRows{n_blocks_in_all}, sum), 0);
  const VecReadArray result(y.get());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(result.data()[i], SomeRows::holds(i) ? a[i] + b[i] : b[i]);
}

}  // namespace
}  // namespace freshet
