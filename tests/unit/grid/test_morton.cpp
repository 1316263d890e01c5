// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/morton.hpp"

#include <gtest/gtest.h>

#include <random>

namespace freshet {
namespace {

TEST(Morton, first_keys_by_hand) {
  EXPECT_EQ(morton_key({0, 0, 0}), 0U);
  EXPECT_EQ(morton_key({1, 0, 0}), 1U);
  EXPECT_EQ(morton_key({0, 1, 0}), 2U);
  EXPECT_EQ(morton_key({0, 0, 1}), 4U);
  EXPECT_EQ(morton_key({3, 1, 2}), 0b101011U);  // z y x bits, high first: 1 0 1, 0 1 1
}

TEST(Morton, key_and_block_are_inverse_up_to_21_bits) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> coordinate(0, (1 << 21) - 1);
  for (int n = 0; n < 1000; ++n) {
    const Vec3i block(coordinate(random), coordinate(random), coordinate(random));
    EXPECT_EQ(morton_block(morton_key(block)), block);
    EXPECT_EQ(morton_block(morton_key(block) >> 3), block / 2);
  }
}

TEST(Morton, lower_neighbours_have_smaller_keys) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> coordinate(1, 1000);
  for (int n = 0; n < 1000; ++n) {
    const Vec3i block(coordinate(random), coordinate(random), coordinate(random));
    for (int axis = 0; axis < 3; ++axis) EXPECT_LT(morton_key(block - Vec3i::Unit(axis)), morton_key(block));
  }
}

}  // namespace
}  // namespace freshet
