// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/parallel/star_forest.hpp"
#include "rim.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace freshet {

/// Rim rows of owned and ghost blocks, as particle reals. Owners write their rows; ghosts receive the rows that lie in
/// blocks of this rank.
class RimPool {
 public:
  explicit RimPool(std::shared_ptr<ScratchMemory> memory) : memory_(or_own(std::move(memory))) {}
  /// Take memory for the rims of a layout, with undefined values; for a new layout, set up the exchange.
  /// Collective.
  template <class Shape>
  void bind(const BlockLayout& layout);

  /// Rows of component d of a block, owned or ghost.
  template <class Shape>
  ParticleReal* rows(LocalIndex block, int d) {
    const std::size_t first = static_cast<std::size_t>(block) * rim_rows_per_block<Shape> + d * RimRows<Shape>::n_rows;
    return rows_ + first * rim_row_size;
  }
  /// The rows of component d of a block that are defined, as bits; others count as zero. Zero after bind(); to be set
  /// for owned blocks, received for ghosts.
  std::uint64_t& defined(LocalIndex block, int d) {
    return defined_[static_cast<std::size_t>(block)][static_cast<std::size_t>(d)];
  }

  /// Receive the rows of ghosts and which of them are defined. Collective.
  void gather();

 private:
  template <class Shape>
  std::unique_ptr<StarForest> make_row_forest(const BlockLayout& layout) const;

  using Defined = std::array<std::uint64_t, 3>;  ///< by component
  static_assert(RimRows<BlockShape<3>>::n_rows <= 64);

  ContiguousType row_type_{mpi_type<ParticleReal>(), rim_row_size};
  ContiguousType defined_type_{MPI_UINT64_T, 3};
  std::uint64_t layout_id_ = 0;
  std::shared_ptr<ScratchMemory> memory_;
  ParticleReal* rows_ = nullptr;
  std::vector<Defined> defined_;
  std::unique_ptr<StarForest> row_forest_;    ///< element: one row
  std::unique_ptr<StarForest> block_forest_;  ///< element: one block
};

}  // namespace freshet
