// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace freshet::test {

struct LayoutCase {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;
};

inline const LayoutCase layout_cases[] = {
    {3, {40, 32, 24}, FaceCondition::free_slip, 0.5},
    {3, {40, 32, 8}, FaceCondition::periodic, 0.6},   // one block wide along z
    {3, {16, 16, 16}, FaceCondition::periodic, 1.0},  // a block meets its neighbour on both sides
    {3, {8, 8, 8}, FaceCondition::periodic, 1.0},     // a block is its own neighbour
    {3, {33, 17, 9}, FaceCondition::open, 0.7},
    {2, {64, 40, 1}, FaceCondition::free_slip, 0.5},
    {2, {8, 48, 1}, FaceCondition::periodic, 0.8},
    {3, {40, 32, 24}, FaceCondition::free_slip, 0.02},  // fewer blocks than ranks
    {3, {40, 32, 24}, FaceCondition::free_slip, 0.0}};

/// A value for each cell, different for different cells.
inline double cell_value(BlockKey key, int cell) {
  return hashed(key, static_cast<std::uint64_t>(cell), 99);
}

/// Call check(domain, keys of the blocks, splitters) for domains of many kinds. Collective
template <class Check>
void for_each_layout_case(Check check) {
  for (const LayoutCase& c : layout_cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = random_blocks(domain, c.fraction, 5);
    check(domain, keys, equal_splitters(world(), keys));
    check(domain, keys, uniform_splitters(domain, world().size()));
  }
}

}  // namespace freshet::test
