// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/declare.hpp"

namespace freshet {

/// How air that liquid and solids enclose behaves: it has no pressure (off), keeps its volume, or is a gas.
enum class BubbleModel { off, incompressible, compressible };

/// Which air belongs to the atmosphere, beside that at open sides of the domain.
enum class Atmosphere {
  above,      ///< the air at the domain's upper side too, where it is a wall; without gravity the largest region of air
  open_sides  ///< no other: all air of a closed tank is trapped
};

/// Options of trapped air.
struct AirOptions {
  BubbleModel bubbles = BubbleModel::off;
  Atmosphere atmosphere = Atmosphere::above;
  double pressure = 101325.0;  ///< pressure of the atmosphere, absolute [Pa]
  double gamma = 1.4;          ///< exponent of p V^gamma = const
  int least_cells = 8;         ///< number of cells of the smallest bubble
};

keys::Keys keys_of(AirOptions& air);

}  // namespace freshet
