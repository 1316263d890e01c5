// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// When blocks are dealt to the ranks anew, and what they cost.
struct BalanceOptions {
  bool enabled = true;
  double threshold = 1.15;     ///< max / mean cost that starts a rebalance
  double particle_cost = 1.0;  ///< cost of a particle
  double cell_cost = 2.0;      ///< cost of an allocated cell
};

}  // namespace freshet
