// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/rows.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet::pressure {

enum class Fill : std::uint8_t { empty, partial, full };

/// Kind of a block's equations: kernels do not read coefficients that the kind implies.
///
/// unit: every face between two unknowns weighs 1. interior: unit, full, and every diagonal is 2 x dimension.
enum class Coefficients : std::uint8_t { general, unit, interior };

/// Numbers the unknowns of one rank, by block, cells x fastest, and examines each block's coefficients.
///
/// Arrays of unknowns (the Vecs') have one entry an unknown; arrays of blocks have one a cell. A full block's unknowns
/// are its cells in the same order.
class Unknowns {
 public:
  /// Number the unknowns and examine every block's coefficients. Parallel: local; OpenMP
  void rebuild(const PoissonCoefficients& coefficients);
  /// Examine the coefficients of some blocks with unknowns again; the unknowns are the same. Parallel: local; OpenMP
  void examine(const PoissonCoefficients& coefficients, std::span<const LocalIndex> blocks);

  LocalIndex count() const { return first_.empty() ? 0 : first_.back(); }
  LocalIndex first(LocalIndex block) const { return first_[static_cast<std::size_t>(block)]; }
  /// first() of all owned blocks, and count().
  std::span<const LocalIndex> block_begins() const { return first_; }
  LocalIndex count(LocalIndex block) const { return first(block + 1) - first(block); }
  Fill fill(LocalIndex block) const { return fill_[static_cast<std::size_t>(block)]; }
  Coefficients coefficients(LocalIndex block) const { return coefficients_[static_cast<std::size_t>(block)]; }
  /// True if a ghost block is among the 26 neighbours: another rank then reads this block.
  bool is_shared(LocalIndex block) const { return shared_[static_cast<std::size_t>(block)] != 0; }
  /// Owned blocks with an unknown, ascending.
  const std::vector<LocalIndex>& active_blocks() const { return active_; }
  LocalIndex n_active() const { return static_cast<LocalIndex>(active_.size()); }
  /// For each row of a block, which cells have an unknown; bit i is cell i.
  const std::uint8_t* masks(LocalIndex block) const { return &masks_[row_index(block)]; }
  /// Likewise, the unknowns coupled to p = 0 (air or a boundary): diagonal larger than the weights to other unknowns.
  const std::uint8_t* anchored(LocalIndex block) const { return &anchored_[row_index(block)]; }
  const BlockLayout& layout() const { return *layout_; }

  /// One block's cells without the holes; `target` is where the block's unknowns start.
  void compress_block(LocalIndex block, const double* cells, double* target) const;
  /// The inverse; cells without an unknown get 0.
  void expand_block(LocalIndex block, const double* source, double* cells) const;
  /// All owned blocks. Parallel: local; OpenMP
  void compress(const CellField<double>& cells, double* unknowns) const;
  void expand(const double* unknowns, CellField<double>& cells) const;

 private:
  std::size_t row_index(LocalIndex block) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(rows_);
  }
  void set_masks(const PoissonCoefficients& coefficients);
  void number_blocks();
  template <class Shape>
  void examine_block(const PoissonCoefficients& coefficients, LocalIndex block);

  const BlockLayout* layout_ = nullptr;
  int rows_ = 0;
  std::vector<LocalIndex> first_;  ///< n_owned + 1
  std::vector<Fill> fill_;
  std::vector<Coefficients> coefficients_;
  std::vector<std::uint8_t> shared_;
  std::vector<LocalIndex> active_;
  TrackedVector<std::uint8_t, MemoryKind::pressure> masks_;
  TrackedVector<std::uint8_t, MemoryKind::pressure> anchored_;
};

/// Copy the selected cells of a row to `target`; returns where the next row's go.
inline double* compress_row(std::uint8_t mask, const double* row, double* target) {
  if (mask == full_row) {
    std::memcpy(target, row, sizeof(Row));
    return target + block_width;
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) *target++ = row[__builtin_ctz(rest)];
  return target;
}

/// The inverse: the row's cells, 0 where there is no unknown. Moves `source` to the next row's.
inline Row expand_row(std::uint8_t mask, const double*& source) {
  Row row{};
  if (mask == full_row) {
    row = load(source);
    source += block_width;
    return row;
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) row[__builtin_ctz(rest)] = *source++;
  return row;
}

}  // namespace freshet::pressure
