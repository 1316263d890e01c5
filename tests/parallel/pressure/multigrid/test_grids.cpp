// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/work_counts.hpp"
#include "pressure/multigrid/grids.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

struct Case {
  int dimension;
  Vec3i cells;
  FaceCondition condition;
};
const Case cases[] = {{3, {72, 40, 24}, FaceCondition::free_slip},
                      {2, {200, 72, 1}, FaceCondition::open},
                      {3, {40, 24, 8}, FaceCondition::periodic},
                      {3, {8, 8, 8}, FaceCondition::periodic}};

/// f(grids, layout) for all blocks and for some.
template <class Function>
void for_each_case(Function&& f) {
  for (const Case& c : cases)
    for (const double fraction : {1.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << c.dimension << "-D " << c.cells.transpose() << " " << fraction);
      const Domain domain = make_domain(c.dimension, c.cells, c.condition);
      const std::vector<BlockKey> keys = random_blocks(domain, fraction, 5);
      const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
      MultigridGrids grids;
      grids.reset(layout);
      f(grids, layout);
    }
}

TEST(MultigridGrids, halve_the_lattice_until_few_cells_are_left) {
  for_each_case([](const MultigridGrids& grids, const BlockLayout& layout) {
    EXPECT_EQ(grids[0].layout, &layout);
    EXPECT_GE(grids.n_levels(), 1);
    for (int level = 1; level < grids.n_levels(); ++level) {
      const Domain& fine = grids[level - 1].layout->domain();
      const Domain& coarse = grids[level].layout->domain();
      EXPECT_EQ(coarse.dx(), 2.0 * fine.dx());
      for (int d = 0; d < layout.domain().dimension(); ++d) {
        EXPECT_EQ(coarse.lattice()[d], (fine.lattice()[d] + 1) / 2);
        EXPECT_EQ(coarse.periodic(d), fine.periodic(d));
      }
      EXPECT_LE(grids[level].n_ranks, grids[level - 1].n_ranks);
      const bool has_blocks = grids[level].layout->n_owned() > 0;
      EXPECT_TRUE(!has_blocks || world().rank() < grids[level].n_ranks);
    }
  });
}

TEST(MultigridGrids, parents_hold_each_child_where_its_key_says) {
  for_each_case([](const MultigridGrids& grids, const BlockLayout&) {
    for (int level = 0; level + 1 < grids.n_levels(); ++level) {
      const BlockLayout& fine = *grids[level].layout;
      const BlockLayout& coarse = *grids[level + 1].layout;
      ASSERT_EQ(grids[level].link->parents().size(), static_cast<std::size_t>(fine.n_owned()));
      GlobalIndex n_stand_ins = 0;
      for (LocalIndex child = 0; child < fine.n_owned(); ++child) {
        const ParentPlace& place = grids[level].parent(child);
        EXPECT_LT(place.slot, grids[level + 1].n_array_blocks());
        if (place.slot < coarse.n_owned()) {
          EXPECT_EQ(coarse.key(place.slot), fine.key(child) >> 3U);
        } else {
          EXPECT_GE(place.slot, coarse.n_slots());
          EXPECT_NE(coarse.splitters().owner(fine.key(child) >> 3U), world().rank());
          ++n_stand_ins;
        }
        EXPECT_EQ(place.octant, fine.key(child) & 7U);
      }
      EXPECT_EQ(n_stand_ins > 0, grids[level + 1].n_stand_ins > 0);
    }
  });
}

/// The same for the same blocks of a level, whichever ranks have them. Collective.
GlobalIndex sum_of_blocks(const MultigridGrid& grid) {
  GlobalIndex sum = 0;
  for (const BlockKey key : grid.layout->owned_keys()) sum += static_cast<GlobalIndex>(1e9 * hashed(key));
  return world().sum(sum);
}

/// Every level has the blocks of grids made anew, and holds its children's parents. Collective.
void expect_as_made_anew(const MultigridGrids& grids, const BlockLayout& layout) {
  MultigridGrids anew;
  anew.reset(layout);
  ASSERT_EQ(grids.n_levels(), anew.n_levels());
  EXPECT_EQ(grids[0].layout, &layout);
  for (int level = 0; level < grids.n_levels(); ++level) {
    SCOPED_TRACE(testing::Message() << "level " << level);
    EXPECT_EQ(sum_of_blocks(grids[level]), sum_of_blocks(anew[level]));
    EXPECT_EQ(grids[level].n_ranks, anew[level].n_ranks);
    if (level + 1 == grids.n_levels()) continue;
    const BlockLayout& fine = *grids[level].layout;
    const BlockLayout& coarse = *grids[level + 1].layout;
    ASSERT_EQ(grids[level].link->parents().size(), static_cast<std::size_t>(fine.n_owned()));
    for (LocalIndex child = 0; child < fine.n_owned(); ++child) {
      const LocalIndex slot = grids[level].parent(child).slot;
      EXPECT_LT(slot, grids[level + 1].n_array_blocks());
      const bool is_here = slot < coarse.n_owned();
      EXPECT_EQ(is_here, coarse.find_owned(fine.key(child) >> 3U) != coarse.background());
      if (!is_here) continue;
      EXPECT_EQ(coarse.key(slot), fine.key(child) >> 3U);
    }
  }
}

TEST(MultigridGrids, keep_the_levels_that_new_blocks_leave_as_they_were) {
  const Domain domain = make_domain(3, {128, 64, 64});
  const auto blocks = [&domain](auto&& is_in) {  // of the lattice of 16 x 8 x 8
    std::vector<BlockKey> keys;
    for (const BlockKey key : all_blocks(domain))
      if (is_in(morton_block(key))) keys.push_back(key);
    return keys;
  };
  const auto low = [](const Vec3i& block) { return block.y() < 3 && block != Vec3i(5, 1, 2); };
  const std::vector<BlockKey> keys = blocks(low);
  const Splitters splitters = equal_splitters(world(), keys);
  auto layout = std::make_unique<BlockLayout>(world(), domain, splitters, keys);
  MultigridGrids grids;
  grids.reset(*layout);
  const auto levels_made_for = [&](const std::vector<BlockKey>& next) {
    layout = std::make_unique<BlockLayout>(world(), domain, splitters, next);  // the one before is gone
    const auto made = [] { return work_so_far()[static_cast<std::size_t>(Work::levels)]; };
    const std::int64_t before = made();
    grids.reset(*layout);
    const std::int64_t n = made() - before;
    expect_as_made_anew(grids, *layout);
    return n;
  };
  const Vec3i in_hole(5, 1, 2), on_top(4, 4, 2), far_above(4, 7, 2);
  EXPECT_EQ(levels_made_for(blocks([&](const Vec3i& b) { return low(b) || b == in_hole; })), 1);
  EXPECT_EQ(levels_made_for(keys), 1);
  EXPECT_EQ(levels_made_for(blocks([&](const Vec3i& b) { return low(b) || b == on_top; })), 3);
  EXPECT_EQ(levels_made_for(blocks([&](const Vec3i& b) { return low(b) || b == far_above; })), 2);
  EXPECT_EQ(levels_made_for({}), grids.n_levels());
  EXPECT_EQ(levels_made_for(keys), grids.n_levels());
}

TEST(MultigridGrids, gather_a_level_and_those_below_on_one_rank) {
  const Domain domain = make_domain(3, {72, 40, 24});
  const std::vector<BlockKey> keys = all_blocks(domain);
  const BlockLayout layout(world(), domain, equal_splitters(world(), keys), keys);
  MultigridGrids grids;
  grids.reset(layout);
  const int n_levels = grids.n_levels();
  grids.gather_from(1);
  EXPECT_EQ(grids.n_levels(), n_levels);
  for (int level = 1; level < n_levels; ++level) {
    EXPECT_TRUE(grids[level].is_on_one_rank());
    EXPECT_EQ(grids[level].layout->n_owned() > 0, world().rank() == 0);
  }
}

}  // namespace
}  // namespace freshet
