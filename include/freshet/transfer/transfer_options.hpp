// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

enum class TransferMethod { flip, apic };
/// What the share of FLIP holds for: a time, so that a shorter step blends in less of PIC, or a step of any length.
enum class FlipPer { time, step };

/// How velocities go from the particles to the grid and back.
struct TransferOptions {
  TransferMethod method = TransferMethod::flip;
  double flip_fraction = 0.95;  ///< f of FLIP; 0 is PIC
  FlipPer per = FlipPer::time;  ///< time: a step takes f^(dt / tau), so that what n steps take away depends on n dt
  double flip_time = 0.0;       ///< tau [s]; 0: the time in which the fastest particle crosses a cell
};

}  // namespace freshet
