// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/timers.hpp"
#include "freshet/grid/balance_options.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/sort.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// Which blocks exist, which rank owns them, and the particles' order in them.
///
/// Blocks exist around the particles, as far as the air band reaches and a margin beyond, so that not every step needs
/// new ones. Blocks that have dried up stay until they are many, and some steps have passed. Ownership moves when the
/// ranks' costs differ too much. A wider margin would make new blocks rarer, but all of them would go to the front's
/// rank. As every rank gets its margin anew each time, there are new blocks at most once in the steps in which the
/// fastest particle crosses the margin, two at CFL 1, whatever the number of ranks; a dam makes them in one step of
/// ten. If each step makes them, a step of the 64^3 dam takes 11 to 15 % longer. Functions are collective unless they
/// say "local".
class ParticleGrid {
 public:
  struct Options {
    int band = 3;  ///< air cells around particles that must exist
    BalanceOptions balance;
    CellOrder order = CellOrder::arrival;
  };
  /// Called with the next layout while the one before still lives: fields move over to it.
  using CarryFields = std::function<void(const BlockLayout& next)>;

  ParticleGrid(const Communicator& comm, const Domain& domain, const Options& options, Timers& timers,
               CarryFields carry_fields);

  const BlockLayout& layout() const { return *layout_; }
  int band() const { return options_.band; }  ///< air cells around particles that exist

  /// Make the blocks around the particles, owned as the splitters say, and sort. \pre home() of the particles is valid
  void build(const Splitters& splitters, ParticleStore& particles);
  /// Take the blocks of a checkpoint. Particles stay as they are: carry restored fields over, then call
  /// sort_restored().
  void restore(const Splitters& splitters, const std::vector<BlockKey>& keys, std::int64_t steps_since_build,
               double uneven);
  /// Sort restored particles; build new blocks if the restored ones do not hold them (the band may have grown).
  void sort_restored(ParticleStore& particles);

  /// After motion: particles to the ranks that own them, blocks that hold them, and the sorted state.
  /// \param[in,out] pending  numbers that are reduced with those of the migration, in one reduction
  MigrationReport redistribute(ParticleStore& particles, Reduction& pending);
  /// After edits: blocks that hold the particles, and the sorted state. \pre home() of the particles is valid
  void update(ParticleStore& particles);
  /// The sorted state, after edits that left every particle in its block.
  void sort(ParticleStore& particles);

  /// Of each owned block 1 if it holds particles, or some are within band() cells of it, else 0: the same blocks on any
  /// number of ranks, while blocks that exist may differ. \pre the sorted state
  std::vector<std::uint8_t> near_particles(ParticleStore& particles) const;

  /// The cost of this rank, to be reduced. Local
  RankCosts costs(const ParticleStore& particles) const;
  /// True if ownership should move in this step; the same on all ranks. Where rebalance() has found nothing better,
  /// it is tried again when the imbalance has grown, or after 32 steps. \param[in] imbalance  of the costs. Local
  bool rebalance_is_due(double imbalance, std::int64_t step) const;
  /// Give every rank a stretch of blocks of equal cost, if that evens the costs: whole blocks may not allow it. All
  /// that it costs, new fields included, is timed as phase "balance". \param[in,out] imbalance  that of the new
  /// stretches if there are some
  MigrationReport rebalance(ParticleStore& particles, double& imbalance);

  std::int64_t steps_since_build() const { return steps_since_build_; }
  double uneven() const { return uneven_; }  ///< imbalance for which rebalance() found nothing better; 0: none

 private:
  void make_blocks(const Splitters& splitters, ParticleStore& particles);
  void build_or_sort(bool lacks_blocks, ParticleStore& particles);
  std::vector<BlockKey> wanted_blocks(const ParticleStore& particles) const;
  void add_ring(std::vector<BlockKey>& keys) const;
  bool is_worth_removing(const OwnedBlocks& next) const;
  bool lacks_blocks(const ParticleStore& particles) const;
  double cost_of(double n_particles, double n_cells) const;
  std::vector<double> costs_of(std::span<const BlockKey> keys, const ParticleStore& particles) const;
  void replace(std::unique_ptr<BlockLayout> layout);

  const Communicator& comm_;
  Domain domain_;
  Options options_;
  Timers& timers_;
  CarryFields carry_fields_;
  std::unique_ptr<BlockLayout> layout_;
  SortWorkspace sort_workspace_;
  std::int64_t steps_since_build_ = 0;
  double uneven_ = 0.0;
};

}  // namespace freshet
