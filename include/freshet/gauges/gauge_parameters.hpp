// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

enum class GaugeType { height, pressure, velocity, force, flow_rate, region, profile };

/// What a patch of a pressure gauge is like: a square of a side, or a disc of a diameter.
enum class PatchShape { square, round };

/// Which of the lengths of a line that liquid covers; see WaterColumn.
enum class CoveredLength { height, connected, top };

/// A side of the domain.
enum class GaugeSide { none, x_low, x_high, y_low, y_high, z_low, z_high };

/// One [[gauge]] of a case file. Which of the lower members count depends on the type.
struct GaugeParameters {
  std::string name;  ///< of the file, without .csv
  GaugeType type = GaugeType::height;
  std::int64_t every = 1;  ///< steps between rows
  double interval = 0.0;   ///< [s] of simulated time between rows, if it is not 0; then `every` does not count

  bool mean = false;  ///< rows are means over the time since the row before

  Vec3 start = Vec3::Zero();  ///< height: the line's ends [m]; profile: the feet of its first and its last line
  Vec3 end = Vec3::Zero();    ///< likewise
  double width = 0.0;         ///< height, profile: of the column around a line [m]; 0: two cells
  Vec3 line = Vec3::Zero();   ///< profile: from the foot of each line to its other end [m]
  int count = 2;              ///< profile: of lines
  CoveredLength quantity = CoveredLength::height;  ///< profile
  Vec3 point = Vec3::Zero();                       ///< pressure, velocity [m]
  Vec3 normal = Vec3::Zero();  ///< pressure: out of the surface into the liquid, of any length; 0: found from the scene
  double size = 0.0;           ///< pressure: side or diameter of the patch around the point [m]; 0: the point alone
  PatchShape patch = PatchShape::square;  ///< pressure
  int solid = -1;                         ///< force: index of the [[solid]]; -1: none
  GaugeSide side = GaugeSide::none;       ///< force
  Vec3 center = Vec3::Zero();             ///< force: the point that moments refer to [m]
  Vec3 lower = Vec3::Zero();              ///< flow_rate, region [m]
  Vec3 upper = Vec3::Zero();              ///< flow_rate, region [m]
};

/// Where a line of a profile begins. [m] \param[in] n  from 0 to count - 1
inline Vec3 foot_of_line(const GaugeParameters& profile, int n) {
  return profile.start + (profile.end - profile.start) * n / std::max(1, profile.count - 1);
}

}  // namespace freshet
