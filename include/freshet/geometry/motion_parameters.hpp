// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace freshet {

enum class MotionInterpolation { linear, smooth };

enum class WaveType { none, linear, stokes2, stokes5, jonswap };
enum class WavePaddle { piston, flap };

/// The waves that a moving wall, the paddle of a wave-maker, shall make.
struct WaveParameters {
  WaveType type = WaveType::none;
  WavePaddle paddle = WavePaddle::piston;
  double height = 0.0;             ///< from trough to crest; of irregular waves the significant height [m]
  double period = 0.0;             ///< of irregular waves that of the spectrum's peak [s]
  double depth = 0.0;              ///< of the water at rest [m]
  Vec3 direction = Vec3::UnitX();  ///< in which the waves travel, of any length
  double ramp = 0.0;               ///< time over which the paddle's motion grows from rest [s]; 0: two periods
  double hinge = 0.0;              ///< of a flap: height of its pivot above the bed [m]
  double peak = 3.3;               ///< of jonswap: peak enhancement factor gamma
  int components = 100;            ///< of jonswap: number of frequencies
  std::int64_t seed = 0;           ///< of jonswap: of frequencies and phases
};

/// How a rigid body moves: constant velocities, keyframes, a table of them in a file, or as the paddle of a wave-maker;
/// at rest by default.
struct MotionParameters {
  Vec3 velocity = Vec3::Zero();                ///< [m/s]
  Vec3 angular_velocity = Vec3::Zero();        ///< rotation vector per second [degrees/s]
  Vec3 pivot = Vec3::Zero();                   ///< the point of the body that it turns about [m]
  std::vector<std::vector<double>> keyframes;  ///< time [s], x, y, z [m] and perhaps rotation vector [degrees]
  std::string file;                            ///< table of keyframes; relative to the case file
  std::string file_hash;                       ///< of its bytes, 16 hex digits; empty: not known yet
  std::string where;                           ///< "<case file>:<line>" that names the file, for messages; no key
  MotionInterpolation interpolation = MotionInterpolation::smooth;
  WaveParameters wave;
  bool moves() const {
    return wave.type != WaveType::none || !keyframes.empty() || !file.empty() || !velocity.isZero(0.0) ||
           !angular_velocity.isZero(0.0);
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
