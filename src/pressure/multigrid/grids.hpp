// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/border_exchange.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/linear/level_link.hpp"
#include "pressure/multigrid/checkerboard.hpp"

#include <array>
#include <memory>
#include <vector>

namespace freshet::pressure {

/// One level's blocks: their ranks, the exchange of their ghosts, and the places of their aggregates.
///
/// Arrays of a level have n_slots() blocks of its layout, then the stand-ins of blocks that other ranks own and that
/// hold aggregates of this rank.
struct MultigridGrid {
  const BlockLayout* layout = nullptr;
  std::unique_ptr<const BlockLayout> own_layout;  ///< layout of a coarse level; null on the finest
  std::vector<BlockKey> wanted;                   ///< parents of this rank's finer blocks; empty on the finest level
  int n_ranks = 1;                                ///< only the first n_ranks ranks have blocks (finest: any)
  LocalIndex n_stand_ins = 0;
  std::array<std::unique_ptr<BorderExchange>, 2> rims;  ///< exchanges of ghost cells of each colour beside owned blocks
  std::unique_ptr<const LevelLink> link;                ///< link to the next coarser level; null on the coarsest one
  std::vector<LocalIndex> received_by_parents;          ///< LevelLink::received_cells() of the coarser level
  std::unique_ptr<ContiguousType> weights_of_cell;      ///< type of n_weights_in_transit() weights of a coarser cell

  LocalIndex n_array_blocks() const { return layout->n_slots() + n_stand_ins; }
  /// Place of an owned block in the next coarser level.
  const ParentPlace& parent(LocalIndex block) const { return link->parents()[static_cast<std::size_t>(block)]; }
  bool is_on_one_rank() const { return n_ranks == 1; }
  /// Number of weights in the equation of one cell in transit: of its faces, and inside it along each axis.
  int n_weights_in_transit() const { return 3 * layout->domain().dimension(); }
};

/// The levels below a layout, by 2:1 coarsening of cells in absolute coordinates until a few aggregates are left.
///
/// LevelLink says which blocks become one. A level with fewer than blocks_per_rank blocks for each rank moves to fewer
/// ranks. The levels depend on the layout, and on the liquid only through gather_from(). Only the splitters' memory
/// grows with the number of ranks.
class MultigridGrids {
 public:
  /// Make the levels of a layout other than the last call's. From the first level on whose blocks are as before, levels
  /// are kept. Parallel: collective
  void reset(const BlockLayout& finest);
  /// Put a level and the coarser ones on one rank until the layout changes. All levels are made anew.
  /// Parallel: collective
  void gather_from(int level);
  int n_levels() const { return static_cast<int>(grids_.size()); }
  const MultigridGrid& operator[](int level) const { return grids_[static_cast<std::size_t>(level)]; }

 private:
  void build(const BlockLayout& finest, std::vector<MultigridGrid> before);
  bool keep_coarser_levels(std::vector<MultigridGrid>& before, const std::vector<BlockKey>& wanted);
  void add_coarser_level(std::vector<BlockKey> wanted);

  std::uint64_t layout_id_ = 0;
  int first_on_one_rank_ = 0;  ///< argument of gather_from(); 0: none
  std::vector<MultigridGrid> grids_;
};

}  // namespace freshet::pressure
