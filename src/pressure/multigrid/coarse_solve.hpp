// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/multigrid/level.hpp"

#include <vector>

namespace freshet::pressure {

/// Solves a level that stands on one rank directly, by its inverse matrix.
class CoarseSolve {
 public:
  /// Largest number of unknowns that is solved directly.
  static constexpr LocalIndex most_unknowns = 128;

  /// Number of unknowns of a level here.
  static LocalIndex count(const MultigridLevel& level);
  /// Invert the matrix, its diagonal raised by a millionth so that bodies without a fixed pressure are regular too.
  /// Parallel: local
  void reset(const MultigridLevel& level);
  /// x = A^-1 b. Parallel: local
  void solve(MultigridLevel& level);

 private:
  std::vector<std::size_t> cell_;  ///< of each unknown, in the level's arrays
  std::vector<float> inverse_;
  std::vector<float> b_;
};

}  // namespace freshet::pressure
