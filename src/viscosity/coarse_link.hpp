// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/parallel/star_forest.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace freshet::viscous {

/// The places of a level's blocks in the next coarser level, and the exchange between the two levels.
///
/// A block of the finer level is an octant (in 2-D a quarter) of its parent: cells (2i, 2i+1) of an axis become one.
class CoarseLink {
 public:
  /// The domain of the coarser level. Its cells cover whole blocks.
  static Domain coarser_domain(const Domain& fine);
  /// Keys of a coarse level's blocks, of any owner, that this rank's blocks of the finest level may affect: all blocks
  /// that begin within `reach` coarse cells of them. Levels do not depend on the set of existing blocks then: a face in
  /// a missing block has no unknown and affects no existing block. \param[in] factor  width of a coarse cell in cells
  /// of the finest level
  static std::vector<BlockKey> blocks_in_reach(const BlockLayout& finest, const Domain& coarse, int factor);

  /// \param[in] coarse  contains the parents of all ranks' fine blocks, as blocks_in_reach() does. Collective
  CoarseLink(const BlockLayout& fine, const BlockLayout& coarse);

  /// Let write(block, octant) set the octant's values for each owned block of the finer level; `octant` is the place of
  /// the octant's first cell in an array with the strides of a block. Collective; OpenMP
  template <class Number, class Write>
  void collect(CellField<Number>& coarse, Write&& write) const {
    std::vector<Number> elsewhere(static_cast<std::size_t>(n_elsewhere_) * static_cast<std::size_t>(cells_));
    parallel_for_blocks(static_cast<LocalIndex>(places_.size()),
                        [&](LocalIndex block) { write(block, place_of(block, coarse.data(), elsewhere.data())); });
    if (forest_) forest_->replace_roots(elsewhere.data(), coarse.data());
  }
  /// Let read(block, octant) read the octant's values for each owned block of the finer level. Collective; OpenMP
  template <class Number, class Read>
  void spread(const CellField<Number>& coarse, Read&& read) const {
    std::vector<Number> elsewhere(static_cast<std::size_t>(n_elsewhere_) * static_cast<std::size_t>(cells_));
    if (forest_) forest_->broadcast(coarse.data(), elsewhere.data());
    const Number* const from_elsewhere = elsewhere.data();
    parallel_for_blocks(static_cast<LocalIndex>(places_.size()),
                        [&](LocalIndex block) { read(block, place_of(block, coarse.data(), from_elsewhere)); });
  }

 private:
  struct Place {
    bool is_here = true;
    std::size_t first = 0;  ///< index of the octant's first cell, in the field or in the array of blocks elsewhere
  };
  template <class Number>
  Number* place_of(LocalIndex block, Number* here, Number* elsewhere) const {
    const Place& place = places_[static_cast<std::size_t>(block)];
    return (place.is_here ? here : elsewhere) + place.first;
  }

  int cells_ = 0;                       ///< cells in a block
  std::vector<Place> places_;           ///< octant of each owned block of the finer level
  LocalIndex n_elsewhere_ = 0;          ///< number of parents that other ranks own
  std::unique_ptr<StarForest> forest_;  ///< leaves: octants of parents that other ranks own; null on one rank
};

}  // namespace freshet::viscous
