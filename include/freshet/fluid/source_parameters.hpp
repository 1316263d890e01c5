// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/schedule.hpp"
#include "freshet/geometry/shape_parameters.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace freshet {

/// What all sources of a case share.
struct SourceOptions {
  int per_axis = 2;  ///< particles along an axis of a full cell
  std::uint64_t seed = 0;
  double density = 1000.0;  ///< [kg/m^3]
};

enum class SourceMode { inflow, fill };

/// Where liquid comes in.
struct SourceParameters {
  ShapeParameters shape;
  SourceMode mode = SourceMode::inflow;
  double rate = 0.0;              ///< inflow: volume [m^3/s]; 0: not by it
  double pressure = 0.0;          ///< inflow: gauge pressure [Pa]; 0: not by it
  Vec3 direction = Vec3::Zero();  ///< inflow by rate or pressure: where to, of any length
  Vec3 velocity = Vec3::Zero();   ///< inflow by velocity, fill [m/s]
  double jitter = 0.0;            ///< share of a sub-cell
  int tag = 0;                    ///< 0 .. 255
  // At most one of the two is given; none: as the liquid of its tag, or transfer.flip_fraction.
  std::optional<double> flip_fraction;
  std::optional<double> viscosity_coefficient;  ///< 1 - flip_fraction
  std::vector<double> color;                    ///< red, green, blue in 0 .. 1; empty: none
  ScheduleParameters schedule;
};

/// Where liquid goes out.
struct SinkParameters {
  ShapeParameters shape;
  double rate = 0.0;  ///< volume that the liquid loses there [m^3/s]; 0: particles go, the grid does not know
  ScheduleParameters schedule;
};

}  // namespace freshet
