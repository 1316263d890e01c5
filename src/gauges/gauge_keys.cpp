// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/gauge.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace freshet {
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

/// The names of the types of gauges that have a key.
std::vector<std::string> types_with(const std::string& key) {
  std::vector<std::string> names;
  for (const GaugeTypeRecord& type : gauge_types())
    if (std::ranges::find(type.keys, key) != type.keys.end()) names.emplace_back(type.name);
  return names;
}

/// The keys of the place that is measured, of which each type has some.
keys::Keys place_keys(GaugeParameters& gauge) {
  using namespace keys;
  using enum ThirdEntry;
  return {
      {"start", vector(gauge.start, middle), "m",
       "Point where the line begins, such as a point of the floor; of a profile the foot of the first line."},
      {"end", vector(gauge.end, middle), "m", "Point where the line ends; of a profile the foot of the last line."},
      {"line", vector(gauge.line, must_vanish), "m",
       "Vector from the foot of each line to its other end, such as [0.0, 0.8, 0.0]."},
      {"count", number(gauge.count, {2, 1000}), "",
       "Number of lines. Their feet are evenly spaced from start to end, and each line has a column of the table."},
      {"quantity", choice(gauge.quantity, {"height", "connected", "top"}), "",
       "Length of each line that is written; a gauge of type height has all of them as columns."},
      {"width", number(gauge.width, at_least(0.0)), "m",
       "Width of the column around a line in which particles are counted where the level set does not give the "
       "surface; 0: two cells."},
      {"point", vector(gauge.point, middle), "m", "Position of the gauge."},
      {"normal", vector(gauge.normal, must_vanish), "",
       "Direction from the surface on which the point lies into the liquid, of any length. 0: the normal of the solid "
       "or the wall within half a cell of the point, if there is one."},
      {"size", number(gauge.size, at_least(0.0)), "m",
       "Side of the square, or diameter of the disc, around the point and across the normal over which the pressure is "
       "averaged; 0: the point alone."},
      {"patch", choice(gauge.patch, {"square", "round"}), "",
       "Shape over which the pressure is averaged: a square with the side `size`, or a disc with the diameter `size`."},
      {"largest", number(gauge.largest, {0, 100}), "",
       "Number of bubbles, the largest ones, that have columns of their own."},
      {"solid", number(gauge.solid, {-1, 1'000'000}), "",
       "Index, counted from 0, of the [[solid]] on which the force acts, or with which the point moves; -1: none. "
       "`point` and `normal` of a moving point are those at the start."},
      {"side", choice(gauge.side, {"none", "x_low", "x_high", "y_low", "y_high", "z_low", "z_high"}), "",
       "Side of the domain on which the force acts."},
      {"center", vector(gauge.center, middle), "m", "Reference point of moments."},
      {"lower", vector(gauge.lower, below), "m",
       "Low corner of the box, or of the rectangle; the rectangle's corners are equal along one axis."},
      {"upper", vector(gauge.upper, above), "m", "High corner of the box, or of the rectangle."},
  };
}

void check_name(const std::string& name, std::set<std::string>& taken, const keys::Table& table) {
  constexpr std::size_t longest = 64;
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  table.require(!name.empty() && name.size() <= longest && std::ranges::all_of(name, is_legal), "name",
                fmt::format("= {} is not 1 to {} letters, digits, _ and -", quote(keys::shortened(name)), longest),
                "it names a file", "Choose another name");
  table.require(taken.insert(name).second, "name", "= " + quote(name) + " is taken", "two gauges would write one file",
                "Choose another name");
}

}  // namespace

keys::Entry entry_of(GaugeParameters& gauge) {
  using namespace keys;
  Keys rows = {
      {"type", choice(gauge.type, type_names()), "", type_texts(), required},
      {"name", line(gauge.name), "", "Name of the gauge. It writes the file gauges/NAME.csv.", required},
      {"every", number(gauge.every, {1, 1'000'000'000}), "", "Number of steps between rows."},
      {"interval", number(gauge.interval, at_least(0.0)), "s",
       "Simulated time between rows; 0: `every` counts. A row is that of the first step which ends at or after a "
       "multiple of the interval. Gauges never change the time step."},
      {"mean", flag(gauge.mean), "",
       "Whether rows are means over the time since the last row, with each step weighted by its length, instead of "
       "values of one step. Means continue at a restart."},
  };
  Keys own = place_keys(gauge);
  const auto present = [&gauge] { return std::string(gauge_type(gauge.type).name); };
  for (Key& key : own) restrict_to({"type", types_with(key.name)}, present, key);
  append(rows, std::move(own));
  return {changeable(std::move(rows))};
}

void check_gauges(const std::vector<GaugeParameters>& gauges, const GaugeScene& scene, const keys::Table& table) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const GaugeParameters& gauge = gauges[i];
    const keys::Table entry = table.entry("gauge", i);
    check_name(gauge.name, taken, entry);
    entry.require(gauge.interval == 0.0 || gauge.every == 1, "every", "is given together with interval",
                  "both tell when the gauge measures", "Leave one of them out");
    gauge_type(gauge.type).check(gauge, scene, entry);
  }
}

}  // namespace freshet
