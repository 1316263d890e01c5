// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

namespace freshet {

/// A force of the liquid on a face that a solid or a wall holds.
struct HeldForce {
  int axis = 0;        ///< axis of the face and of the force
  Vec3i cell;          ///< cell whose low face it is; outside the domain beyond a wall
  Vec3 at;             ///< centre of the cell or edge with the stress, or of the face [m]
  double force = 0.0;  ///< force on the solid; in 2-D of a layer of thickness dx [N]
  /// False: a force of pressure and momentum at the open part of a face that a body holds.
  bool of_stress = true;
  int solid = -1;     ///< index of the solid, where its stress is found solid by solid; else below 0
  double drag = 0.0;  ///< decrease of the force by a unit velocity of the solid along the axis [kg/s]
};

}  // namespace freshet
