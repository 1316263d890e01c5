// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pressure/multigrid/level.hpp"

#include <vector>

namespace freshet::pressure {

/// The direct solution of a level that one rank has, by the inverse matrix.
class CoarseSolve {
 public:
  /// Most unknowns that are solved directly.
  static constexpr LocalIndex most_unknowns = 128;

  /// Number of unknowns of a level here.
  static LocalIndex count(const MultigridLevel& level);
  /// Invert. Bodies that nothing ties to p = 0 are tied by a millionth of their diagonals. Parallel: local
  void reset(const MultigridLevel& level);
  /// x = A^-1 b. Parallel: local
  void solve(MultigridLevel& level);

 private:
  std::vector<std::size_t> cell_;  ///< of each unknown, in the level's arrays
  std::vector<float> inverse_;
  std::vector<float> b_;
};

}  // namespace freshet::pressure
