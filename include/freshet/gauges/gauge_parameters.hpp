// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

enum class GaugeType { height, pressure, velocity, force, flow_rate, region };

/// A side of the domain.
enum class GaugeSide { none, x_low, x_high, y_low, y_high, z_low, z_high };

/// One [[gauge]] of a case file. Which of the lower members count depends on the type.
struct GaugeParameters {
  std::string name;  ///< of the file, without .csv
  GaugeType type = GaugeType::height;
  std::int64_t every = 1;  ///< steps between rows
  double interval = 0.0;   ///< [s] of simulated time between rows, if it is not 0; then `every` does not count

  Vec3 start = Vec3::Zero();   ///< height: the line's ends [m]
  Vec3 end = Vec3::Zero();     ///< height
  double width = 0.0;          ///< height: of the column around the line [m]; 0: two cells
  Vec3 point = Vec3::Zero();   ///< pressure, velocity [m]
  Vec3 normal = Vec3::Zero();  ///< pressure: out of the surface into the liquid, of any length; 0: found from the scene
  double size = 0.0;           ///< pressure: side of the square patch around the point [m]; 0: the point alone
  int solid = -1;              ///< force: index of the [[solid]]; -1: none
  GaugeSide side = GaugeSide::none;  ///< force
  Vec3 center = Vec3::Zero();        ///< force: the point that moments refer to [m]
  Vec3 lower = Vec3::Zero();         ///< flow_rate, region [m]
  Vec3 upper = Vec3::Zero();         ///< flow_rate, region [m]
};

}  // namespace freshet
