// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/star_forest.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace freshet {
namespace {

using test::world;

int next_rank() {
  return (world().rank() + 1) % world().size();
}

/// Leaves 1 and 3 of each rank stand for roots 2 and 0 of the next one.
StarForest ring() {
  return StarForest(world(), 3, {1, 3}, {{next_rank(), 2}, {next_rank(), 0}});
}

TEST(StarForest, leaves_take_the_values_of_their_roots) {
  const StarForest forest = ring();
  const double r = world().rank();
  const std::vector<double> roots{10 * r, 10 * r + 1, 10 * r + 2};
  std::vector<double> leaves(4, -1.0);
  forest.broadcast(roots.data(), leaves.data());
  EXPECT_EQ(leaves, (std::vector<double>{-1.0, 10.0 * next_rank() + 2, -1.0, 10.0 * next_rank()}));
}

TEST(StarForest, roots_are_replaced_by_their_leaves) {
  const StarForest forest = ring();
  const std::vector<std::int32_t> leaves{0, 100 + world().rank(), 0, 200 + world().rank()};
  std::vector<std::int32_t> roots(3, -1);
  forest.replace_roots(leaves.data(), roots.data());
  const int before = (world().rank() + world().size() - 1) % world().size();
  EXPECT_EQ(roots, (std::vector<std::int32_t>{200 + before, -1, 100 + before}));
}

TEST(StarForest, several_leaves_may_have_one_root) {
  const StarForest forest(world(), 1, {0, 1, 2}, {{0, 0}, {0, 0}, {0, 0}});
  const std::uint64_t root = world().is_root() ? 42 : 7;
  std::array<std::uint64_t, 3> leaves{};
  forest.broadcast(&root, leaves.data());
  EXPECT_EQ(leaves, (std::array<std::uint64_t, 3>{42, 42, 42}));
}

TEST(StarForest, elements_may_be_several_adjacent_numbers) {
  const StarForest forest(world(), 2, {0}, {{next_rank(), 1}});
  const ContiguousType triple(MPI_DOUBLE, 3);
  const double r = world().rank();
  const std::array<double, 6> roots{0, 0, 0, r, r + 0.25, r + 0.5};
  std::array<double, 3> leaf{};
  forest.broadcast(triple.raw(), roots.data(), leaf.data());
  EXPECT_EQ(leaf, (std::array<double, 3>{next_rank() + 0.0, next_rank() + 0.25, next_rank() + 0.5}));
}

TEST(StarForest, ranks_without_leaves_take_part) {
  const bool has_leaf = world().is_root();
  const StarForest forest(world(), 1, has_leaf ? std::vector<LocalIndex>{0} : std::vector<LocalIndex>{},
                          has_leaf ? std::vector<RemotePlace>{{world().size() - 1, 0}} : std::vector<RemotePlace>{});
  const double root = world().rank();
  double leaf = -1.0;
  forest.broadcast(&root, &leaf);
  EXPECT_EQ(leaf, has_leaf ? world().size() - 1.0 : -1.0);
}

}  // namespace
}  // namespace freshet
