// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

namespace freshet {

/// A piece of the line in which the liquid's surface meets a solid.
struct LinePull {
  int solid = -1;  ///< index of the solid
  Vec3 at;         ///< middle of the piece [m]
  Vec3 pull;       ///< length times the direction in which the surface pulls the solid; in 2-D of a layer of dx [m]
};

}  // namespace freshet
