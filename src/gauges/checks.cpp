// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include "freshet/grid/domain_sides.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet {

void need_key(const GaugeParameters& gauge, const keys::Table& table, const std::string& key) {
  table.require(table.gives(key), key, "is missing",
                fmt::format("a gauge of type \"{}\" needs it", gauge_type(gauge.type).name), "Add it");
}

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

void check_solid(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  table.require(gauge.solid < static_cast<int>(scene.n_solids), "solid", fmt::format("= {} is not there", gauge.solid),
                fmt::format("there are {} [[solid]], counted from 0", scene.n_solids), "Choose one of them");
}

void check_point(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  need_key(gauge, table, "point");
  table.require(meets_domain(scene.domain, gauge.point, gauge.point), "point", "lies outside the domain",
                "nothing can be measured there", "Choose a point of the domain");
  check_solid(gauge, scene, table);
}

int check_corners(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  need_key(gauge, table, "lower");
  need_key(gauge, table, "upper");
  const int dimension = scene.domain.dimension;
  const Vec3 size = gauge.upper - gauge.lower;
  int n_flat = 0;
  for (int d = 0; d < 3; ++d) n_flat += d < dimension && size[d] == 0.0 ? 1 : 0;
  table.require((size.array() >= 0.0).all(), "upper", "is below '" + table.name + "lower'",
                "a box has a low and a high corner", "Exchange them");
  return n_flat;
}

void check_common_part(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  const int dimension = scene.domain.dimension;
  const Vec3 size = gauge.upper - gauge.lower;
  table.require(meets_domain(scene.domain, gauge.lower, gauge.upper), "lower", "lies outside the domain",
                "nothing can be measured there", "Choose a box that meets the domain");
  const Vec3 high = scene.domain.origin + scene.domain.cell_size * scene.domain.cells.cast<double>();
  const Vec3 common = gauge.upper.cwiseMin(high) - gauge.lower.cwiseMax(scene.domain.origin);
  for (int d = 0; d < 3; ++d)
    table.require(d >= dimension || size[d] == 0.0 || common[d] > side_tolerance * scene.domain.cell_size, "lower",
                  fmt::format("touches the domain along {} alone", "xyz"[d]), "nothing can be measured there",
                  "Choose a box that reaches into the domain");
}

}  // namespace freshet
