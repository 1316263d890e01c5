// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace freshet {
namespace {

using test::equal_splitters;
using test::hashed;
using test::make_domain;
using test::random_blocks;
using test::world;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
  double fraction;
};

const Case cases[] = {{3, {40, 32, 24}, FaceCondition::free_slip, 0.5},
                      {3, {40, 32, 8}, FaceCondition::periodic, 0.6},   // one block wide along z
                      {3, {16, 16, 16}, FaceCondition::periodic, 1.0},  // a block meets its neighbour on both sides
                      {3, {8, 8, 8}, FaceCondition::periodic, 1.0},     // a block is its own neighbour
                      {3, {33, 17, 9}, FaceCondition::open, 0.7},
                      {2, {64, 40, 1}, FaceCondition::free_slip, 0.5},
                      {2, {8, 48, 1}, FaceCondition::periodic, 0.8},
                      {3, {40, 32, 24}, FaceCondition::free_slip, 0.02},  // fewer blocks than ranks
                      {3, {40, 32, 24}, FaceCondition::free_slip, 0.0}};

/// Value of a cell by its place; distinct for distinct cells.
double cell_value(BlockKey key, int cell) {
  return hashed(key, static_cast<std::uint64_t>(cell), 99);
}

template <class Check>
void for_each_case(Check check) {
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.dimension << "-D " << c.cells.transpose());
    const Domain domain = make_domain(c.dimension, c.cells, c.condition);
    const std::vector<BlockKey> keys = random_blocks(domain, c.fraction, 5);
    check(domain, keys, equal_splitters(world(), keys));
    check(domain, keys, uniform_splitters(domain, world().size()));
  }
}

TEST(Layout, every_wanted_block_is_owned_once_whoever_asks_for_it) {
  for_each_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    std::vector<BlockKey> wanted;  // each rank asks for another part, with repeats
    for (std::size_t n = 0; n < keys.size(); ++n)
      if (static_cast<int>(n) % world().size() == world().rank() || n % 3 == 0) wanted.push_back(keys[n]);
    const BlockLayout layout(world(), domain, splitters, wanted);
    EXPECT_EQ(layout.n_global(), static_cast<GlobalIndex>(keys.size()));
    EXPECT_TRUE(std::is_sorted(layout.owned_keys().begin(), layout.owned_keys().end()));
    for (const BlockKey key : layout.owned_keys()) EXPECT_EQ(splitters.owner(key), world().rank());
  });
}

TEST(Layout, neighbours_are_those_of_a_serial_reference) {
  for_each_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const std::set<BlockKey> exists(keys.begin(), keys.end());
    const BlockLayout layout(world(), domain, splitters, keys);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int direction = 0; direction < n_directions; ++direction) {
        Vec3i block = layout.block_coords(b) + direction_offset(direction);
        const LocalIndex neighbour = layout.neighbours(b)[direction];
        if (domain.wrap_block(block) && exists.contains(morton_key(block))) {
          ASSERT_LT(neighbour, layout.n_blocks());
          EXPECT_EQ(layout.key(neighbour), morton_key(block));
        } else {
          EXPECT_EQ(neighbour, layout.background());
        }
      }
  });
}

TEST(Halo, gather_fills_the_rim_from_the_owners_and_nothing_else) {
  for_each_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const BlockLayout layout(world(), domain, splitters, keys);
    const Vec3i n = domain.block_cells();
    for (const int width : {1, 3, 8}) {
      CellField<double> field(layout);
      field.fill(-1.0);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        for (int c = 0; c < layout.cells_per_block(); ++c) field.block(b)[c] = cell_value(layout.key(b), c);
      layout.halo().gather(field, width);

      // serial reference: a ghost cell is in the rim if an owned block's dilation by `width` reaches it
      std::vector<std::uint8_t> in_rim(static_cast<std::size_t>(layout.n_ghost()) * layout.cells_per_block(), 0);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b)
        for (int direction = 0; direction < n_directions; ++direction) {
          const LocalIndex g = layout.neighbours(b)[direction] - layout.n_owned();
          if (g < 0 || g >= layout.n_ghost()) continue;
          const Vec3i offset = direction_offset(direction);
          for (int c = 0; c < layout.cells_per_block(); ++c) {
            const Vec3i place = Vec3i(c % n[0], c / n[0] % n[1], c / (n[0] * n[1])) + offset.cwiseProduct(n);
            const bool near = (place.array() >= -width).all() && (place.array() < n.array() + width).all();
            if (near) in_rim[static_cast<std::size_t>(g) * layout.cells_per_block() + c] = 1;
          }
        }
      for (LocalIndex g = 0; g < layout.n_ghost(); ++g)
        for (int c = 0; c < layout.cells_per_block(); ++c) {
          const bool rim = in_rim[static_cast<std::size_t>(g) * layout.cells_per_block() + c] != 0;
          const double expected = rim ? cell_value(layout.key(layout.n_owned() + g), c) : -1.0;
          ASSERT_EQ(field.block(layout.n_owned() + g)[c], expected);
        }
    }
  });
}

TEST(Regrid, values_follow_their_blocks_to_new_owners_and_new_blocks_get_the_initial_value) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> before = random_blocks(domain, 0.5, 1);
  const std::vector<BlockKey> after = random_blocks(domain, 0.7, 2);
  const BlockLayout source(world(), domain, equal_splitters(world(), before), before);
  const BlockLayout target(world(), domain, uniform_splitters(domain, world().size()), after);
  CellField<double> field(source);
  for (LocalIndex b = 0; b < source.n_owned(); ++b)
    for (int c = 0; c < source.cells_per_block(); ++c) field.block(b)[c] = cell_value(source.key(b), c);
  transfer_field(field, target, -7.0);
  EXPECT_TRUE(field.is_bound_to(target));
  for (LocalIndex b = 0; b < target.n_owned(); ++b) {
    const bool old = std::find(before.begin(), before.end(), target.key(b)) != before.end();
    for (int c = 0; c < target.cells_per_block(); ++c)
      ASSERT_EQ(field.block(b)[c], old ? cell_value(target.key(b), c) : -7.0);
  }
}

}  // namespace
}  // namespace freshet
