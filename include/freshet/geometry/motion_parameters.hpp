// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <span>
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

/// How far and how fast bodies and tanks may move. The limits are far beyond any liquid, and their squares do not
/// overflow.
namespace motion_limits {

constexpr double latest = 1e12;       ///< [s]
constexpr double farthest = 1e9;      ///< [m]
constexpr double most_turned = 1e9;   ///< [degrees]
constexpr double fastest = 1e4;       ///< [m/s]
constexpr double fastest_turn = 1e6;  ///< [degrees/s]

/// What is wrong with a row of a motion: time [s], displacement along x, y, z [m] and perhaps a rotation vector
/// [degrees].
///
/// \param[in] before  the previous row; empty for the first row
/// \return empty if nothing is wrong
std::string flaw_of(std::span<const double> row, std::span<const double> before, int dimension);

}  // namespace motion_limits
}  // namespace freshet
