// SPDX-License-Identifier: Apache-2.0
#include "particles/key_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace freshet {
namespace {

/// What a set that sorts would keep, in the order of first insertion.
std::vector<BlockKey> first_ones(const std::vector<BlockKey>& keys) {
  std::set<BlockKey> seen;
  std::vector<BlockKey> first;
  for (const BlockKey key : keys)
    if (seen.insert(key).second) first.push_back(key);
  return first;
}

std::vector<BlockKey> kept(const std::vector<BlockKey>& keys) {
  KeySet set;
  for (const BlockKey key : keys) set.insert(key);
  return set.keys();
}

TEST(KeySet, holds_each_key_once_in_order_of_insertion) {
  EXPECT_TRUE(KeySet().keys().empty());
  EXPECT_EQ(kept({7, 0, 7, 3, 0, 7}), (std::vector<BlockKey>{7, 0, 3}));
}

TEST(KeySet, keeps_its_keys_while_it_grows) {
  std::mt19937_64 random(5);
  std::vector<BlockKey> keys;
  for (int n = 0; n < 20000; ++n) keys.push_back(random() % 4000);
  EXPECT_EQ(kept(keys), first_ones(keys));
}

TEST(KeySet, tells_keys_apart_that_hash_to_the_same_slot) {
  std::vector<BlockKey> keys;  // multiples of 2^63 / 1000, the largest keys among them
  for (BlockKey n = 0; n < 1000; ++n) keys.push_back(n << 53U);
  for (BlockKey n = 0; n < 1000; ++n) keys.push_back((BlockKey{1} << 63U) - 1 - n);
  keys.insert(keys.end(), keys.begin(), keys.begin() + 500);
  EXPECT_EQ(kept(keys), first_ones(keys));
}

}  // namespace
}  // namespace freshet
