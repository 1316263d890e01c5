// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// When blocks are distributed over the ranks again, and their costs.
struct BalanceOptions {
  bool enabled = true;
  double threshold = 1.05;     ///< largest / mean cost of a rank above which blocks are distributed again
  double particle_cost = 1.0;  ///< cost of a particle
  double cell_cost = 2.0;      ///< cost of an allocated cell

  // For tests, which set them in place of a key: no result may depend on blocks without liquid, nor on owners.
  int spare_rings = 0;       ///< so many rings of blocks around the needed ones exist, too
  bool moves_often = false;  ///< every step ends with new blocks, spread over the ranks at random
};

}  // namespace freshet
