// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

enum class TransferMethod { flip, apic };
/// What flip_fraction refers to: a time, so that a shorter step blends in less of PIC, or a step of any length.
enum class FlipPer { time, step };

/// The transfer of velocities from the particles to the grid and back.
struct TransferOptions {
  TransferMethod method = TransferMethod::flip;
  double flip_fraction = 0.95;  ///< f, the part of FLIP; 0 is PIC
  FlipPer per = FlipPer::time;  ///< time: a step takes f^(dt / tau), so that the loss over n steps depends on n dt
  double flip_time = 0.0;       ///< tau [s]; 0: the time in which the fastest particle crosses a cell
};

keys::Keys keys_of(TransferOptions& transfer);

}  // namespace freshet
