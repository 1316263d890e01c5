// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/timers.hpp"
#include "freshet/grid/balance_options.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/grid/partition.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/particles/migration.hpp"
#include "freshet/particles/near_blocks.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/particles/sort.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// Decides which blocks exist and which rank owns each of them, and keeps the particles sorted by block and cell.
///
/// Blocks exist around the particles, as far as the air band reaches and a margin beyond, so that not every step needs
/// new ones. Blocks without particles stay until they are many and some steps have passed. Ownership moves when the
/// ranks' costs differ too much. A wider margin would make new blocks rarer, but all of them would go to the rank of
/// the front. Every rank gets a whole margin each time blocks are made, so blocks are made at most once in the number
/// of steps in which the fastest particle crosses the margin, whatever the number of ranks. Functions are collective
/// unless they say "local".
class ParticleGrid {
 public:
  struct Options {
    int band = 3;  ///< width of the air around particles whose cells must exist [cells]
    BalanceOptions balance;
    CellOrder order = CellOrder::arrival;
  };
  /// Moves fields to the next layout; called while the present layout still exists.
  using CarryFields = std::function<void(const BlockLayout& next)>;

  /// Lists blocks that must exist besides those near particles; all ranks together list all of them.
  /// \param[in] splitters  tell which blocks are this rank's
  using FurtherBlocks = std::function<std::vector<BlockKey>(const Splitters& splitters)>;
  /// Tells whether further blocks of this rank do not exist. Local
  using LacksFurther = std::function<bool(const BlockLayout& layout)>;

  ParticleGrid(const Communicator& comm, const Domain& domain, const Options& options, Timers& timers,
               CarryFields carry_fields, FurtherBlocks further_blocks = {}, LacksFurther lacks_further = {});

  const BlockLayout& layout() const { return *layout_; }
  int band() const { return options_.band; }  ///< width of the air around particles whose cells exist [cells]

  /// Make the blocks around the particles, owned as the splitters say, and sort particles. \pre their home() is valid
  void build(const Splitters& splitters, ParticleStore& particles);
  /// Take the blocks of a checkpoint. Particles stay as they are: carry fields over, then call sort_restored().
  void restore(const Splitters& splitters, const std::vector<BlockKey>& keys, std::int64_t steps_since_build,
               double uneven);
  /// Sort restored particles; make new blocks if the restored ones do not cover the band, which may have grown.
  void sort_restored(ParticleStore& particles);

  /// After motion: send particles to the ranks that own their blocks, make the blocks that they lack, and sort them.
  /// \param[in,out] pending  numbers that are summed over the ranks in the same reduction as the migration's
  MigrationReport redistribute(ParticleStore& particles, Reduction& pending);
  /// After edits: make the blocks that particles lack, and sort the particles. \pre home() of the particles is valid
  void update(ParticleStore& particles);
  /// Sort the particles after edits that left every one in a block of this rank.
  void sort(ParticleStore& particles);

  /// Marks of the owned blocks: 1 if particles lie in the block or within band() cells of it, else 0. The marked blocks
  /// are the same on any number of ranks; the blocks that exist may differ. They are found once for each sorted state
  /// that redistribute(), update() or other new blocks give. \pre the sorted state
  std::span<const std::uint8_t> near_particles(const ParticleStore& particles);

  /// The computing cost of this rank, which is to be reduced over the ranks. Local
  RankCosts costs(const ParticleStore& particles) const;
  /// True if rebalance() should be tried in this step; the same on all ranks. After a rebalance() that found
  /// nothing better, the next waits for a larger imbalance or 32 steps. \param[in] imbalance  largest cost of a
  /// rank / mean. Local
  bool rebalance_is_due(double imbalance, std::int64_t step) const;
  /// Give every rank a range of blocks of about equal cost, unless whole blocks allow no better balance than the
  /// present one. Phase "balance" times all of it, new fields included. \param[in,out] imbalance  that of the new
  /// ranges, if blocks move
  MigrationReport rebalance(ParticleStore& particles, double& imbalance);

  std::int64_t steps_since_build() const { return steps_since_build_; }
  double uneven() const { return uneven_; }  ///< imbalance at which rebalance() last found nothing better; 0: none

 private:
  void make_blocks(const Splitters& splitters, ParticleStore& particles);
  void build_or_sort(bool lacks_blocks, ParticleStore& particles);
  std::vector<BlockKey> wanted_blocks(const Splitters& splitters, const ParticleStore& particles) const;
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
  FurtherBlocks further_blocks_;
  LacksFurther lacks_further_;
  std::unique_ptr<BlockLayout> layout_;
  SortWorkspace sort_workspace_;
  NearBlocks near_blocks_;
  bool has_near_blocks_ = false;  ///< whether near_blocks_ belongs to the present particles; same on all ranks
  std::int64_t steps_since_build_ = 0;
  double uneven_ = 0.0;
};

}  // namespace freshet
