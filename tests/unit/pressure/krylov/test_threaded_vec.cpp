// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/floating_point.hpp"
#include "pressure/krylov/petsc_handle.hpp"
#include "pressure/krylov/threaded_vec.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using namespace pressure;
using test::hashed;
using test::world;

constexpr PetscInt sizes[] = {0, 1, 31, 4096, 4097, 100003};

/// Where n entries' blocks begin: some of them empty, some full, and n.
std::vector<LocalIndex> block_begins(PetscInt n) {
  std::vector<LocalIndex> begins{0, 0};
  while (begins.back() < n) {
    const std::uint64_t random = std::uint64_t(1000.0 * hashed(begins.size(), 17));
    const LocalIndex count = random % 3 == 0 ? 512 : random % 3 == 1 ? 0 : static_cast<LocalIndex>(random % 512);
    begins.push_back(std::min(static_cast<LocalIndex>(n), begins.back() + count));
  }
  begins.push_back(static_cast<LocalIndex>(n));
  return begins;
}

void fill(Vec vec, PetscInt n, std::uint64_t seed) {
  const VecArray array(vec);
  for (PetscInt i = 0; i < n; ++i) array.data()[i] = hashed(static_cast<std::uint64_t>(i), seed) - 0.5;
}

TEST(ThreadedVec, operations_equal_plain_loops_also_on_duplicates) {
  VecPool pool(world());
  for (const PetscInt n : sizes) {
    const std::vector<LocalIndex> begins = block_begins(n);
    pool.set_blocks(begins);
    const VecHandle x(pool.create(n));
    VecHandle y;
    ASSERT_EQ(VecDuplicate(x.get(), y.receive()), 0);
    fill(x.get(), n, 1);
    fill(y.get(), n, 2);
    double dot = 0.0;
    double square = 0.0;
    for (PetscInt i = 0; i < n; ++i) {
      const double a = hashed(static_cast<std::uint64_t>(i), 1) - 0.5;
      dot += a * (hashed(static_cast<std::uint64_t>(i), 2) - 0.5);
      square += a * a;
    }
    PetscScalar result = -1.0;
    PetscReal norm = -1.0;
    ASSERT_EQ(VecDot(x.get(), y.get(), &result), 0);
    EXPECT_NEAR(result, dot, 1e-11);  // sums of up to 1e5 terms below 0.25
    ASSERT_EQ(VecTDot(y.get(), x.get(), &result), 0);
    EXPECT_NEAR(result, dot, 1e-11);
    ASSERT_EQ(VecNorm(x.get(), NORM_2, &norm), 0);
    EXPECT_NEAR(norm, std::sqrt(square), 1e-11);
    ASSERT_EQ(VecNorm(x.get(), NORM_INFINITY, &norm), 0);
    EXPECT_EQ(norm, local_max_magnitude(VecArray(x.get()).data(), n));
    ASSERT_EQ(VecAXPY(y.get(), 2.0, x.get()), 0);
    ASSERT_EQ(VecAYPX(y.get(), -3.0, x.get()), 0);
    const VecArray array(y.get());
    for (PetscInt i = 0; i < n; ++i) {
      const double a = hashed(static_cast<std::uint64_t>(i), 1) - 0.5;
      const double b = hashed(static_cast<std::uint64_t>(i), 2) - 0.5;
      EXPECT_NEAR(array.data()[i], a - 3.0 * (b + 2.0 * a), 1e-14);
    }
    ASSERT_EQ(VecCopy(x.get(), y.get()), 0);
    const VecArray original(x.get());
    EXPECT_TRUE(std::equal(original.data(), original.data() + n, array.data()));
  }
}

TEST(ThreadedVec, sums_have_the_same_bits_for_any_number_of_threads_and_any_partition_of_blocks) {
  const int n_threads = omp_get_max_threads();
  for (const PetscInt n : sizes) {
    const std::vector<LocalIndex> begins = block_begins(n);
    std::vector<double> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = hashed(i) - 0.3;
    omp_set_num_threads(1);
    const double dot = local_dot(x.data(), x.data(), begins).round();
    for (const int threads : {1, 2, 3, 7}) {
      omp_set_num_threads(threads);
      EXPECT_EQ(local_dot(x.data(), x.data(), begins).round(), dot);
      for (const std::size_t n_parts : {2U, 5U}) {
        ExactSum sum;
        for (std::size_t part = 0; part < n_parts; ++part) {  // each with its own blocks and its own array
          const std::size_t first = part * (begins.size() - 1) / n_parts;
          const std::size_t last = (part + 1) * (begins.size() - 1) / n_parts;
          std::vector<LocalIndex> own(begins.begin() + static_cast<std::ptrdiff_t>(first),
                                      begins.begin() + static_cast<std::ptrdiff_t>(last) + 1);
          const std::vector<double> part_of_x(x.begin() + own.front(), x.begin() + own.back());
          for (LocalIndex& begin : own) begin -= begins[first];
          sum.add(local_dot(part_of_x.data(), part_of_x.data(), own));
        }
        EXPECT_EQ(sum.round(), dot);
      }
    }
    omp_set_num_threads(n_threads);
  }
}

TEST(ThreadedVec, dot_products_of_what_is_not_finite_are_nan) {
  const WithoutTraps suspended;
  VecPool pool(world());
  const std::vector<LocalIndex> begins{0, 60, 100};
  pool.set_blocks(begins);
  const VecHandle x(pool.create(100));
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan(""), 1e200}) {  // 1e400 is too large
    VecArray(x.get()).data()[99] = bad;
    PetscReal norm = 0.0;
    ASSERT_EQ(VecNorm(x.get(), NORM_2, &norm), 0);
    EXPECT_TRUE(std::isnan(norm));
  }
}

TEST(ThreadedVec, memory_goes_back_to_the_pool) {
  VecPool pool(world());
  const double* first = nullptr;
  {
    const VecHandle x(pool.create(1000));
    first = VecArray(x.get()).data();
    VecArray(x.get()).data()[7] = 1.0;
  }
  const VecHandle again(pool.create(900));
  EXPECT_EQ(VecArray(again.get()).data(), first);
  EXPECT_EQ(VecArray(again.get()).data()[7], 0.0);  // new vectors are 0
}

TEST(LargestMagnitude, is_infinite_where_an_entry_is_not_a_number) {
  const WithoutTraps suspended;
  const double values[] = {1.0, -3.0, 2.0};
  EXPECT_EQ(local_max_magnitude(values, 3), 3.0);
  const double bad[] = {1.0, std::numeric_limits<double>::quiet_NaN(), 2.0};
  EXPECT_EQ(local_max_magnitude(bad, 3), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace freshet
