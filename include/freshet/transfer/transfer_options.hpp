// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

enum class TransferMethod { flip, apic };

/// How velocities go from the particles to the grid and back.
struct TransferOptions {
  TransferMethod method = TransferMethod::flip;
  double flip_fraction = 0.95;  ///< of FLIP; 0 is PIC
};

}  // namespace freshet
