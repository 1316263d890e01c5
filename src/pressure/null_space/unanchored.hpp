// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/poisson.hpp"
#include "pressure/null_space/block_bits.hpp"
#include "pressure/operator/unknowns.hpp"

#include <vector>

namespace freshet::pressure {

/// The unknowns of this rank that no path of unknowns, inside the rank, joins to a fixed pressure.
///
/// On most steps there are none, so this test is the one that has to be cheap: a flood over bits, a block at a time.
class Unanchored {
 public:
  /// Parallel: local
  void find(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Blocks with such unknowns, ascending.
  const std::vector<LocalIndex>& blocks() const { return blocks_; }
  /// For each row of an active block, which cells are unanchored.
  const std::uint8_t* masks(LocalIndex block) const { return &masks_[row_index(block)]; }
  bool contains(LocalIndex block, int cell) const {
    return (masks(block)[cell / block_width] >> static_cast<unsigned>(cell % block_width) & 1U) != 0;
  }

 private:
  std::size_t row_index(LocalIndex block) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(rows_);
  }
  template <class Shape>
  void flood();
  template <class Shape>
  PassableFaces<Shape> passable_faces(LocalIndex block) const;
  template <class Shape>
  BlockBits<Shape> from_neighbours(LocalIndex block, const PassableFaces<Shape>& passable) const;
  template <class Shape, int axis>
  BlockBits<Shape> open_low_faces(LocalIndex block) const;
  void wake(LocalIndex block);

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  int rows_ = 0;
  TrackedVector<std::uint8_t, MemoryKind::pressure> masks_;  ///< reached cells during the flood, then the others
  std::vector<LocalIndex> queue_;
  std::vector<std::uint8_t> is_waiting_;
  std::vector<LocalIndex> blocks_;
};

}  // namespace freshet::pressure
