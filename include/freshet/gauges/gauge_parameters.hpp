// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// Index of a row of gauge_types(); 0 is the height of water.
enum class GaugeType : std::size_t {};

/// Shape of a pressure gauge's patch: a square with a side, or a disc with a diameter.
enum class PatchShape { square, round };

/// The lengths of a line that liquid covers; see WaterColumn.
enum class CoveredLength { height, connected, top };

/// A side of the domain.
enum class GaugeSide { none, x_low, x_high, y_low, y_high, z_low, z_high };

/// One [[gauge]] of a case file. The type decides which of the lower members count.
struct GaugeParameters {
  std::string name;  ///< name of the file, without .csv
  GaugeType type{};
  std::int64_t every = 1;  ///< number of steps between rows
  double interval = 0.0;   ///< simulated time between rows [s]; if above 0, `every` does not count

  bool mean = false;  ///< rows are means over the time since the row before

  Vec3 start = Vec3::Zero();  ///< height: one end of the line [m]; profile: foot of the first line [m]
  Vec3 end = Vec3::Zero();    ///< height: the other end [m]; profile: foot of the last line [m]
  double width = 0.0;         ///< height, profile: width of the column around a line [m]; 0: two cells
  Vec3 line = Vec3::Zero();   ///< profile: vector from the foot of each line to its other end [m]
  int count = 2;              ///< profile: number of lines
  CoveredLength quantity = CoveredLength::height;  ///< profile: the length of each line that is written
  Vec3 point = Vec3::Zero();                       ///< pressure, velocity: the place that is measured [m]
  Vec3 normal = Vec3::Zero();  ///< pressure: vector out of the surface into the liquid; 0: found from the scene
  double size = 0.0;           ///< pressure: side or diameter of the patch around the point [m]; 0: the point alone
  PatchShape patch = PatchShape::square;  ///< pressure: shape of the patch
  int largest = 1;                        ///< bubbles: number of bubbles that have columns of their own
  int solid = -1;                         ///< index of the [[solid]] with the force or the point; -1: none
  GaugeSide side = GaugeSide::none;       ///< force: side of the domain
  Vec3 center = Vec3::Zero();             ///< force: reference point of moments [m]
  Vec3 lower = Vec3::Zero();              ///< flow_rate, region: low corner [m]
  Vec3 upper = Vec3::Zero();              ///< flow_rate, region: high corner [m]
};

/// Foot of line n of a profile. [m] \param[in] n  from 0 to count - 1
inline Vec3 foot_of_line(const GaugeParameters& profile, int n) {
  return profile.start + (profile.end - profile.start) * n / std::max(1, profile.count - 1);
}

keys::Entry entry_of(GaugeParameters& gauge);

}  // namespace freshet
