// SPDX-License-Identifier: Apache-2.0
// Which blocks exist, who owns them, and which particles are in them.
#include "freshet/driver/simulation.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/migration.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr int activation_margin = 2;        ///< cells built beyond the band, so that not every step rebuilds the grid
constexpr int steps_between_rebuilds = 32;  ///< blocks that dried up live at most this long
constexpr int steps_between_balances = 8;

double rank_cost(const BalanceOptions& balance, double n_particles, double n_cells) {
  return balance.particle_cost * n_particles + balance.cell_cost * n_cells;
}

}  // namespace

int Simulation::band() const {
  return std::min(static_cast<int>(std::ceil(parameters_.time.cfl)) + 2, block_width - 1);
}

bool Simulation::grid_is_too_small() const {
  for (const BlockKey key : blocks_near_particles(particles_, domain_, band()))
    if (layout_->find(key) == layout_->background()) return true;
  return false;
}

void Simulation::settle() {
  {
    const auto region = timers_.region("migrate");
    count_migration(migrate(particles_, *layout_, layout_->splitters()));
  }
  ++steps_since_rebuild_;
  resettle();
  if (rebalance_pays()) rebalance();
}

/// After edits of the particles: a grid that holds them, and the sorted state. Their blocks are this rank's.
void Simulation::resettle() {
  const bool old_grid = steps_since_rebuild_ >= steps_between_rebuilds;
  if (comm_.any(grid_is_too_small()) || old_grid) {
    rebuild_layout(layout_->splitters());
  } else {
    const auto region = timers_.region("sort");
    sort();
  }
}

void Simulation::rebalance() {
  Splitters splitters;
  {
    const auto region = timers_.region("migrate");
    std::vector<double> costs(static_cast<std::size_t>(layout_->n_owned()));
    for (LocalIndex b = 0; b < layout_->n_owned(); ++b) {
      const auto count = static_cast<double>(particles_.block_begin()[b + 1] - particles_.block_begin()[b]);
      costs[b] = rank_cost(parameters_.balance, count, layout_->cells_per_block());
    }
    splitters = balanced_splitters(comm_, layout_->owned_keys(), costs);
    count_migration(migrate(particles_, *layout_, splitters));
  }
  rebuild_layout(splitters);
}

bool Simulation::rebalance_pays() {
  const double cells = static_cast<double>(layout_->n_owned()) * layout_->cells_per_block();
  const double cost = rank_cost(parameters_.balance, static_cast<double>(particles_.size()), cells);
  report_.imbalance = imbalance(comm_, cost);
  return parameters_.balance.enabled && comm_.size() > 1 && step_ % steps_between_balances == 0 &&
         report_.imbalance > parameters_.balance.threshold;
}

void Simulation::rebuild_layout(const Splitters& splitters) {
  const auto region = timers_.region("grid");
  const int wide_band = std::min(band() + activation_margin, block_width);
  auto layout =
      std::make_unique<BlockLayout>(comm_, domain_, splitters, blocks_near_particles(particles_, domain_, wide_band));
  adopt(std::move(layout));
  sort();
}

/// Go over to another grid; fields that are carried from step to step go with it.
void Simulation::adopt(std::unique_ptr<BlockLayout> layout) {
  if (layout_) {
    transfer_field(pressure_, *layout, 0.0);
    for (int d = 0; d < velocity_.dimension(); ++d) transfer_field(velocity_[d], *layout, 0.0);
  } else {
    pressure_.reset(*layout);
    pressure_.fill(0.0);
    velocity_.reset(*layout);
    velocity_.fill(0.0);
  }
  layout_ = std::move(layout);
  steps_since_rebuild_ = 0;
  bind_fields();
}

void Simulation::sort() {
  sort_particles(particles_, *layout_, parameters_.run.reproducible ? CellOrder::by_id : CellOrder::arrival,
                 sort_workspace_);
}

void Simulation::count_migration(const MigrationReport& report) {
  report_.moved_rank += report.moved_rank;
  report_.left_domain += report.left_domain;
  report_.particles = report.total;
  lost_ += report.lost;
  lost_here_.insert(lost_here_.end(), report.lost_here.begin(), report.lost_here.end());
}

void Simulation::bind_fields() {
  solids_.reset(*layout_, bodies_, time_);
  labels_.reset(*layout_, Label::solid);
  velocity_old_.reset(*layout_);
  weight_.reset(*layout_);
  if (boosts_by(VortexMethod::weights)) {
    vortex_velocity_.reset(*layout_);
    vortex_weight_.reset(*layout_);
  }
  report_.blocks = layout_->n_global();
}

}  // namespace freshet
