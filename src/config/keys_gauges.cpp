// SPDX-License-Identifier: Apache-2.0
// The keys of [[gauge]].
#include "freshet/gauges/gauge.hpp"
#include "key.hpp"

#include <algorithm>
#include <initializer_list>

namespace freshet::config {
namespace {

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const GaugeTypeRecord& record : gauge_types()) names.emplace_back(record.name);
  return names;
}

std::string type_texts() {
  std::string text = "What is measured.";
  for (const GaugeTypeRecord& record : gauge_types()) text += std::string(" ") + record.name + ": " + record.text + ".";
  return text;
}

/// Restrict a key to some types of gauges: for others it is refused and not written out.
Slot only_for(const GaugeParameters& gauge, std::vector<GaugeType> types, Slot slot) {
  const auto has_key = [&gauge, types] { return std::ranges::find(types, gauge.type) != types.end(); };
  const auto read = slot.read;
  const auto text = slot.text;
  for (const GaugeType type : types) slot.gauge_types.emplace_back(gauge_type(type).name);
  slot.read = [=, &gauge, names = slot.gauge_types](const Given& given) {
    if (!has_key())
      fail(given.value.where, "'" + given.name + "' is given, and the type is \"" + gauge_type(gauge.type).name + "\"",
           "it is a key of the types " + joined(names), "Leave it out, or choose another type");
    read(given);
  };
  slot.text = [=] { return has_key() ? text() : std::string("none"); };
  return slot;
}

}  // namespace

std::vector<Key> keys_of(GaugeParameters& gauge) {
  using enum GaugeType;
  using enum ThirdEntry;
  const auto of = [&gauge](std::vector<GaugeType> types, Slot slot) {
    return only_for(gauge, std::move(types), std::move(slot));
  };
  std::vector<Key> keys = {
      {"type", choice(gauge.type, type_names()), "", type_texts(), required},
      {"name", line(gauge.name), "", "Name of the gauge. It writes the file gauges/NAME.csv.", required},
      {"every", number(gauge.every, {1, 1'000'000'000}), "", "Number of steps between rows."},
      {"interval", number(gauge.interval, at_least(0.0)), "s",
       "Simulated time between rows; 0: `every` counts. A row is that of the first step which ends at or after a "
       "multiple of the interval. Gauges never change the time step."},
      {"mean", flag(gauge.mean), "",
       "Whether rows are means over the time since the last row, with each step weighted by its length, instead of "
       "values of one step. Means continue at a restart."},
      {"start", of({height, profile}, vector(gauge.start, middle)), "m",
       "Point where the line begins, such as a point of the floor; of a profile the foot of the first line."},
      {"end", of({height, profile}, vector(gauge.end, middle)), "m",
       "Point where the line ends; of a profile the foot of the last line."},
      {"line", of({profile}, vector(gauge.line, must_vanish)), "m",
       "Vector from the foot of each line to its other end, such as [0.0, 0.8, 0.0]."},
      {"count", of({profile}, number(gauge.count, {2, 1000})), "",
       "Number of lines. Their feet are evenly spaced from start to end, and each line has a column of the table."},
      {"quantity", of({profile}, choice(gauge.quantity, {"height", "connected", "top"})), "",
       "Length of each line that is written; a gauge of type height has all of them as columns."},
      {"width", of({height, profile}, number(gauge.width, at_least(0.0))), "m",
       "Width of the column around a line in which particles are counted where the level set does not give the "
       "surface; 0: two cells."},
      {"point", of({pressure, velocity}, vector(gauge.point, middle)), "m", "Position of the gauge."},
      {"normal", of({pressure}, vector(gauge.normal, must_vanish)), "",
       "Direction from the surface on which the point lies into the liquid, of any length. 0: the normal of the solid "
       "or the wall within half a cell of the point, if there is one."},
      {"size", of({pressure}, number(gauge.size, at_least(0.0))), "m",
       "Side of the square, or diameter of the disc, around the point and across the normal over which the pressure is "
       "averaged; 0: the point alone."},
      {"patch", of({pressure}, choice(gauge.patch, {"square", "round"})), "",
       "Shape over which the pressure is averaged: a square with the side `size`, or a disc with the diameter `size`."},
      {"solid", of({force, pressure, velocity}, number(gauge.solid, {-1, 1'000'000})), "",
       "Index, counted from 0, of the [[solid]] on which the force acts, or with which the point moves; -1: none. "
       "`point` and `normal` of a moving point are those at the start."},
      {"side", of({force}, choice(gauge.side, {"none", "x_low", "x_high", "y_low", "y_high", "z_low", "z_high"})), "",
       "Side of the domain on which the force acts."},
      {"center", of({force}, vector(gauge.center, middle)), "m", "Reference point of moments."},
      {"lower", of({flow_rate, region}, vector(gauge.lower, below)), "m",
       "Low corner of the box, or of the rectangle; the rectangle's corners are equal along one axis."},
      {"upper", of({flow_rate, region}, vector(gauge.upper, above)), "m",
       "High corner of the box, or of the rectangle."},
  };
  for (Key& key : keys) key.change = at_restart;
  return keys;
}

}  // namespace freshet::config
