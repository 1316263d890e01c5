// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/multigrid/level.hpp"

#include <cstddef>
#include <vector>

namespace freshet::pressure {

/// Solves a level that lies on one rank directly, by a Cholesky factorisation A = U^T D U within its envelope.
///
/// The unknowns are ordered by planes across the longest side of their bounding box, so that the rows of U end about
/// one plane after the diagonal. With n unknowns in planes of m, the factorisation takes about n m^2 / 2
/// multiplications and a solve 2 n m; the inverse would take n^3 / 2 and n^2. Memory is kept from call to call.
class CoarseSolve {
 public:
  /// Largest number of unknowns that is solved directly.
  static constexpr LocalIndex most_unknowns = 128;

  /// Number of this rank's unknowns of a level.
  static LocalIndex count(const MultigridLevel& level);
  /// Factorise the matrix, its diagonal raised by a millionth so that bodies without a fixed pressure are regular too.
  /// Parallel: local
  void reset(const MultigridLevel& level);
  /// x = A^-1 b. Parallel: local
  void solve(MultigridLevel& level);

 private:
  struct Unknown {
    const MultigridLevel::Block* block;
    std::array<int, 3> cell;  ///< index in the block
    Vec3i place;              ///< index in the level's lattice
  };
  template <class Shape>
  void find_unknowns(const MultigridLevel& level);
  template <class Shape>
  void find_envelope(const MultigridLevel& level);
  template <class Shape>
  void set_matrix(const MultigridLevel& level);
  void factorise();
  /// Entries of row k of U, from the diagonal to column end_[k] - 1.
  double* row(std::size_t k) { return entries_.data() + begin_[k]; }

  std::vector<Unknown> unknowns_;
  std::vector<std::size_t> index_;  ///< place of each unknown in the level's arrays
  std::vector<int> number_;         ///< unknown at each place of the level's arrays; -1: none
  std::vector<std::size_t> begin_;  ///< place of each row in entries_
  std::vector<std::size_t> end_;    ///< column after the last one of each row; does not decrease
  std::vector<double> entries_;     ///< entries of A, then of U, with D^-1 on the diagonal
  std::vector<double> x_;
};

}  // namespace freshet::pressure
