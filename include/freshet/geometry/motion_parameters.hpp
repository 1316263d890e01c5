// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <string>
#include <vector>

namespace freshet {

enum class MotionInterpolation { linear, smooth };

/// How a rigid body moves: constant velocities, keyframes or a table of them in a file; at rest by default.
struct MotionParameters {
  Vec3 velocity = Vec3::Zero();                ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();        ///< rotation vector per second [degrees/s]
  Vec3 pivot = Vec3::Zero();                   ///< the point of the body that it turns about [m]
  std::vector<std::vector<double>> keyframes;  ///< time [s], x, y, z [m] and perhaps rotation vector [degrees]
  std::string file;                            ///< table of keyframes; relative to the case file
  std::string file_hash;                       ///< of its bytes, 16 hex digits; empty: not known yet
  std::string where;                           ///< "<case file>:<line>" that names the file, for messages; no key
  MotionInterpolation interpolation = MotionInterpolation::smooth;
  bool moves() const {
    return !keyframes.empty() || !file.empty() || !velocity.isZero(0.0) || !angular_velocity.isZero(0.0);
  }
};

}  // namespace freshet
