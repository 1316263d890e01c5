// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/slots.hpp"
#include "freshet/sources/source_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

keys::Keys keys_of(ScheduleParameters& schedule) {
  using namespace keys;
  return {
      {"start_time", number(schedule.start, at_least(0.0)), "s", "Time at which the source or sink is switched on."},
      {"end_time", number(schedule.end, at_least(0.0)), "s",
       "Time at which the source or sink is switched off; 0: never."},
      {"schedule", intervals(schedule.intervals), "s",
       "Intervals of time in which the source or sink is on, instead of start_time and end_time."}};
}

void check_inflow(const SourceParameters& source, const keys::Table& table) {
  const bool by_velocity = !source.velocity.isZero(0.0);
  const bool directed = !source.direction.isZero(0.0);
  const int n_given = int{source.rate > 0.0} + int{source.pressure > 0.0} + int{by_velocity};
  if (n_given != 1)
    table.refuse("rate",
                 fmt::format("'{}' gives {} of rate, pressure and velocity",
                             table.name.substr(0, table.name.size() - 1), n_given),
                 "an inflow needs exactly one of them above 0", "Give one");
  table.require(!by_velocity || !directed, "direction", "is given together with velocity",
                "the velocity says where the liquid goes", "Leave one of them out");
  table.require(by_velocity || directed, "direction", "is missing or zero",
                "rate and pressure do not say where the liquid goes", "Give a direction, such as [1.0, 0.0, 0.0]");
  table.require(std::isnormal(std::max(source.direction.norm(), source.velocity.norm())),
                directed ? "direction" : "velocity", "has no finite length", "its square is beyond 64-bit numbers",
                "Give numbers near 1");
  table.require(source.shape.kind != ShapeKind::half_space, "shape", "is a half_space", "its cross-section is infinite",
                "Choose another shape, or mode = \"fill\"");
}

void check_fill(const SourceParameters& source, const keys::Table& table) {
  table.require(source.rate == 0.0 && source.pressure == 0.0 && source.direction.isZero(0.0), "mode",
                "is \"fill\" together with rate, pressure or direction",
                "a source that keeps its region full has no rate of its own",
                "Leave them out, or choose mode = \"inflow\"");
}

}  // namespace

keys::Entry entry_of(SourceParameters& source) {
  using namespace keys;
  constexpr double fastest = 1e30;  // [m/s] particles store velocities as 32-bit numbers
  Entry entry = entry_of(source.shape);
  append(entry.keys,
         {{"mode", choice(source.mode, {"inflow", "fill"}), "",
           "Either liquid enters at the upstream side of the shape and moves on (inflow), or as many particles "
           "are made as keep the shape full (fill)."},
          {"rate", number(source.rate, at_least(0.0)), "m^3/s",
           "Volume that an inflow brings per second; its speed follows. An inflow takes one of rate, "
           "pressure and velocity."},
          {"pressure", number(source.pressure, at_least(0.0)), "Pa",
           "Gauge pressure behind an inflow: speed = sqrt(2 pressure / density)."},
          {"direction", vector(source.direction, ThirdEntry::must_vanish), "",
           "Direction of an inflow by rate or pressure, of any length."},
          {"velocity", vector(source.velocity, ThirdEntry::must_vanish, fastest), "m/s",
           "Velocity of the new particles. An inflow by velocity brings velocity times cross-section."},
          {"jitter", number(source.jitter, {0.0, 1.0}), "",
           "Random displacement of new particles from an even arrangement: none (0), up to anywhere in their sub-cell "
           "(1), or a share of that."}});
  append(entry.keys, keys_of(static_cast<CarriedValues&>(source)));
  append(entry.keys, keys_of(source.schedule));
  return entry;
}

keys::Entry entry_of(SinkParameters& sink) {
  using namespace keys;
  Entry entry = entry_of(sink.shape);
  entry.keys.push_back(
      {"rate", number(sink.rate, at_least(0.0)), "m^3/s",
       "Volume that is drawn per second out of a shape full of liquid, whose surplus particles are removed. "
       "0: every particle inside is removed."});
  append(entry.keys, keys_of(sink.schedule));
  return entry;
}

void check_source(const SourceParameters& source, const keys::Table& table) {
  (source.mode == SourceMode::inflow ? check_inflow : check_fill)(source, table);
  check_schedule(source.schedule, table);
}

void check_schedule(const ScheduleParameters& schedule, const keys::Table& table) {
  table.require(schedule.intervals.empty() || (schedule.start == 0.0 && schedule.end == 0.0), "schedule",
                "is given together with start_time or end_time", "both tell when it is on", "Leave one of them out");
  table.require(schedule.end == 0.0 || schedule.end > schedule.start, "end_time",
                "is not after '" + table.name + "start_time'",
                keys::number_text(schedule.end) + " s <= " + keys::number_text(schedule.start) + " s",
                "Make it later, or 0 for never");
}

}  // namespace freshet
