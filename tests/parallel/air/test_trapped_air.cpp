// SPDX-License-Identifier: Apache-2.0
// Bubbles followed through labels that are given by hand.
// nightly: 8
#include "freshet/air/trapped_air.hpp"
#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace freshet {
namespace {

using test::equal_splitters;
using test::make_domain;
using test::world;

/// A rectangle of cells [low, high).
struct Cells {
  Vec3i low, high;
  bool contains(const Vec3i& cell) const {
    return ((cell - low).array() >= 0).all() && ((cell - high).array() < 0).all();
  }
};

/// A plane tank of 32 x 40 cells of 1 m^3, full of liquid up to y = 36 m, with air where a test wants it.
class Tank {
 public:
  explicit Tank(BubbleModel model, const std::vector<SolidBody>& bodies = {}, int least_cells = 8)
      : layout_(world(), domain_, splitters(), keys()) {
    solids_.reset(layout_, bodies);
    AirOptions options;
    options.bubbles = model;
    options.least_cells = least_cells;
    FluidOptions fluid;
    fluid.gravity = Vec3(0.0, -9.81, 0.0);
    air_ = std::make_unique<TrappedAir>(domain_, options, fluid);
    FreeSurfaceOptions of_surface;
    of_surface.labels.surface = LiquidSurface::voxels;
    surface_ = std::make_unique<FreeSurface>(of_surface);
    surface_->reset(layout_);
    near_.assign(static_cast<std::size_t>(layout_.n_owned()), 1);
  }
  /// Find the bubbles of the next step, in which the air is in these cells, and keep them. Collective
  const std::vector<TrappedBubble>& step(const std::vector<Cells>& air) {
    LabelField& labels = surface_->labels();
    labels.fill(Label::solid);
    for (LocalIndex b = 0; b < layout_.n_owned(); ++b)
      for (int c = 0; c < layout_.cells_per_block(); ++c) {
        const Vec3i cell = layout_.first_cell(b) + Vec3i(c % 8, c / 8, 0);
        if (!domain_.contains_cell(cell)) continue;
        const bool is_air =
            cell.y() >= 36 || std::ranges::any_of(air, [&](const Cells& cells) { return cells.contains(cell); });
        labels.block(b)[c] = is_air ? Label::air : Label::liquid;
      }
    layout_.halo().gather(labels, 1);
    air_->find(*surface_, solids_, [this] { return std::span<const std::uint8_t>(near_); });
    air_->prepare(0.1, 0.1);
    air_->accept(0.1, solids_);
    return air_->bubbles();
  }
  /// Let a block count as far from the liquid from now on.
  void make_far(const Vec3i& block) {
    const LocalIndex b = layout_.find_owned(morton_key(block));
    if (b != layout_.background()) near_[static_cast<std::size_t>(b)] = 0;
  }
  TrappedAir& air() { return *air_; }
  const SolidFields& solids() const { return solids_; }
  const BlockLayout& layout() const { return layout_; }

 private:
  Splitters splitters() const { return equal_splitters(world(), keys()); }
  std::vector<BlockKey> keys() const { return test::all_blocks(domain_); }

  Domain domain_ = make_domain(2, {32, 40, 1});
  BlockLayout layout_;
  SolidFields solids_;
  std::unique_ptr<FreeSurface> surface_;
  std::unique_ptr<TrappedAir> air_;
  std::vector<std::uint8_t> near_;
};

Cells box(int x0, int y0, int x1, int y1) {
  return {{x0, y0, 0}, {x1, y1, 1}};
}

/// The bubble that holds a cell of the last find(), on all ranks. Collective
const TrappedBubble& bubble_at(Tank& tank, const Vec3i& cell) {
  const LocalIndex b = tank.layout().find_owned(morton_key(Vec3i(cell / 8)));
  GlobalIndex found = -1;
  if (b != tank.layout().background()) found = tank.air().number().block(b)[cell.x() % 8 + 8 * (cell.y() % 8)];
  found = world().max(found);
  EXPECT_GE(found, 0);
  return tank.air().bubbles().at(static_cast<std::size_t>(found));
}

constexpr double rounding = 1e-12;

/// The two parts of a bubble of 40 cells have 8 and 16 on the grid: a third and two thirds of the 40. The larger one
/// keeps the number.
TEST(TrappedBubbles, parts_share_the_volume_in_proportion_to_theirs) {
  for (const BubbleModel model : {BubbleModel::compressible, BubbleModel::incompressible}) {
    Tank tank(model);
    ASSERT_EQ(tank.step({box(4, 6, 24, 8)}).size(), 1U);
    const std::int64_t id = tank.air().bubbles()[0].id;
    EXPECT_NEAR(tank.air().bubbles()[0].volume, 40.0, rounding);
    ASSERT_EQ(tank.step({box(4, 6, 8, 8), box(10, 6, 18, 8)}).size(), 2U);
    EXPECT_NEAR(bubble_at(tank, {4, 6, 0}).volume, 40.0 / 3.0, 40.0 * rounding);
    EXPECT_NEAR(bubble_at(tank, {4, 6, 0}).rest_volume, 40.0 / 3.0, 40.0 * rounding);
    EXPECT_NEAR(bubble_at(tank, {10, 6, 0}).volume, 80.0 / 3.0, 40.0 * rounding);
    EXPECT_EQ(bubble_at(tank, {10, 6, 0}).id, id);
    EXPECT_NE(bubble_at(tank, {4, 6, 0}).id, id);
  }
}

/// A piece of 4 cells that breaks off is no bubble: its gas stays with the rest, and goes with it when both join again.
/// Once it has grown to 8 cells it gets its share.
TEST(TrappedBubbles, keep_the_gas_of_pieces_that_are_too_small) {
  for (const BubbleModel model : {BubbleModel::compressible, BubbleModel::incompressible}) {
    Tank tank(model);
    ASSERT_EQ(tank.step({box(4, 6, 24, 8)}).size(), 1U);
    for (int again = 0; again < 2; ++again) {
      ASSERT_EQ(tank.step({box(4, 6, 6, 8), box(10, 6, 24, 8)}).size(), 1U);
      EXPECT_NEAR(tank.air().bubbles()[0].volume, 40.0, 40.0 * rounding);
    }
    ASSERT_EQ(tank.step({box(4, 6, 24, 8)}).size(), 1U);
    EXPECT_NEAR(tank.air().bubbles()[0].volume, 40.0, 40.0 * rounding);
    tank.step({box(4, 6, 6, 8), box(10, 6, 24, 8)});
    ASSERT_EQ(tank.step({box(4, 6, 8, 8), box(10, 6, 26, 8)}).size(), 2U);
    EXPECT_NEAR(bubble_at(tank, {4, 6, 0}).volume, 8.0, 40.0 * rounding);
    EXPECT_NEAR(bubble_at(tank, {10, 6, 0}).volume, 32.0, 40.0 * rounding);
  }
}

/// What merges adds up, whatever the grid shows of it, and the number is that of the bubble with more cells.
TEST(TrappedBubbles, volumes_of_those_that_merge_add_up) {
  Tank tank(BubbleModel::compressible);
  ASSERT_EQ(tank.step({box(4, 6, 8, 8), box(10, 6, 18, 8)}).size(), 2U);
  const std::int64_t id = bubble_at(tank, {10, 6, 0}).id;
  const std::vector<TrappedBubble>& bubbles = tank.step({box(4, 6, 20, 8)});
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_NEAR(bubbles[0].volume, 24.0, 24.0 * rounding);
  EXPECT_NEAR(bubbles[0].measured, 32.0, 32.0 * rounding);
  EXPECT_EQ(bubbles[0].id, id);
}

/// A, of 32 cells, leaves 12 to a region of its own and 16 to one of 56 cells that takes all of B, of 32 cells: a third
/// of the 56 is A's. A's volume goes to the two as 12 to 56/3.
TEST(TrappedBubbles, may_merge_and_split_in_one_step) {
  Tank tank(BubbleModel::compressible);
  ASSERT_EQ(tank.step({box(4, 6, 12, 10), box(14, 6, 22, 10)}).size(), 2U);
  ASSERT_EQ(tank.step({box(4, 6, 7, 10), box(8, 6, 22, 10)}).size(), 2U);
  const double of_first = 32.0 * 12.0 / (12.0 + 56.0 / 3.0);
  EXPECT_NEAR(bubble_at(tank, {4, 6, 0}).volume, of_first, 64.0 * rounding);
  EXPECT_NEAR(bubble_at(tank, {8, 6, 0}).volume, 64.0 - of_first, 64.0 * rounding);
}

/// Of the 38 cells that are air in both steps ten join the atmosphere, and so does this part of the volume.
TEST(TrappedBubbles, lose_to_the_atmosphere_by_cells) {
  Tank tank(BubbleModel::compressible);
  ASSERT_EQ(tank.step({box(4, 6, 24, 8)}).size(), 1U);
  const std::vector<TrappedBubble>& bubbles =
      tank.step({box(4, 6, 18, 8), box(19, 6, 24, 8), box(20, 8, 21, 36)});  // the column reaches the atmosphere
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_NEAR(bubbles[0].volume, 40.0 * 28.0 / 38.0, 40.0 * rounding);
}

/// Air of the atmosphere that liquid closes off is a bubble with its volume on the grid; a hole in the liquid that was
/// not there a step before is none.
TEST(TrappedBubbles, are_made_of_air_that_was_there) {
  Tank tank(BubbleModel::compressible);
  ASSERT_TRUE(tank.step({box(10, 20, 20, 36)}).empty());
  ASSERT_TRUE(tank.step({box(4, 6, 8, 10)}).empty()) << "a hole out of nothing";
  ASSERT_TRUE(tank.step({box(10, 20, 20, 36)}).empty());
  const std::vector<TrappedBubble>& bubbles = tank.step({box(10, 20, 20, 30)});
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_NEAR(bubbles[0].volume, 100.0, 100.0 * rounding);
  EXPECT_NEAR(bubbles[0].pressure, AirOptions().pressure, 1e-6);
}

/// A hole whose cells a body of open fractions fills has no volume: there is no gas whose pressure could be found.
TEST(TrappedBubbles, a_hole_without_volume_is_none) {
  ShapeParameters block;
  block.lower = {8.0, 8.0, -10.0};
  block.upper = {24.0, 24.0, 10.0};
  for (const BubbleModel model : {BubbleModel::compressible, BubbleModel::incompressible}) {
    Tank tank(model, {SolidBody{make_shape(block), Slip::free_slip, WallCondition::sticky, Surface::fractions}}, 1);
    EXPECT_TRUE(tank.step({box(12, 12, 20, 20)}).empty());
    EXPECT_TRUE(tank.step({box(12, 12, 20, 20)}).empty());
    EXPECT_EQ(tank.step({box(10, 26, 12, 36), box(12, 12, 20, 20)}).size(), 0U);
    EXPECT_EQ(tank.step({box(10, 26, 12, 30), box(12, 12, 20, 20)}).size(), 1U)
        << "air of the atmosphere is closed off";
    EXPECT_TRUE(std::isfinite(tank.air().largest_pressure()));
  }
}

/// A gas into which the liquid would flow beyond all of its volume in one step keeps half of it, and so a pressure.
TEST(TrappedBubbles, keep_a_part_of_their_volume_in_a_step) {
  Tank tank(BubbleModel::compressible);
  ASSERT_EQ(tank.step({box(4, 6, 24, 8)}).size(), 1U);
  for (const double cells : {10.0, 50.0}) {
    const double before = tank.air().bubbles()[0].volume;
    Bubbles* const bubbles = tank.air().prepare(0.1, 0.1);
    ASSERT_NE(bubbles, nullptr);
    bubbles->bubbles[0].mean_outflow = -cells / 0.1;
    tank.air().accept(0.1, tank.solids());
    const TrappedBubble& bubble = tank.air().bubbles()[0];
    EXPECT_NEAR(bubble.volume, std::max(before - cells, 0.5 * before), 40.0 * rounding);
    EXPECT_NEAR(bubble.pressure, AirOptions().pressure * std::pow(40.0 / bubble.volume, 1.4), 1.0);
  }
}

/// Of a bubble's 256 cells the motion leaves 224, and a block of 64 full of air turns far: it lacks 32.
TEST(TrappedBubbles, lack_what_the_motion_took_also_where_blocks_turn_far) {
  Tank tank(BubbleModel::incompressible);
  tank.step({box(8, 8, 24, 24)});
  tank.make_far({1, 1, 0});
  ASSERT_EQ(tank.step({box(8, 8, 24, 22)}).size(), 1U);
  EXPECT_NEAR(tank.air().prepare(0.1, 0.1)->bubbles[0].lack, 32.0, rounding);
}

/// The ninth number of a bubble in checkpoints of earlier versions counts cells far from the liquid, perhaps of solids:
/// what the volume on the grid differs by at first is no error.
TEST(TrappedBubbles, of_earlier_versions_lack_nothing_at_first) {
  for (const double far_cells : {0.0, 64.0}) {
    Tank tank(BubbleModel::incompressible), other(BubbleModel::incompressible);
    tank.step({box(8, 8, 24, 24)});
    const auto n =
        static_cast<std::size_t>(tank.layout().n_owned()) * static_cast<std::size_t>(tank.layout().cells_per_block());
    const std::vector<double> cells(tank.air().kept_cells()->data(), tank.air().kept_cells()->data() + n);
    std::vector<double> kept = tank.air().kept();
    ASSERT_EQ(kept.size(), 10U);
    kept[9] = far_cells;
    other.air().restore(kept, cells, other.layout());
    other.step({box(8, 8, 24, 22)});
    EXPECT_NEAR(other.air().prepare(0.1, 0.1)->bubbles[0].lack, far_cells > 0.0 ? 0.0 : 32.0, rounding);
    other.step({box(8, 8, 24, 21)});
    EXPECT_NEAR(other.air().prepare(0.1, 0.1)->bubbles[0].lack, far_cells > 0.0 ? 16.0 : 48.0, rounding);
  }
}

/// Numbers of a checkpoint that no run writes are refused; what a run has kept is taken.
TEST(TrappedBubbles, of_a_checkpoint_must_fit_together) {
  Tank tank(BubbleModel::compressible);
  tank.step({box(4, 6, 24, 8)});
  const std::vector<double> kept = tank.air().kept();
  const auto n =
      static_cast<std::size_t>(tank.layout().n_owned()) * static_cast<std::size_t>(tank.layout().cells_per_block());
  const std::vector<double> cells(tank.air().kept_cells()->data(), tank.air().kept_cells()->data() + n);
  Tank other(BubbleModel::compressible);
  EXPECT_NO_THROW(other.air().restore(kept, cells, other.layout()));
  for (const double wrong : {2.0, 5.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> changed = cells;
    if (changed.empty()) continue;
    changed.back() = wrong;
    EXPECT_THROW(other.air().restore(kept, changed, other.layout()), FileError) << "a cell of bubble " << wrong;
  }
  std::vector<double> short_one = kept;
  short_one.pop_back();
  EXPECT_THROW(other.air().restore(short_one, cells, other.layout()), FileError);
}

/// Many bubbles that move by a cell have the numbers that they had.
TEST(TrappedBubbles, are_many_and_keep_their_numbers_apart) {
  Tank tank(BubbleModel::incompressible);
  std::vector<Cells> air;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) air.push_back(box(1 + 5 * i, 1 + 5 * j, 5 + 5 * i, 4 + 5 * j));
  ASSERT_EQ(tank.step(air).size(), 36U);
  std::vector<std::int64_t> ids;
  for (const TrappedBubble& bubble : tank.air().bubbles()) {
    ids.push_back(bubble.id);
    EXPECT_NEAR(bubble.volume, 12.0, 12.0 * rounding);
  }
  for (Cells& cells : air) {
    cells.low.x() += 1;
    cells.high.x() += 1;
  }
  ASSERT_EQ(tank.step(air).size(), 36U);
  std::vector<std::int64_t> later;
  for (const TrappedBubble& bubble : tank.air().bubbles()) later.push_back(bubble.id);
  std::ranges::sort(ids);
  std::ranges::sort(later);
  EXPECT_EQ(ids, later);
}

}  // namespace
}  // namespace freshet
