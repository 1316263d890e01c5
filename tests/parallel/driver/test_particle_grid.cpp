// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/particle_grid.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/particles/edit.hpp"
#include "freshet/particles/seeding.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace freshet {
namespace {

using test::make_domain;
using test::world;

/// Particles at the centres of the cells [lower, upper), made on the ranks that own their blocks.
ParticleStore fill(const Domain& domain, const Splitters& splitters, const Vec3i& lower, const Vec3i& upper) {
  GivenParticles given;
  for (int k = lower.z(); k < upper.z(); ++k)
    for (int j = lower.y(); j < upper.y(); ++j)
      for (int i = lower.x(); i < upper.x(); ++i) {
        if (!world().is_root()) continue;
        given.position.push_back(domain.origin() + domain.dx() * (Vec3(i, j, k) + Vec3::Constant(0.5)));
        given.velocity.push_back(Vec3::Zero());
        given.ids.push_back(given.ids.size());
        given.tags.push_back(0);
      }
  ParticleStore particles;
  place_particles(world(), domain, given, {}, splitters, particles);
  return particles;
}

/// A grid around a bar of liquid of 8 x 8 x 8 cells in a long box.
struct Bar {
  Timers timers;
  Domain domain = make_domain(3, {64, 8, 8});
  int carried = 0;
  ParticleGrid grid;
  ParticleStore particles;

  explicit Bar(const BalanceOptions& balance = {})
      : grid(world(), domain, {3, balance, CellOrder::by_id}, timers, [this](const BlockLayout&) { ++carried; }) {
    const Splitters splitters = uniform_splitters(domain, world().size());
    particles = fill(domain, splitters, {0, 0, 0}, {8, 8, 8});
    grid.build(splitters, particles);
  }
  GlobalIndex total() const { return world().sum(GlobalIndex{particles.size()}); }
  /// Carry all particles along x. [cells]
  MigrationReport shift(double cells) {
    for (ParticleIndex p = 0; p < particles.size(); ++p)
      particles.position()[3 * p] += static_cast<ParticleReal>(cells);
    return redistribute();
  }
  MigrationReport redistribute() {
    Reduction pending;
    return grid.redistribute(particles, pending);
  }
  /// Balance, and look whether the imbalance that it tells is the one there is.
  MigrationReport rebalance() {
    double told = imbalance();
    const MigrationReport report = grid.rebalance(particles, told);
    EXPECT_NEAR(told, imbalance(), 1e-12);
    return report;
  }
  double imbalance() const {
    RankCosts costs = grid.costs(particles);
    Reduction reduction;
    costs.add_to(reduction);
    reduction.reduce(world());
    return costs.imbalance(world().size());
  }
};

TEST(ParticleGrid, has_blocks_around_the_particles_only) {
  const Bar bar;
  EXPECT_EQ(bar.carried, 1);
  EXPECT_EQ(bar.grid.layout().n_global(), 2);  // 3 + 2 cells beyond the bar lie in one more block
  EXPECT_EQ(bar.total(), 512);
  EXPECT_EQ(bar.grid.steps_since_build(), 0);
}

TEST(ParticleGrid, builds_blocks_anew_only_when_the_band_leaves_them) {
  Bar bar;
  const MigrationReport small = bar.shift(1.0);
  EXPECT_EQ(small.total, 512);
  EXPECT_EQ(bar.carried, 1) << "a band of 3 cells beyond cell 9 lies in the blocks that are there";
  EXPECT_EQ(bar.grid.steps_since_build(), 1);
  bar.shift(6.0);
  EXPECT_EQ(bar.carried, 2);
  EXPECT_EQ(bar.grid.layout().n_global(), 3);
  EXPECT_EQ(bar.grid.steps_since_build(), 0);
  EXPECT_EQ(bar.total(), 512);
}

TEST(ParticleGrid, drops_dried_blocks_after_some_steps) {
  Bar bar;
  bar.shift(12.0);  // cells 12 to 20 and 5 more on either side lie in blocks 0 to 3
  EXPECT_EQ(bar.grid.layout().n_global(), 4);
  bar.shift(2.0);
  for (int n = 0; n < 30; ++n) bar.shift(0.0);
  EXPECT_EQ(bar.grid.layout().n_global(), 4);
  EXPECT_EQ(bar.carried, 2);
  bar.shift(0.0);
  EXPECT_EQ(bar.grid.layout().n_global(), 3) << "32 steps after the last time";
  EXPECT_EQ(bar.carried, 3);
  for (int n = 0; n < 40; ++n) bar.shift(0.0);
  EXPECT_EQ(bar.carried, 3) << "no block has dried up since";
}

TEST(ParticleGrid, balance_evens_the_costs) {
  BalanceOptions balance;
  balance.threshold = 1.05;
  Bar bar(balance);
  const double before = bar.imbalance();
  const bool due = bar.grid.rebalance_is_due(before, 8);
  EXPECT_EQ(due, world().size() > 1);
  EXPECT_FALSE(bar.grid.rebalance_is_due(1.12, 9)) << "not in every step";
  EXPECT_EQ(bar.grid.rebalance_is_due(1.12, 10), due) << "far off: soon";
  EXPECT_EQ(bar.grid.rebalance_is_due(1.2, 11), due) << "very far: at once";
  EXPECT_FALSE(bar.grid.rebalance_is_due(1.08, 10)) << "nearly even: after 8 steps";
  if (!due) return;
  const MigrationReport moved = bar.rebalance();
  EXPECT_EQ(moved.total, 512);
  EXPECT_LE(bar.imbalance(), before);
}

TEST(ParticleGrid, builds_nothing_where_whole_blocks_allow_no_better_balance) {
  BalanceOptions balance;
  balance.threshold = 1.05;
  Bar bar(balance);  // two blocks, one of which holds all particles
  if (world().size() > 1 && bar.grid.rebalance_is_due(bar.imbalance(), 8)) bar.rebalance();
  const double evened = bar.imbalance();
  const int carried = bar.carried;
  EXPECT_EQ(bar.grid.rebalance_is_due(evened, 16), world().size() > 1)
      << "costs of blocks differ too much for the threshold";
  for (int n = 0; n < 3; ++n) EXPECT_EQ(bar.rebalance().total, 512);
  EXPECT_EQ(bar.carried, carried) << "the same distribution was built again";
  const bool alone = world().size() == 1;
  EXPECT_EQ(bar.grid.uneven(), evened);
  EXPECT_FALSE(bar.grid.rebalance_is_due(evened, 24)) << "it has been tried in vain";
  EXPECT_EQ(bar.grid.rebalance_is_due(evened, 32), !alone) << "after some steps it may be better";
  EXPECT_EQ(bar.grid.rebalance_is_due(evened + 0.3, 25), !alone) << "the imbalance has grown";
  EXPECT_EQ(bar.imbalance(), evened);
}

TEST(ParticleGrid, goes_on_without_particles) {
  Bar bar;
  open_for_edits(bar.particles, bar.grid.layout());
  remove_particles(bar.particles, std::vector<std::uint8_t>(static_cast<std::size_t>(bar.particles.size()), 1));
  bar.grid.update(bar.particles);
  EXPECT_EQ(bar.total(), 0);
  EXPECT_EQ(bar.redistribute().total, 0);
  for (int n = 0; n < 32; ++n) bar.redistribute();
  EXPECT_EQ(bar.grid.layout().n_global(), 0);
  EXPECT_EQ(bar.imbalance(), 1.0);
}

TEST(ParticleGrid, restored_blocks_stay_unless_they_do_not_hold_the_band) {
  for (const bool whole : {true, false}) {
    Bar bar;
    std::vector<BlockKey> keys(bar.grid.layout().owned_keys().begin(), bar.grid.layout().owned_keys().end());
    if (!whole) std::erase_if(keys, [](BlockKey key) { return key != 0; });  // the particles' block alone
    Timers timers;
    int carried = 0;
    ParticleGrid grid(world(), bar.domain, {3, {}, CellOrder::by_id}, timers, [&](const BlockLayout&) { ++carried; });
    open_for_edits(bar.particles, bar.grid.layout());
    grid.restore(bar.grid.layout().splitters(), keys, 5, 1.5);
    EXPECT_EQ(grid.steps_since_build(), 5);
    EXPECT_EQ(grid.uneven(), 1.5);
    grid.sort_restored(bar.particles);
    EXPECT_EQ(carried, whole ? 1 : 2);
    EXPECT_EQ(grid.layout().n_global(), 2);
    EXPECT_EQ(bar.total(), 512);
  }
}

}  // namespace
}  // namespace freshet
