// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/kernels/block_bits.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/operator/unknowns.hpp"

#include <array>
#include <vector>

namespace freshet::pressure {

/// Some cells of one block.
struct BlockCells {
  LocalIndex block;
  std::array<std::uint64_t, 8> bits;  ///< cells as in BlockBits; a 2-D block uses the first word
  bool contains(int cell) const { return (bits[static_cast<std::size_t>(cell) / 64] >> (cell % 64) & 1U) != 0; }
};

/// Marks the unknowns of this rank that are connected with given ones, by a flood fill over bits, a block at a time.
///
/// Two unknowns are connected if the face between them has a weight. The flood fill stays within the rank.
class Flood {
 public:
  /// Mark the anchored unknowns (Unknowns::anchored) and all unknowns that are connected with them. Parallel: local
  void reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Owned blocks with an unknown that reset() did not mark, ascending.
  const std::vector<LocalIndex>& unmarked_blocks() const { return unmarked_blocks_; }
  /// The lowest unmarked unknown of a block; -1 if there is none.
  int first_unmarked(LocalIndex block) const;
  /// Mark an unmarked unknown and all that are connected with it. Returns the marked cells, each block once.
  const std::vector<BlockCells>& mark_from(LocalIndex block, int cell);

 private:
  std::size_t word_index(LocalIndex block) const {
    return static_cast<std::size_t>(block) * static_cast<std::size_t>(n_words_);
  }
  std::uint64_t unmarked(LocalIndex block, int word) const;
  template <class Shape>
  void spread(LocalIndex seed_block, int seed_cell);
  template <class Shape>
  BlockBits<Shape> arriving(LocalIndex block, const OpenFaces<Shape>& open) const;
  template <class Shape, int axis>
  BlockBits<Shape> open_low_faces(LocalIndex block) const;
  void wake(LocalIndex block);

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  int n_words_ = 1;                                           ///< words of bits in a block
  TrackedVector<std::uint64_t, MemoryKind::pressure> marks_;  ///< marked cells of owned blocks with unknowns
  std::vector<std::uint64_t> handed_out_;  ///< marks that mark_from() has returned or reset() has set
  std::vector<LocalIndex> queue_;
  std::vector<std::uint8_t> is_waiting_;  ///< by owned block: whether the rest of the queue holds it
  std::vector<LocalIndex> unmarked_blocks_;
  std::vector<LocalIndex> changed_;  ///< blocks with new marks since the last seed; may repeat
  std::vector<BlockCells> marked_;
};

}  // namespace freshet::pressure
