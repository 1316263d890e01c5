// SPDX-License-Identifier: Apache-2.0
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
      ASSERT_EQ(grids[level].parents.size(), static_cast<std::size_t>(fine.n_owned()));
      GlobalIndex n_stand_ins = 0;
      for (LocalIndex child = 0; child < fine.n_owned(); ++child) {
        const ParentPlace& place = grids[level].parents[static_cast<std::size_t>(child)];
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
