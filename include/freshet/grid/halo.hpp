// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"

#include <map>
#include <memory>

namespace freshet {

/// Refreshes ghost blocks from their owners, with one star forest for each rim width.
///
/// A rim of width w consists of all ghost cells within w cells (in the maximum norm) of an owned block. Other cells of
/// ghost blocks do not change. A rim of width 8 consists of whole ghost blocks.
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
