// SPDX-License-Identifier: Apache-2.0
#include "freshet/linear/level_link.hpp"
#include "support/layout_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace freshet {
namespace {

using namespace test;

/// Cells that a block covers in its parent, which stands in an array with the strides of a block.
std::vector<std::int16_t> covered_cells(const Domain& domain, const ParentPlace& place) {
  std::array<std::array<int, 2>, 3> range{};
  for (int d = 0; d < 3; ++d) {
    const int n = domain.block_cells()[d];
    const bool is_whole = n == 1 || (place.kept >> d & 1) != 0;
    const int first = !is_whole && (place.octant >> d & 1) != 0 ? n / 2 : 0;
    range[static_cast<std::size_t>(d)] = {first, is_whole ? n : first + n / 2};
  }
  std::vector<std::int16_t> cells;
  for (int k = range[2][0]; k < range[2][1]; ++k)
    for (int j = range[1][0]; j < range[1][1]; ++j)
      for (int i = range[0][0]; i < range[0][1]; ++i)
        cells.push_back(static_cast<std::int16_t>(i + domain.block_cells()[0] * (j + domain.block_cells()[1] * k)));
  return cells;
}

/// A link of two levels, whose blocks lie on ranks independently of each other.
struct Levels {
  Levels(const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters)
      : fine(world(), domain, splitters, keys) {
    std::vector<BlockKey> parents;
    for (const BlockKey key : keys) parents.push_back(key >> 3U);
    std::ranges::sort(parents);
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    coarse = std::make_unique<BlockLayout>(world(), coarser_domain(domain), equal_splitters(world(), parents), parents);
    link = std::make_unique<LevelLink>(fine, *coarse, [this](const ParentPlace& place) {
      cells = covered_cells(coarse->domain(), place);
      return std::span<const std::int16_t>(cells);
    });
  }
  std::size_t n_cells() const { return static_cast<std::size_t>(coarse->cells_per_block()); }
  /// Call f(array of the parent's cells, key of the parent, its covered cells) for all blocks.
  template <class Function>
  void for_each_block(double* owned, double* stand_ins, Function&& f) const {
    for (LocalIndex block = 0; block < fine.n_owned(); ++block) {
      const ParentPlace& place = link->parents()[static_cast<std::size_t>(block)];
      const bool is_here = place.slot < coarse->n_slots();
      double* parent = is_here ? owned + n_cells() * static_cast<std::size_t>(place.slot)
                               : stand_ins + n_cells() * static_cast<std::size_t>(place.slot - coarse->n_slots());
      f(parent, fine.key(block) >> 3U, covered_cells(coarse->domain(), place));
    }
  }

  BlockLayout fine;
  std::unique_ptr<BlockLayout> coarse;
  std::vector<std::int16_t> cells;
  std::unique_ptr<LevelLink> link;
};

TEST(LevelLink, cells_of_children_reach_the_owner_of_their_parent) {
  for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const Levels levels(domain, keys, splitters);
    std::vector<double> owned(levels.n_cells() * static_cast<std::size_t>(levels.coarse->n_slots()), -1.0);
    std::vector<double> stand_ins(levels.n_cells() * static_cast<std::size_t>(levels.link->n_stand_ins()), -2.0);
    GlobalIndex n_sent = 0;
    levels.for_each_block(owned.data(), stand_ins.data(), [&](double* parent, BlockKey key, const auto& cells) {
      for (const std::int16_t c : cells) parent[c] = cell_value(key, c);
      n_sent += static_cast<GlobalIndex>(cells.size());
    });
    levels.link->send_to_parents(stand_ins.data(), owned.data());
    GlobalIndex n_set = 0;
    for (LocalIndex block = 0; block < levels.coarse->n_owned(); ++block)
      for (std::size_t c = 0; c < levels.n_cells(); ++c) {
        const double value = owned[levels.n_cells() * static_cast<std::size_t>(block) + c];
        if (value == -1.0) continue;
        EXPECT_EQ(value, cell_value(levels.coarse->key(block), static_cast<int>(c)));
        ++n_set;
      }
    EXPECT_EQ(world().sum(n_set), world().sum(n_sent));
  });
}

TEST(LevelLink, cells_of_parents_reach_their_children) {
  for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const Levels levels(domain, keys, splitters);
    std::vector<double> owned(levels.n_cells() * static_cast<std::size_t>(levels.coarse->n_slots()), -1.0);
    std::vector<double> stand_ins(levels.n_cells() * static_cast<std::size_t>(levels.link->n_stand_ins()), -2.0);
    for (LocalIndex block = 0; block < levels.coarse->n_owned(); ++block)
      for (std::size_t c = 0; c < levels.n_cells(); ++c)
        owned[levels.n_cells() * static_cast<std::size_t>(block) + c] =
            cell_value(levels.coarse->key(block), static_cast<int>(c));
    levels.link->receive_from_parents(owned.data(), stand_ins.data());
    levels.for_each_block(owned.data(), stand_ins.data(), [](const double* parent, BlockKey key, const auto& cells) {
      for (const std::int16_t c : cells) EXPECT_EQ(parent[c], cell_value(key, c));
    });
  });
}

TEST(LevelLink, lists_the_cells_of_both_ends) {
  for_each_layout_case([](const Domain& domain, const std::vector<BlockKey>& keys, const Splitters& splitters) {
    const Levels levels(domain, keys, splitters);
    const auto n_sent = static_cast<GlobalIndex>(levels.link->sent_cells().size());
    const std::vector<LocalIndex> received = levels.link->received_cells();
    EXPECT_TRUE(std::ranges::is_sorted(received));
    EXPECT_EQ(world().sum(static_cast<GlobalIndex>(received.size())), world().sum(n_sent));
    EXPECT_EQ(n_sent > 0, levels.link->n_stand_ins() > 0);
  });
}

TEST(LevelLink, a_last_block_of_an_odd_number_keeps_its_cells_on_a_periodic_axis) {
  for (const FaceCondition condition : {FaceCondition::periodic, FaceCondition::free_slip}) {
    const Domain domain = make_domain(2, {40, 16, 1}, condition);
    const Levels levels(domain, all_blocks(domain), uniform_splitters(domain, world().size()));
    EXPECT_EQ(levels.coarse->domain().cells(), Vec3i(24, 8, 1));
    for (LocalIndex block = 0; block < levels.fine.n_owned(); ++block) {
      const Vec3i coords = levels.fine.block_coords(block);
      const ParentPlace& place = levels.link->parents()[static_cast<std::size_t>(block)];
      EXPECT_EQ(place.octant, levels.fine.key(block) & 7U);
      EXPECT_EQ(place.kept, condition == FaceCondition::periodic && coords.x() == 4 ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace freshet
