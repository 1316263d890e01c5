// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

/// When blocks are distributed over the ranks anew, and what a block costs.
struct BalanceOptions {
  bool enabled = true;
  double threshold = 1.05;     ///< blocks are distributed anew above this ratio of largest to mean cost of a rank
  double particle_cost = 1.0;  ///< cost of a particle
  double cell_cost = 2.0;      ///< cost of an allocated cell

  // Tests set these members, for which there is no key: no result may depend on blocks without liquid, nor on owners.
  int spare_rings = 0;       ///< number of rings of blocks that exist around the needed ones
  bool moves_often = false;  ///< whether every step ends with new blocks, spread over the ranks at random
};

keys::Keys keys_of(BalanceOptions& balance);
/// Check that blocks have a cost. Errors: InputError
void check_balance(const BalanceOptions& balance, const keys::Table& table);

}  // namespace freshet
