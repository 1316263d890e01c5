// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/field.hpp"

#include <vector>

namespace freshet {

/// New values of some faces of each owned block, which are found while threads still read the old ones, and written
/// when all have been found; keeps its buffers.
class FaceUpdates {
 public:
  struct Update {
    int axis;
    int face;  ///< index in the block
    double value;
  };

  /// Make room for a list a block. Their contents are undefined until begin() is called for each.
  void reset(LocalIndex n_owned) {
    n_owned_ = n_owned;
    if (of_block_.size() < static_cast<std::size_t>(n_owned)) of_block_.resize(static_cast<std::size_t>(n_owned));
  }
  /// Empty the list of a block. \return the list, for new values. Threads may call this for different blocks at once
  std::vector<Update>& begin(LocalIndex block) {
    std::vector<Update>& updates = of_block_[static_cast<std::size_t>(block)];
    updates.clear();
    return updates;
  }
  /// Write the values of all lists. \param[in,out] velocity  the faces in the lists change, no others
  /// \pre  begin() was called for each block since reset(). Parallel: local; OpenMP over blocks
  void write(FaceField<double>& velocity) const {
    parallel_for_blocks(n_owned_, [&](LocalIndex b) {
      for (const Update& update : of_block_[static_cast<std::size_t>(b)])
        velocity[update.axis].block(b)[update.face] = update.value;
    });
  }

 private:
  LocalIndex n_owned_ = 0;
  std::vector<std::vector<Update>> of_block_;
};

}  // namespace freshet
