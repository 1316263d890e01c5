// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/linear/level_link.hpp"

#include <array>
#include <vector>

namespace freshet::viscous {

/// Fields of the next coarser level, octant by octant: a block of the finer level is an octant (in 2-D a quarter) of
/// its parent. \pre no periodic axis has an odd number of blocks
class CoarseLink {
 public:
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
    std::vector<Number> stand_ins(n_in_stand_ins_);
    parallel_for_blocks(n_blocks(),
                        [&](LocalIndex block) { write(block, octant_of(block, coarse.data(), stand_ins.data())); });
    link_.send_to_parents(stand_ins.data(), coarse.data());
  }
  /// Let read(block, octant) read the octant's values for each owned block of the finer level. Collective; OpenMP
  template <class Number, class Read>
  void spread(const CellField<Number>& coarse, Read&& read) const {
    std::vector<Number> stand_ins(n_in_stand_ins_);
    link_.receive_from_parents(coarse.data(), stand_ins.data());
    const Number* const from_stand_ins = stand_ins.data();
    parallel_for_blocks(n_blocks(),
                        [&](LocalIndex block) { read(block, octant_of(block, coarse.data(), from_stand_ins)); });
  }

 private:
  LocalIndex n_blocks() const { return static_cast<LocalIndex>(link_.parents().size()); }
  template <class Number>
  Number* octant_of(LocalIndex block, Number* coarse, Number* stand_ins) const {
    const ParentPlace& place = link_.parents()[static_cast<std::size_t>(block)];
    const bool is_here = place.slot < n_slots_;
    const LocalIndex parent = is_here ? place.slot : place.slot - n_slots_;
    return (is_here ? coarse : stand_ins) + std::ptrdiff_t{parent} * n_cells_ + octants_[place.octant].front();
  }

  LocalIndex n_slots_;                                  ///< slots of the coarser layout
  int n_cells_;                                         ///< cells in a block
  std::array<std::vector<std::int16_t>, 8> octants_{};  ///< cells of each octant of a block, ascending
  LevelLink link_;
  std::size_t n_in_stand_ins_;  ///< number of cells in the stand-ins of all parents
};

}  // namespace freshet::viscous
