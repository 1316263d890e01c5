// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/star_rows.hpp"
#include "freshet/pressure/poisson.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet::pressure {

enum class Fill : std::uint8_t { empty, partial, full };

/// Kind of a block's equations; kernels do not read coefficients that the kind implies.
///
/// unit: every face between two unknowns has weight 1. interior: unit, full, and every diagonal is 2 x dimension.
enum class Coefficients : std::uint8_t { general, unit, interior };

/// Lists the unknowns of one rank and the kind of each block's coefficients.
///
/// Arrays of unknowns have one entry for each cell of every slot of the layout, as fields have: there is no numbering,
/// and neighbours are found as in fields. Entries without an unknown and those of the background are 0. Ghosts hold the
/// values gathered last.
class Unknowns {
 public:
  /// Find the unknowns and examine every block's coefficients. Parallel: local; OpenMP
  void rebuild(const PoissonCoefficients& coefficients);
  /// Examine the coefficients of some blocks again, with the same unknowns. Parallel: local; OpenMP
  void examine(const PoissonCoefficients& coefficients, std::span<const LocalIndex> blocks);

  LocalIndex count() const { return count_; }
  Fill fill(LocalIndex block) const { return fill_[static_cast<std::size_t>(block)]; }
  Coefficients coefficients(LocalIndex block) const { return coefficients_[static_cast<std::size_t>(block)]; }
  /// True if a ghost block is among the 26 neighbours: another rank then reads this block.
  bool is_shared(LocalIndex block) const { return shared_[static_cast<std::size_t>(block)] != 0; }
  /// Owned blocks with an unknown, ascending.
  const std::vector<LocalIndex>& active_blocks() const { return active_; }
  LocalIndex active_block(LocalIndex n) const { return active_[static_cast<std::size_t>(n)]; }
  LocalIndex n_active() const { return static_cast<LocalIndex>(active_.size()); }
  /// Whether there are enough active rows for threads to pay.
  bool is_worth_threads() const { return rows_are_worth_threads(n_active() * rows_); }
  /// Call f(block) for every active block, threads sharing them in a fixed way. \pre f throws nothing
  template <class Function>
  void for_each_active(Function&& f) const;
  /// Rows of a block that hold unknowns; bit r stands for row r.
  std::uint64_t active_rows(LocalIndex block) const { return active_rows_[static_cast<std::size_t>(block)]; }
  /// For each row of a block, the mask of cells with an unknown; bit i stands for cell i. Ghost blocks have masks as
  /// far as PoissonCoefficients::unknown is valid, and so has the background.
  const std::uint8_t* masks(LocalIndex block) const { return &masks_[row_index(block)]; }
  /// For each row, the mask of unknowns that are coupled to p = 0 (air or a boundary): diagonal > sum of weights.
  const std::uint8_t* anchored(LocalIndex block) const { return &anchored_[row_index(block)]; }
  const BlockLayout& layout() const { return *layout_; }
  int rows() const { return rows_; }  ///< number of rows in a block

  /// target = source where a cell has an unknown, 0 in the other cells of owned blocks. Both may be the same array.
  /// Parallel: local; OpenMP
  void copy(const double* source, double* target) const;
  /// copy() in the rows with unknowns only; other rows of `target` keep their values. Parallel: local; OpenMP
  void copy_active(const double* source, double* target) const;

 private:
  std::size_t row_index(LocalIndex block) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(rows_);
  }
  void set_masks(const PoissonCoefficients& coefficients);
  template <class Shape>
  void anchor_at_air(LocalIndex block);
  template <class Shape>
  void examine_block(const PoissonCoefficients& coefficients, LocalIndex block);

  const BlockLayout* layout_ = nullptr;
  int rows_ = 0;
  LocalIndex count_ = 0;
  std::vector<Fill> fill_;
  std::vector<Coefficients> coefficients_;
  std::vector<std::uint8_t> shared_;
  std::vector<std::uint64_t> active_rows_;
  std::vector<LocalIndex> active_;
  TrackedVector<std::uint8_t, MemoryKind::pressure> masks_;
  TrackedVector<std::uint8_t, MemoryKind::pressure> anchored_;
};

template <class Function>
void Unknowns::for_each_active(Function&& f) const {
  share_evenly(is_worth_threads(), n_active(), [this, &f](LocalIndex n) { f(active_[static_cast<std::size_t>(n)]); });
}

}  // namespace freshet::pressure
