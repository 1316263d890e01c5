// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"
#include "rim.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// Rim rows of owned and ghost blocks. Owners write their rows; ghosts receive the rows that lie in blocks of this
/// rank.
class RimPool {
 public:
  /// Allocate rims for a layout, with undefined values; for a new layout, set up the exchange.
  /// Collective.
  template <class Shape>
  void bind(const BlockLayout& layout);

  /// Rows of component d of a block, owned or ghost.
  template <class Shape>
  double* rows(LocalIndex block, int d) {
    const std::size_t first = static_cast<std::size_t>(block) * rim_rows_per_block<Shape> + d * RimRows<Shape>::n_rows;
    return rows_.data() + first * rim_row_size;
  }
  /// Whether a block has particles; else its rows are undefined. Set for owned blocks, received for ghosts.
  std::uint8_t& occupied(LocalIndex block) { return occupied_[static_cast<std::size_t>(block)]; }

  /// Receive the rows of ghosts and their occupied flags. Collective.
  void gather();

 private:
  template <class Shape>
  std::unique_ptr<StarForest> make_row_forest(const BlockLayout& layout) const;

  ContiguousType row_type_{MPI_DOUBLE, rim_row_size};
  std::uint64_t layout_id_ = 0;
  TrackedVector<double, MemoryKind::scratch> rows_;
  std::vector<std::uint8_t> occupied_;
  std::unique_ptr<StarForest> row_forest_;    ///< element: one row
  std::unique_ptr<StarForest> block_forest_;  ///< element: one block
};

}  // namespace freshet
