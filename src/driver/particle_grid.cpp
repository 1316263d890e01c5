// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/particle_grid.hpp"

#include "freshet/core/work_counts.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/particles/edit.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace freshet {
namespace {

constexpr int margin = 2;                 ///< width of the cells that are made beyond the band [cells]
constexpr int steps_between_builds = 32;  ///< blocks without particles are looked for after so many steps
constexpr double many_dry = 0.05;         ///< blocks without particles are removed if they exceed this share
constexpr int steps_between_balances = 8;
constexpr int steps_between_vain_balances = 32;  ///< if the last one found nothing better
// A front that runs over a dry floor adds blocks to one rank alone: far excesses do not wait.
constexpr double far_off = 2.0;      ///< excess over the threshold's at which every second step balances
constexpr double very_far = 3.0;     ///< excess over the threshold's at which every step balances
constexpr double least_gain = 0.02;  ///< least decrease of the imbalance for which blocks move

}  // namespace

ParticleGrid::ParticleGrid(const Communicator& comm, const Domain& domain, const Options& options, Timers& timers,
                           CarryFields carry_fields, FurtherBlocks further_blocks, LacksFurther lacks_further)
    : comm_(comm),
      domain_(domain),
      options_(options),
      timers_(timers),
      carry_fields_(std::move(carry_fields)),
      further_blocks_(std::move(further_blocks)),
      lacks_further_(std::move(lacks_further)) {}

double ParticleGrid::cost_of(double n_particles, double n_cells) const {
  return options_.balance.particle_cost * n_particles + options_.balance.cell_cost * n_cells;
}

void ParticleGrid::replace(std::unique_ptr<BlockLayout> layout) {
  carry_fields_(*layout);
  layout_ = std::move(layout);
  has_near_blocks_ = false;
  steps_since_build_ = 0;
  count_work(Work::rebuilds);
}

void ParticleGrid::build(const Splitters& splitters, ParticleStore& particles) {
  const auto region = timers_.region("grid");
  make_blocks(splitters, particles);
}

void ParticleGrid::make_blocks(const Splitters& splitters, ParticleStore& particles) {
  replace(std::make_unique<BlockLayout>(comm_, domain_, splitters, wanted_blocks(splitters, particles)));
  sort_particles(particles, *layout_, options_.order, sort_workspace_);
}

std::vector<BlockKey> ParticleGrid::wanted_blocks(const Splitters& splitters, const ParticleStore& particles) const {
  std::vector<BlockKey> keys = blocks_near_particles(particles, domain_, std::min(options_.band + margin, block_width));
  if (further_blocks_) {
    const std::vector<BlockKey> further = further_blocks_(splitters);
    keys.insert(keys.end(), further.begin(), further.end());
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  for (int ring = 0; ring < options_.balance.spare_rings; ++ring) add_ring(domain_, keys);
  return keys;
}

/// True if the next blocks lack many blocks of the layout. Collective
bool ParticleGrid::is_worth_removing(const OwnedBlocks& next) const {
  const std::span<const BlockKey> now = layout_->owned_keys();
  GlobalIndex n_dry = 0;
  for (const BlockKey key : now)
    if (!std::binary_search(next.keys.begin(), next.keys.end(), key)) ++n_dry;
  return static_cast<double>(comm_.sum(n_dry)) > many_dry * static_cast<double>(layout_->n_global());
}

void ParticleGrid::restore(const Splitters& splitters, const std::vector<BlockKey>& keys,
                           std::int64_t steps_since_build, double uneven) {
  replace(std::make_unique<BlockLayout>(comm_, domain_, splitters, keys));
  steps_since_build_ = steps_since_build;
  uneven_ = uneven;
}

void ParticleGrid::sort_restored(ParticleStore& particles) {
  if (comm_.any(lacks_blocks(particles))) {
    build(layout_->splitters(), particles);
  } else {
    sort(particles);
  }
}

bool ParticleGrid::lacks_blocks(const ParticleStore& particles) const {
  return freshet::lacks_blocks(particles, *layout_, options_.band) || (lacks_further_ && lacks_further_(*layout_));
}

MigrationReport ParticleGrid::redistribute(ParticleStore& particles, Reduction& pending) {
  MigrationReport report;
  bool lacks = false;
  {
    const auto region = timers_.region("migrate");
    report = migrate_here(particles, *layout_, layout_->splitters());
    lacks = lacks_blocks(particles);
    report.add_to(pending);
    pending.any(lacks);
    pending.reduce(comm_);
  }
  ++steps_since_build_;
  build_or_sort(lacks, particles);
  return report;
}

void ParticleGrid::update(ParticleStore& particles) {
  build_or_sort(comm_.any(lacks_blocks(particles)), particles);
}

void ParticleGrid::build_or_sort(bool lacks_blocks, ParticleStore& particles) {
  has_near_blocks_ = false;
  if (!lacks_blocks && steps_since_build_ < steps_between_builds) return sort(particles);
  {
    const auto region = timers_.region("grid");
    const Splitters splitters = layout_->splitters();
    const OwnedBlocks next = owned_blocks(comm_, splitters, wanted_blocks(splitters, particles));
    steps_since_build_ = 0;
    particles.trim();
    if (lacks_blocks || is_worth_removing(next))
      replace(std::make_unique<BlockLayout>(comm_, domain_, splitters, next));
  }
  sort(particles);
}

void ParticleGrid::sort(ParticleStore& particles) {
  const auto region = timers_.region("sort");
  sort_particles(particles, *layout_, options_.order, sort_workspace_);
}

std::span<const std::uint8_t> ParticleGrid::near_particles(const ParticleStore& particles) {
  if (!has_near_blocks_) near_blocks_.find(particles, *layout_, options_.band);
  has_near_blocks_ = true;
  return near_blocks_.marks();
}

RankCosts ParticleGrid::costs(const ParticleStore& particles) const {
  const double cells = static_cast<double>(layout_->n_owned()) * layout_->cells_per_block();
  return RankCosts(cost_of(static_cast<double>(particles.size()), cells));
}

bool ParticleGrid::rebalance_is_due(double imbalance, std::int64_t step) const {
  if (options_.balance.moves_often) return true;
  const double excess = imbalance - 1.0;
  const double accepted = options_.balance.threshold - 1.0;
  const int interval = imbalance < uneven_ + least_gain ? steps_between_vain_balances
                       : excess > very_far * accepted   ? 1
                       : excess > far_off * accepted    ? 2
                                                        : steps_between_balances;
  return options_.balance.enabled && comm_.size() > 1 && excess > accepted && step % interval == 0;
}

/// The costs of blocks of this rank; blocks that do not exist yet count as empty. \pre the particles are sorted
std::vector<double> ParticleGrid::costs_of(std::span<const BlockKey> keys, const ParticleStore& particles) const {
  std::vector<double> costs;
  costs.reserve(keys.size());
  for (const BlockKey key : keys) {
    const LocalIndex b = layout_->find_owned(key);
    const bool exists = b != layout_->background();
    const ParticleIndex count = exists ? particles.block_begin()[b + 1] - particles.block_begin()[b] : 0;
    costs.push_back(cost_of(static_cast<double>(count), layout_->cells_per_block()));
  }
  return costs;
}

MigrationReport ParticleGrid::rebalance(ParticleStore& particles, double& imbalance) {
  const auto region = timers_.region("balance");
  // `now` is the imbalance of the present blocks, `then` that of the blocks that would be made
  const double now =
      imbalance_of(comm_, layout_->owned_keys(), costs_of(layout_->owned_keys(), particles), layout_->splitters());
  open_for_edits(particles, *layout_);  // wanted_blocks() reads home()
  const std::vector<BlockKey> keys =
      owned_blocks(comm_, layout_->splitters(), wanted_blocks(layout_->splitters(), particles)).keys;
  particles.home().clear();  // the particles are still sorted
  std::vector<double> costs = costs_of(keys, particles);
  if (options_.balance.moves_often) {
    std::mt19937_64 random(layout_->id());
    for (double& cost : costs) cost = static_cast<double>(random());
  }
  const Splitters splitters = balanced_splitters(comm_, keys, costs);
  const double then = imbalance_of(comm_, keys, costs, splitters);
  MigrationReport report;
  // The sums may be rounded differently on each rank: rank 0 decides.
  const bool pays = options_.balance.moves_often || then < now - least_gain;
  if (!comm_.any(comm_.is_root() && pays)) {
    report.total = comm_.sum(GlobalIndex{particles.size()});
    uneven_ = imbalance;
    return report;
  }
  uneven_ = 0.0;
  report = migrate(particles, *layout_, splitters);
  particles.trim();
  make_blocks(splitters, particles);
  imbalance = then;
  return report;
}

}  // namespace freshet
