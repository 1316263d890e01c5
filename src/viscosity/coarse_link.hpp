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

/// Where the blocks of a level lie in the next coarser level, and the exchange between the two.
///
/// A block of the finer level is an octant (in 2-D a quarter) of its parent: cells (2i, 2i+1) of an axis become one.
class CoarseLink {
 public:
  /// The domain of the coarser level. Its cells cover whole blocks.
  static Domain coarser_domain(const Domain& fine);
  /// Keys of a coarse level's blocks, of any owner, that may hold something because of this rank's blocks of the finest
  /// level: all blocks that begin within `reach` coarse cells of these. Which blocks exist then changes no level: a
  /// face in a block that does not exist has no unknown and holds nothing in a block that does. \param[in] factor width
  /// of a coarse cell in cells of the finest level
  static std::vector<BlockKey> blocks_in_reach(const BlockLayout& finest, const Domain& coarse, int factor);

  /// \param[in] coarse  has the parents of the fine blocks of all ranks, as those in reach do. Collective
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
  /// Let read(block, octant) read them. Collective; OpenMP
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
    std::size_t first = 0;  ///< of the octant's cells, in the field or in the array of blocks elsewhere
  };
  template <class Number>
  Number* place_of(LocalIndex block, Number* here, Number* elsewhere) const {
    const Place& place = places_[static_cast<std::size_t>(block)];
    return (place.is_here ? here : elsewhere) + place.first;
  }

  int cells_ = 0;                       ///< of a block
  std::vector<Place> places_;           ///< by owned block of the finer level
  LocalIndex n_elsewhere_ = 0;          ///< parents that other ranks own
  std::unique_ptr<StarForest> forest_;  ///< leaves: octants of parents that other ranks own; null on one rank
};

}  // namespace freshet::viscous
