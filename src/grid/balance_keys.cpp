// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/balance_options.hpp"
#include "freshet/keys/slots.hpp"

namespace freshet {

keys::Keys keys_of(BalanceOptions& balance) {
  using namespace keys;
  return changeable({
      {"enabled", flag(balance.enabled), "", "Move blocks between ranks when it pays."},
      {"threshold", number(balance.threshold, at_least(1.0)), "",
       "Blocks are moved when the largest cost of a rank exceeds the mean cost by this factor."},
      {"particle_cost", number(balance.particle_cost, {0.0, 1e9}), "", "Cost of a particle, in any unit of work."},
      {"cell_cost", number(balance.cell_cost, {0.0, 1e9}), "",
       "Cost of an allocated cell, in the unit of balance.particle_cost."},
  });
}

void check_balance(const BalanceOptions& balance, const keys::Table& table) {
  if (balance.particle_cost == 0.0 && balance.cell_cost == 0.0)
    table.refuse("balance.particle_cost", "'balance.particle_cost' and 'balance.cell_cost' are both 0",
                 "blocks without cost cannot be balanced between ranks", "Make one of them positive");
}

}  // namespace freshet
