// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/environment.hpp"
#include "freshet/parallel/gather_all.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::world;

/// Lists that fit into the first message, and some that do not.
TEST(RepeatedGather, has_the_lists_of_all_ranks_in_their_order) {
  RepeatedGather gather;
  for (const std::size_t most : {std::size_t{0}, std::size_t{5}, RepeatedGather::slot, std::size_t{10000}}) {
    const auto length = [&](int rank) { return rank % 2 == 0 ? most : most / 3; };
    const auto item = [](int rank, std::size_t n) { return static_cast<std::byte>((rank + 3 * n) % 251); };
    std::vector<std::byte> mine;
    for (std::size_t n = 0; n < length(world().rank()); ++n) mine.push_back(item(world().rank(), n));
    const std::span<const std::byte> all = gather(world(), mine);
    std::size_t total = 0;
    for (int rank = 0; rank < world().size(); ++rank) {
      const std::span<const std::byte> theirs = gather.of_rank(rank);
      ASSERT_EQ(theirs.size(), length(rank));
      for (std::size_t n = 0; n < theirs.size(); ++n) EXPECT_EQ(theirs[n], item(rank, n));
      EXPECT_EQ(theirs.data(), all.data() + total);
      total += theirs.size();
    }
    EXPECT_EQ(all.size(), total);
  }
}

TEST(Communicator, reductions_agree_with_hand_sums) {
  const GlobalIndex n = world().size();
  const GlobalIndex rank = world().rank();
  EXPECT_EQ(world().sum(rank), n * (n - 1) / 2);
  EXPECT_EQ(world().max(rank), n - 1);
  EXPECT_EQ(world().min(rank + 5), 5);
  EXPECT_EQ(world().sum(0.5), 0.5 * static_cast<double>(n));  // halves add exactly
  EXPECT_EQ(world().max(static_cast<double>(rank)), static_cast<double>(n - 1));
  EXPECT_EQ(world().min(static_cast<double>(-rank)), static_cast<double>(1 - n));
}

TEST(Communicator, exclusive_sum_counts_the_lower_ranks) {
  const GlobalIndex rank = world().rank();
  EXPECT_EQ(world().exclusive_sum(GlobalIndex{3}), 3 * rank);
  EXPECT_EQ(world().exclusive_sum(0.25), 0.25 * static_cast<double>(rank));
}

TEST(Communicator, exact_sums_have_the_same_bits_however_the_terms_are_dealt_out) {
  const auto term = [](int n) { return std::ldexp(std::sin(n), n % 200 - 100); };
  constexpr int n_terms = 1000;
  ExactSum alone;
  for (int n = 0; n < n_terms; ++n) alone.add(term(n));
  const int size = world().size();
  ExactSum in_turn;
  for (int n = world().rank(); n < n_terms; n += size) in_turn.add(term(n));
  EXPECT_EQ(world().sum(in_turn), alone.round());
  std::array<ExactSum, 2> sums;  // the last rank has nearly all, and a NaN
  for (int n = 0; n < n_terms; ++n)
    if (world().rank() == (n < 10 ? 0 : size - 1)) sums[0].add(term(n));
  if (world().rank() == size - 1) sums[1].add(std::nan(""));
  world().sum_in_place(std::span<ExactSum>(sums));
  EXPECT_EQ(sums[0].round(), alone.round());
  EXPECT_TRUE(std::isnan(sums[1].round()));
  world().sum_in_place(std::span<ExactSum>{});
}

TEST(Communicator, counts_beyond_32_bits_are_kept) {
  const GlobalIndex large = GlobalIndex{1} << 40;
  EXPECT_EQ(world().sum(large), large * world().size());
}

TEST(Communicator, arrays_reduce_element_by_element) {
  const auto rank = static_cast<double>(world().rank());
  std::array<double, 2> doubles{1.0, rank};
  world().sum_in_place(std::span<double>(doubles));
  EXPECT_EQ(doubles[0], world().size());
  EXPECT_EQ(doubles[1], 0.5 * world().size() * (world().size() - 1));
  doubles = {rank, -rank};
  world().max_in_place(doubles);
  EXPECT_EQ(doubles, (std::array<double, 2>{world().size() - 1.0, 0.0}));
  std::array<GlobalIndex, 1> counts{2};
  world().sum_in_place(std::span<GlobalIndex>(counts));
  EXPECT_EQ(counts[0], 2 * world().size());
  std::array<std::uint64_t, 2> keys{~std::uint64_t{0} - static_cast<std::uint64_t>(world().rank()), 4};
  world().min_in_place(keys);
  EXPECT_EQ(keys[0], ~std::uint64_t{0} - static_cast<std::uint64_t>(world().size() - 1));
  EXPECT_EQ(keys[1], 4U);
  world().sum_in_place(std::span<double>{});
}

TEST(Communicator, any_and_all_see_one_deviating_rank) {
  const bool last = world().rank() == world().size() - 1;
  EXPECT_TRUE(world().any(last));
  EXPECT_FALSE(world().any(false));
  EXPECT_FALSE(world().all(!last));
  EXPECT_TRUE(world().all(true));
}

TEST(Communicator, broadcast_and_gather_move_values) {
  const int last = world().size() - 1;
  EXPECT_EQ(world().broadcast(world().rank() == last ? "wet sand" : "", last), "wet sand");
  EXPECT_EQ(world().broadcast(""), "");
  const auto values = world().gather_to_root(world().rank() + 0.5);
  ASSERT_EQ(values.size(), world().is_root() ? static_cast<std::size_t>(world().size()) : 0U);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(i) + 0.5);
}

TEST(Communicator, first_message_is_the_lowest_rank_with_one) {
  EXPECT_EQ(first_message(world(), ""), "");
  const int first = world().size() > 1 ? 1 : 0;
  const std::string message = world().rank() >= first ? "rank " + std::to_string(world().rank()) : "";
  EXPECT_EQ(first_message(world(), message), "rank " + std::to_string(first));
}

TEST(Communicator, duplicates_live_and_die_apart) {
  for (int i = 0; i < 3; ++i) {
    const Communicator copy(world().raw());
    EXPECT_EQ(copy.size(), world().size());
    copy.barrier();
  }
}

TEST(Errors, failed_mpi_call_throws_with_its_name) {
  try {
    check_mpi(MPI_Barrier(world().raw()), "MPI_Barrier");
    check_mpi(MPI_ERR_COUNT, "MPI_Send");
    FAIL() << "nothing thrown";
  } catch (const LocalError& error) {
    EXPECT_NE(std::string(error.what()).find("MPI_Send failed (MPI_ERR_COUNT"), std::string::npos) << error.what();
  }
}

TEST(Errors, failed_petsc_call_throws_with_petscs_own_words) {
  try {
    check_petsc(PetscOptionsSetValue(nullptr, "no-leading-dash", "1"), "PetscOptionsSetValue");
    FAIL() << "nothing thrown";
  } catch (const LocalError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, text.find(" (")), "PetscOptionsSetValue failed") << text;
    EXPECT_NE(text.find("name no-leading-dash must start with '-'"), std::string::npos) << text;
  }
}

TEST(Versions, mpi_and_petsc_are_named) {
  const auto versions = parallel_versions();
  ASSERT_GE(versions.size(), 2U);
  EXPECT_EQ(versions[0].first, "MPI");
  EXPECT_EQ(versions[1].first, "PETSc");
  EXPECT_EQ(versions[1].second.substr(0, 2), "3.");
}

}  // namespace
}  // namespace freshet
