// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/transfer/transfer_options.hpp"

namespace freshet {

keys::Keys keys_of(TransferOptions& transfer) {
  using namespace keys;
  return {
      {"method", choice(transfer.method, {"flip", "apic"}), "",
       "Transfer of velocities between particles and grid: FLIP blended with PIC (flip), or affine PIC (apic)."},
      {"flip_fraction", number(transfer.flip_fraction, {0.0, 1.0}), "",
       "With method flip, the share of FLIP in the particles' new velocity; the rest is PIC."},
      {"flip_per", choice(transfer.per, {"time", "step"}), "",
       "Whether flip_fraction is the share of FLIP over the time flip_time (time), or over each step of any length "
       "(step). With time, a step takes flip_fraction^(dt / flip_time), so that shorter steps damp the flow no more "
       "than longer ones."},
      {"flip_time", number(transfer.flip_time, at_least(0.0)), "s",
       "With flip_per time, the time over which the share of FLIP is flip_fraction; 0: the time in which the fastest "
       "particle crosses a cell, which is a step at time.cfl = 1."},
  };
}

}  // namespace freshet
