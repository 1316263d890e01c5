// SPDX-License-Identifier: Apache-2.0
// Checks of [[gauge]].
#include "check.hpp"
#include "freshet/gauges/gauge.hpp"
#include "freshet/grid/domain_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace freshet::config {
namespace {

constexpr double largest_column = 1e4;  ///< largest number of slices of a height's line

void check_name(const std::string& name, std::set<std::string>& taken, const Place& place) {
  constexpr std::size_t longest = 64;
  const auto is_legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  place.require(!name.empty() && name.size() <= longest && std::ranges::all_of(name, is_legal), "name",
                fmt::format("= {} is not 1 to {} letters, digits, _ and -", quote(shortened(name)), longest),
                "it names a file", "Choose another name");
  place.require(taken.insert(name).second, "name", "= " + quote(name) + " is taken", "two gauges would write one file",
                "Choose another name");
}

void need(const Place& place, const GaugeParameters& gauge, const std::string& key) {
  place.require(place.table.find(key) != nullptr, key, "is missing",
                fmt::format("a gauge of type \"{}\" needs it", gauge_type(gauge.type).name), "Add it");
}

bool is_in_domain(const DomainOptions& domain, const Vec3& x) {
  return meets_domain(domain, x, x);
}

/// Length of a line inside the domain, with tolerance at sides along the line. [m]
double length_in_domain(const DomainOptions& domain, const Vec3& start, const Vec3& end) {
  const Vec3 high = domain.origin + domain.cell_size * domain.cells.cast<double>();
  const double tolerance = side_tolerance * domain.cell_size;
  const Vec3 way = end - start;
  double first = 0.0, last = 1.0;  // range of the line, as parts of it
  for (int d = 0; d < domain.dimension; ++d) {
    if (way[d] == 0.0) {
      if (start[d] < domain.origin[d] - tolerance || start[d] > high[d] + tolerance) return 0.0;
      continue;
    }
    const double a = (domain.origin[d] - start[d]) / way[d], b = (high[d] - start[d]) / way[d];
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return std::max(0.0, last - first) * way.norm();
}

/// Check the line of a height. The message about a line that is too long names `end`.
void check_line(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  const double dx = p.domain.cell_size;
  need(place, gauge, "start");
  need(place, gauge, "end");
  place.require(gauge.end != gauge.start, "end", "equals '" + place.name + "start'", "a line has a length",
                "Move one of them");
  place.require((gauge.end - gauge.start).norm() <= largest_column * dx, "end",
                "is too far from '" + place.name + "start'",
                fmt::format("a line has at most {:.0f} cells", largest_column), "Give points of the domain");
  place.require(p.domain.dimension == 3 || gauge.end.z() == gauge.start.z(), "end", "leaves the plane",
                "domain.dimension is 2", "Leave the third entries out");
  place.require(length_in_domain(p.domain, gauge.start, gauge.end) > side_tolerance * dx, "start",
                "and '" + place.name + "end' are the ends of a line outside the domain",
                "nothing can be measured there", "Choose a line that passes through the domain");
}

void check_profile(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  constexpr double most_cells = 1e5;  // largest number for all lines together
  const double dx = p.domain.cell_size;
  for (const char* key : {"start", "end", "line", "count"}) need(place, gauge, key);
  place.require(gauge.end != gauge.start, "end", "equals '" + place.name + "start'", "lines stand in different places",
                "Move one of them");
  place.require(gauge.line.norm() > 0.0, "line", "is zero", "a line has a length",
                "Give the way from the foot of a line to its other end");
  place.require(gauge.line.norm() * gauge.count <= most_cells * dx, "count",
                fmt::format("= {} is too large", gauge.count),
                fmt::format("the lines have at most {:.0f} cells together", most_cells), "Take fewer or shorter lines");
  for (int n = 0; n < gauge.count; ++n) {
    const Vec3 foot = foot_of_line(gauge, n);
    place.require(length_in_domain(p.domain, foot, foot + gauge.line) > side_tolerance * dx, "start",
                  fmt::format("and '{}end' put line {} outside the domain", place.name, n),
                  "nothing can be measured there", "Let all lines pass through the domain");
  }
}

/// Check the place half a cell along the normal, which the gauge reads: it must lie in the domain.
void check_normal(const DomainOptions& domain, const GaugeParameters& gauge, const Place& place) {
  if (gauge.normal.isZero(0.0) || gauge.solid >= 0) return;  // a solid may turn it
  const Vec3 beside = gauge.point + 0.5 * domain.cell_size * gauge.normal.normalized();
  const Vec3 high = domain.origin + domain.cell_size * domain.cells.cast<double>();
  const double tolerance = side_tolerance * domain.cell_size;
  for (int d = 0; d < domain.dimension; ++d) {
    const bool is_periodic = domain.boundary[static_cast<std::size_t>(d)][0] == FaceCondition::periodic;
    place.require(is_periodic || (beside[d] >= domain.origin[d] - tolerance && beside[d] <= high[d] + tolerance),
                  "normal", "points out of the domain", "it is the direction from the surface into the liquid",
                  "Turn it round, or leave it out");
  }
}

/// Check the box or the rectangle of a gauge. In 2-D, equal third entries mean the whole layer of cells.
void check_box_of_gauge(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  need(place, gauge, "lower");
  need(place, gauge, "upper");
  const int dimension = p.domain.dimension;
  const Vec3 size = gauge.upper - gauge.lower;
  int n_flat = 0;
  for (int d = 0; d < 3; ++d) n_flat += d < dimension && size[d] == 0.0 ? 1 : 0;
  place.require((size.array() >= 0.0).all(), "upper", "is below '" + place.name + "lower'",
                "a box has a low and a high corner", "Exchange them");
  if (gauge.type == GaugeType::flow_rate) {
    place.require(n_flat == 1, "upper", fmt::format("equals '{}lower' along {} axes", place.name, n_flat),
                  "a rectangle across an axis has corners that are equal along this axis alone",
                  "Make them equal along one axis");
  } else {
    place.require(n_flat == 0, "upper", fmt::format("equals '{}lower' along an axis", place.name), "a box has a volume",
                  "Move one of them");
  }
  place.require(meets_domain(p.domain, gauge.lower, gauge.upper), "lower", "lies outside the domain",
                "nothing can be measured there", "Choose a box that meets the domain");
  const Vec3 high = p.domain.origin + p.domain.cell_size * p.domain.cells.cast<double>();
  const Vec3 common = gauge.upper.cwiseMin(high) - gauge.lower.cwiseMax(p.domain.origin);
  for (int d = 0; d < 3; ++d)
    place.require(d >= dimension || size[d] == 0.0 || common[d] > side_tolerance * p.domain.cell_size, "lower",
                  fmt::format("touches the domain along {} alone", "xyz"[d]), "nothing can be measured there",
                  "Choose a box that reaches into the domain");
}

void check_solid(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  place.require(gauge.solid < static_cast<int>(p.solids.size()), "solid", fmt::format("= {} is not there", gauge.solid),
                fmt::format("there are {} [[solid]], counted from 0", p.solids.size()), "Choose one of them");
}

void check_place(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  const double dx = p.domain.cell_size;
  switch (gauge.type) {
    case GaugeType::height:
      check_line(p, gauge, place);
      break;
    case GaugeType::profile:
      check_profile(p, gauge, place);
      break;
    case GaugeType::pressure:
    case GaugeType::velocity:
      need(place, gauge, "point");
      place.require(is_in_domain(p.domain, gauge.point), "point", "lies outside the domain",
                    "nothing can be measured there", "Choose a point of the domain");
      check_solid(p, gauge, place);
      check_normal(p.domain, gauge, place);
      place.require(gauge.size <= 1e3 * dx, "size", "is too large", "a patch has at most 1000 cells a side",
                    "Give the side of the patch in m");
      place.require(gauge.patch == PatchShape::square || p.domain.dimension == 3, "patch", "is \"round\"",
                    "in 2-D a patch is a line", "Leave it out");
      place.require(gauge.patch == PatchShape::square || gauge.size > 0.0, "patch", "is given without size",
                    "a disc has a diameter", "Give size, or leave patch out");
      break;
    case GaugeType::force: {
      const bool on_solid = gauge.solid >= 0, on_side = gauge.side != GaugeSide::none;
      if (on_solid == on_side)
        place.refuse("solid",
                     fmt::format("'{}' gives {} of solid and side", place.name.substr(0, place.name.size() - 1),
                                 on_solid ? "both" : "none"),
                     "a force acts on one of them", "Give one");
      check_solid(p, gauge, place);
      if (!on_side) break;
      const auto axis = static_cast<std::size_t>(gauge.side) - 1;
      const FaceCondition condition = p.domain.boundary[axis / 2][axis % 2];
      const bool is_wall = static_cast<int>(axis / 2) < p.domain.dimension &&
                           (condition == FaceCondition::free_slip || condition == FaceCondition::no_slip);
      place.require(is_wall, "side", "is not a wall", "no force acts on it", "Choose another side");
      break;
    }
    case GaugeType::flow_rate:
    case GaugeType::region:
      check_box_of_gauge(p, gauge, place);
      break;
  }
}

}  // namespace

bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper) {
  const Vec3 end = domain.origin + domain.cell_size * domain.cells.cast<double>();
  const double tolerance = side_tolerance * domain.cell_size;
  return (lower.array() <= end.array() + tolerance).all() && (upper.array() >= domain.origin.array() - tolerance).all();
}

void check_gauges(const Parameters& p, const Place& place) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < p.gauges.size(); ++i) {
    const Place entry = place.entry("gauge", i);
    check_name(p.gauges[i].name, taken, entry);
    entry.require(p.gauges[i].interval == 0.0 || p.gauges[i].every == 1, "every", "is given together with interval",
                  "both tell when the gauge measures", "Leave one of them out");
    check_place(p, p.gauges[i], entry);
  }
}

}  // namespace freshet::config
