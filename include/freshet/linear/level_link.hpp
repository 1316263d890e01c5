// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace freshet {

/// The domain of a multigrid level whose cells are twice as wide. Its cells cover whole blocks.
Domain coarser_domain(const Domain& fine);

/// Place of a block's cells in the next coarser level.
struct ParentPlace {
  LocalIndex slot = 0;      ///< parent among the owned blocks, or n_slots() + number of a stand-in
  std::uint8_t octant = 0;  ///< bit d: the cells lie in the upper half of the parent along axis d
  std::uint8_t kept = 0;    ///< bit d: the block is not coarsened along axis d
};

/// The parents of a multigrid level's blocks in the next coarser level, and the exchange between the two levels.
///
/// The parent of the block with key k has key k >> 3. Cells (2i, 2i+1) of an axis become one, and so do 2-D blocks
/// along x and y. On a periodic axis with an odd number of blocks the last one has no partner and keeps its cells along
/// that axis, so that the coarser lattice remains periodic. A parent that another rank owns has a stand-in here: an
/// array of stand-ins holds their cells, one block after the other.
class LevelLink {
 public:
  /// The parent's cells that a block with this place covers, each once.
  using CellsOf = std::function<std::span<const std::int16_t>(const ParentPlace&)>;

  /// \param[in] coarse  contains the parents of all ranks' fine blocks. Parallel: collective
  LevelLink(const BlockLayout& fine, const BlockLayout& coarse, const CellsOf& cells_of);

  /// Places of the finer level's owned blocks.
  const std::vector<ParentPlace>& parents() const { return parents_; }
  LocalIndex n_stand_ins() const { return n_stand_ins_; }
  /// Cells of the stand-ins that the finer blocks cover, as indices in an array of stand-ins; empty on one rank.
  const std::vector<LocalIndex>& sent_cells() const { return sent_cells_; }
  /// Cells of the coarser level's owned blocks that other ranks cover, ascending. Collective
  std::vector<LocalIndex> received_cells() const;

  /// Copy the covered cells of stand-ins to the coarser level. Nothing happens on one rank. Collective
  template <class T>
  void send_to_parents(const T* stand_ins, T* coarse) const {
    send_to_parents(mpi_type<T>(), stand_ins, coarse);
  }
  void send_to_parents(MPI_Datatype type, const void* stand_ins, void* coarse) const {
    if (forest_) forest_->replace_roots(type, stand_ins, coarse);
  }
  /// Copy the covered cells of the coarser level to the stand-ins. Nothing happens on one rank. Collective
  template <class T>
  void receive_from_parents(const T* coarse, T* stand_ins) const {
    if (forest_) forest_->broadcast(coarse, stand_ins);
  }

 private:
  std::vector<ParentPlace> parents_;
  LocalIndex n_stand_ins_ = 0;
  std::vector<LocalIndex> sent_cells_;
  std::unique_ptr<StarForest> forest_;  ///< leaves: cells of stand-ins, roots: cells of parents; null on one rank
};

}  // namespace freshet
