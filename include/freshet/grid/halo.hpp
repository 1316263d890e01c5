// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"

#include <map>
#include <memory>

namespace freshet {

/// Exchange between ghost blocks and their owners, one star forest a rim width.
///
/// A rim of width w is every ghost cell within w cells (in the maximum norm) of an owned block; cells of ghost blocks
/// outside the rim keep what they held. Width 8 is whole ghost blocks.
/// Parallel: every call is collective over the layout's communicator, also for ranks without blocks.
class Halo {
 public:
  explicit Halo(const BlockLayout& layout) : layout_(layout) {}

  /// Refresh ghosts from their owners. \pre 1 <= width <= 8
  template <class T>
  void gather(CellField<T>& field, int width) const {
    forest(width).broadcast(field.data(), field.data());
  }
  template <class T>
  void gather(FaceField<T>& field, int width) const {
    for (int d = 0; d < field.dimension(); ++d) gather(field[d], width);
  }

 private:
  const StarForest& forest(int width) const;  ///< built at first use; collective

  const BlockLayout& layout_;
  mutable std::map<int, std::unique_ptr<StarForest>> forests_;
};

}  // namespace freshet
