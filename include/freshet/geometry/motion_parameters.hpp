// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace freshet {

enum class MotionInterpolation { linear, smooth };

enum class WaveType { none, linear, stokes2, stokes5, jonswap };
enum class WavePaddle { piston, flap };

/// Waves that a moving wall, the paddle of a wave-maker, makes.
struct WaveParameters {
  WaveType type = WaveType::none;
  WavePaddle paddle = WavePaddle::piston;
  double height = 0.0;             ///< wave height from trough to crest; significant height of irregular waves [m]
  double period = 0.0;             ///< wave period; period of the spectrum's peak for irregular waves [s]
  double depth = 0.0;              ///< depth of the water at rest [m]
  Vec3 direction = Vec3::UnitX();  ///< direction of travel, of any length
  double ramp = 0.0;               ///< time over which the paddle's motion grows from rest [s]; 0: two periods
  double hinge = 0.0;              ///< height of a flap's pivot above the bed [m]
  double peak = 3.3;               ///< jonswap: peak enhancement factor gamma
  int components = 100;            ///< jonswap: number of frequencies
  std::int64_t seed = 0;           ///< jonswap: seed of the random frequencies and phases
};

/// The motion of a rigid body: constant velocities, keyframes, a file with a table of keyframes, or the motion of a
/// wave-maker's paddle. By default the body is at rest.
struct MotionParameters {
  Vec3 velocity = Vec3::Zero();                ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();        ///< rotation vector per second [degrees/s]
  Vec3 pivot = Vec3::Zero();                   ///< the point of the body that it turns about [m]
  std::vector<std::vector<double>> keyframes;  ///< time [s], x, y, z [m] and perhaps rotation vector [degrees]
  std::string file;                            ///< table of keyframes; relative to the case file
  std::string file_hash;                       ///< hash of the file's bytes, 16 hex digits; empty: not known yet
  std::string where;                           ///< "<case file>:<line>" that names the file, for messages; no key
  MotionInterpolation interpolation = MotionInterpolation::smooth;
  WaveParameters wave;
  bool moves() const {
    return wave.type != WaveType::none || !keyframes.empty() || !file.empty() || !velocity.isZero(0.0) ||
           !angular_velocity.isZero(0.0);
  }
};

keys::Keys keys_of(MotionParameters& motion);
keys::Keys keys_of(WaveParameters& wave);
/// Check a motion. Errors: InputError if it is of two kinds, too fast, too far, or out of the plane of a 2-D case
void check_motion(const MotionParameters& motion, const keys::Table& table, int dimension);

/// Limits on the motion of bodies and tanks. They are far beyond any liquid, and their squares do not overflow.
namespace motion_limits {

constexpr double latest = 1e12;       ///< [s]
constexpr double farthest = 1e9;      ///< [m]
constexpr double most_turned = 1e9;   ///< [degrees]
constexpr double fastest = 1e4;       ///< [m/s]
constexpr double fastest_turn = 1e6;  ///< [degrees/s]

/// The fault of a row of a motion: time [s], displacement along x, y, z [m] and perhaps a rotation vector [degrees].
///
/// \param[in] before  the previous row; empty for the first row
/// \return empty if the row has no fault
std::string flaw_of(std::span<const double> row, std::span<const double> before, int dimension);

}  // namespace motion_limits
}  // namespace freshet
