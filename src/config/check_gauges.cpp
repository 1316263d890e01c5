// SPDX-License-Identifier: Apache-2.0
// What [[gauge]] may measure.
#include "check.hpp"
#include "freshet/gauges/gauge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace freshet::config {
namespace {

constexpr double largest_column = 1e4;  ///< slices of a height's line

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

void check_solid(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  place.require(gauge.solid < static_cast<int>(p.solids.size()), "solid", fmt::format("= {} is not there", gauge.solid),
                fmt::format("there are {} [[solid]], counted from 0", p.solids.size()), "Choose one of them");
}

void check_place(const Parameters& p, const GaugeParameters& gauge, const Place& place) {
  const double dx = p.domain.cell_size;
  switch (gauge.type) {
    case GaugeType::height: {
      need(place, gauge, "start");
      need(place, gauge, "end");
      const double length = (gauge.end - gauge.start).norm();
      place.require(length > 0.0, "end", "equals '" + place.name + "start'", "a line has a length", "Move one of them");
      place.require(length <= largest_column * dx, "end", "is too far from '" + place.name + "start'",
                    fmt::format("a line has at most {:.0f} cells", largest_column), "Give points of the domain");
      place.require(p.domain.dimension == 3 || gauge.end.z() == gauge.start.z(), "end", "leaves the plane",
                    "domain.dimension is 2", "Leave the third entries out");
      place.require(meets_domain(p.domain, gauge.start.cwiseMin(gauge.end), gauge.start.cwiseMax(gauge.end)), "start",
                    "and '" + place.name + "end' are the ends of a line outside the domain",
                    "nothing can be measured there", "Choose a line that meets the domain");
      break;
    }
    case GaugeType::pressure:
    case GaugeType::velocity:
      need(place, gauge, "point");
      place.require(is_in_domain(p.domain, gauge.point), "point", "lies outside the domain",
                    "nothing can be measured there", "Choose a point of the domain");
      check_solid(p, gauge, place);
      place.require(gauge.size <= 1e3 * dx, "size", "is too large", "a patch has at most 1000 cells a side",
                    "Give the side of the patch in m");
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
    case GaugeType::region: {
      need(place, gauge, "lower");
      need(place, gauge, "upper");
      const Vec3 size = gauge.upper - gauge.lower;
      const auto n_flat = (size.array() == 0.0).count();
      place.require((size.array() >= 0.0).all(), "upper", "is below '" + place.name + "lower'",
                    "a box has a low and a high corner", "Exchange them");
      if (gauge.type == GaugeType::flow_rate) {
        place.require(n_flat == 1, "upper", fmt::format("equals '{}lower' along {} axes", place.name, n_flat),
                      "a rectangle across an axis has corners that are equal along this axis alone",
                      "Make them equal along one axis");
      } else {
        place.require(n_flat == 0, "upper", fmt::format("equals '{}lower' along an axis", place.name),
                      "a box has a volume", "Move one of them");
      }
      place.require(meets_domain(p.domain, gauge.lower, gauge.upper), "lower", "lies outside the domain",
                    "nothing can be measured there", "Choose a box that meets the domain");
      break;
    }
  }
}

}  // namespace

bool meets_domain(const DomainOptions& domain, const Vec3& lower, const Vec3& upper) {
  const Vec3 end = domain.origin + domain.cell_size * domain.cells.cast<double>();
  return (lower.array() <= end.array()).all() && (upper.array() >= domain.origin.array()).all();
}

void check_gauges(const Parameters& p, const Place& place) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < p.gauges.size(); ++i) {
    const Place entry = place.entry("gauge", i);
    check_name(p.gauges[i].name, taken, entry);
    check_place(p, p.gauges[i], entry);
  }
}

}  // namespace freshet::config
