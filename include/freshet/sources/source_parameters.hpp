// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/particles/seeding_options.hpp"
#include "freshet/sources/schedule.hpp"

#include <cstdint>
#include <vector>

namespace freshet {

/// Options that all sources of a case share.
struct SourceOptions {
  int per_axis = 2;  ///< number of particles along an axis of a full cell
  std::uint64_t seed = 0;
  double density = 1000.0;  ///< [kg/m^3]
};

enum class SourceMode { inflow, fill };

/// A region that emits liquid.
struct SourceParameters : CarriedValues {
  ShapeParameters shape;
  SourceMode mode = SourceMode::inflow;
  double rate = 0.0;              ///< inflow: volume per second [m^3/s]; 0: not given
  double pressure = 0.0;          ///< inflow: gauge pressure [Pa]; 0: not given
  Vec3 direction = Vec3::Zero();  ///< direction of an inflow by rate or pressure, of any length
  Vec3 velocity = Vec3::Zero();   ///< velocity of an inflow by velocity, or of a fill [m/s]
  double jitter = 0.0;            ///< displacement from an even spread [sub-cells]
  ScheduleParameters schedule;
};

/// A region that absorbs liquid.
struct SinkParameters {
  ShapeParameters shape;
  double rate = 0.0;  ///< volume drawn per second [m^3/s]; 0: particles are removed, without outflow on the grid
  ScheduleParameters schedule;
};

keys::Entry entry_of(SourceParameters& source);
keys::Entry entry_of(SinkParameters& sink);
/// Check how a source emits, and when. Errors: InputError
void check_source(const SourceParameters& source, const keys::Table& table);
/// Check when a source or a sink is on. Errors: InputError
void check_schedule(const ScheduleParameters& schedule, const keys::Table& table);

}  // namespace freshet
