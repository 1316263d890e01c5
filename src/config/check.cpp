// SPDX-License-Identifier: Apache-2.0
// Checks of the domain and the numbers of the method.
#include "check.hpp"

#include "freshet/gauges/gauge.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace freshet::config {
namespace {

using keys::number_text;

void check_sides(const Parameters& p, const Table& table) {
  for (int axis = 0; axis < p.domain.dimension; ++axis) check_periodic_axis(p.domain, axis, table);
  const auto dimension = static_cast<std::size_t>(p.domain.dimension);
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side) {
      const FaceCondition condition = p.domain.boundary[axis][side];
      const bool has_wall_key = p.pressure.walls.face[axis][side] != WallChoice::inherit;
      const auto require = [&](bool holds, const std::string& of, const char* why) {
        table.require(holds, of + keys::side_name(axis, side), "is given", why, "Leave it out");
      };
      if (axis < dimension) {
        require(is_wall(condition) || !has_wall_key, "pressure.walls.", "that side of the domain is not a wall");
      } else {
        require(condition == FaceCondition::free_slip, "domain.boundary.", "domain.dimension is 2");
        require(!has_wall_key, "pressure.walls.", "domain.dimension is 2");
      }
    }
}

void check_time(const Parameters& p, const Table& table) {
  const std::string min_dt = "min_dt is " + number_text(p.time.min_dt) + " s";
  if (table.gives("time.min_dt"))
    table.require(p.run.end_time >= p.time.min_dt, "time.min_dt",
                  "= " + number_text(p.time.min_dt) + " is above 'run.end_time'",
                  "end_time is " + number_text(p.run.end_time) + " s, and no step may be shorter than min_dt",
                  "Lower min_dt, or raise end_time");
  table.require(p.run.end_time >= p.time.min_dt, "run.end_time",
                "= " + number_text(p.run.end_time) + " is below 'time.min_dt'", min_dt + ", and no step may be shorter",
                "Raise end_time, or lower min_dt");
  table.require(p.time.max_dt == 0.0 || p.time.max_dt >= p.time.min_dt, "time.max_dt",
                "= " + number_text(p.time.max_dt) + " is below 'time.min_dt'", min_dt, "Raise max_dt, or lower min_dt");
}

void check_reseeding(const Parameters& p, const Table& table) {
  const ReseedingOptions& reseeding = p.particles.reseeding;
  const double full = std::pow(p.particles.per_axis, p.domain.dimension);
  table.require(!reseeding.enabled || reseeding.max >= full, "particles.reseeding.max",
                fmt::format("= {} is below what a full cell holds", reseeding.max),
                fmt::format("particles.per_axis makes that {}: reseeding would remove liquid", full), "Raise max");
  table.require(reseeding.min <= reseeding.max, "particles.reseeding.min",
                fmt::format("= {} is above 'particles.reseeding.max'", reseeding.min),
                fmt::format("max is {}", reseeding.max), "Lower min, or raise max");
}

/// Check that air.bubbles can follow the flow.
void check_air(const Parameters& p, const Table& table) {
  const bool is_on = p.air.bubbles != BubbleModel::off;
  table.require(!is_on || !p.motion.is_prescribed(), "air.bubbles", "is on with a prescribed velocity",
                "no pressure acts in such a run", "Leave one of them out");
  for (std::size_t i = 0; i < p.gauges.size(); ++i)
    table.entry("gauge", i)
        .require(is_on || gauge_type(p.gauges[i].type).needs != GaugeNeeds::bubbles, "type",
                 std::string("is \"") + gauge_type(p.gauges[i].type).name + "\"", "'air.bubbles' is \"off\"",
                 "Choose a model of bubbles, or another type");
}

/// Check that the domain of a prescribed field is the unit cube.
void check_prescribed_field(const Parameters& p, const Table& table) {
  if (!p.motion.is_prescribed()) return;
  table.require(p.density.correction == DensityMethod::off, "density.correction", "is given with 'motion.field'",
                "the correction needs the pressure solve, which a prescribed flow does not have",
                "Leave one of them out");
  const Vec3 upper = p.domain.origin + p.domain.cell_size * p.domain.cells.cast<double>();
  const int n = p.motion.field == MotionField::zalesak ? 2 : 3;  // axes on which the domain is 0 .. 1
  const double tolerance = side_tolerance * p.domain.cell_size;
  bool is_unit = p.domain.dimension >= n;
  for (int d = 0; d < n; ++d)
    is_unit = is_unit && std::abs(p.domain.origin[d]) <= tolerance && std::abs(upper[d] - 1.0) <= tolerance;
  table.require(is_unit, "motion.field",
                std::string("is given in a domain other than the unit ") + (n == 3 ? "cube" : "square"),
                fmt::format("its formulas hold in 0 .. 1 along {} axes", n == 3 ? "three" : "two"),
                "Change domain.cells, cell_size and origin");
}

}  // namespace

void check_parameters(const Parameters& p, const Table& table) {
  if (const keys::Value* frame = table.value.find("frame"))
    check_motion(p.frame, {*frame, "frame."}, p.domain.dimension);
  check_coordinates(p.domain, table);
  check_sides(p, table);
  check_walls(p.pressure.walls, table);
  check_time(p, table);
  check_reseeding(p, table);
  check_narrow_band(p, table);
  check_balance(p.balance, table);
  check_labels(p.labels, p.fluid, p.motion.is_prescribed(), table);
  check_tags(p, table);
  check_air(p, table);
  check_turbulent(p, table);
  check_forces(p.forces, {p.domain, p.fluid}, table);
  check_prescribed_field(p, table);
  check_scene(p, table);
  check_bodies(p, table);
  check_output(p, table);
  check_gauges(p.gauges, {p.domain, p.solids.size()}, table);
  check_amounts(p, table);
  const Vec3& rotation = p.fluid.rotation;
  table.require(p.domain.dimension == 3 || (rotation.x() == 0.0 && rotation.y() == 0.0), "fluid.rotation",
                "turns the flow out of its plane", "domain.dimension is 2", "Give a rotation about z: [0, 0, w]");
  check_extremes(p, table);
}

}  // namespace freshet::config
