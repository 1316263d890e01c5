// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <Eigen/Geometry>

namespace freshet {

/// A unit vector across a direction, which depends on the direction alone: it is normal to the coordinate axis that
/// lies least along the direction.
inline Vec3 unit_across(const Vec3& direction) {
  int least = 0;
  direction.cwiseAbs().minCoeff(&least);
  return direction.cross(Vec3::Unit(least)).normalized();
}

}  // namespace freshet
