// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/gauges/gauge.hpp"
#include "makers.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

const std::vector<GaugeTypeRecord>& gauge_types() {
  using enum GaugeType;
  static const std::vector<GaugeTypeRecord> table = {
      {height,
       "height",
       "lengths of a line that liquid covers",
       {{"height", "m"}, {"connected", "m"}, {"top", "m"}},
       make_height_gauge},
      {pressure,
       "pressure",
       "pressure at a point, which may lie on a surface, or averaged over a patch around it",
       {{"pressure", "Pa"}, {"cell_pressure", "Pa"}, {"wet", ""}},
       make_pressure_gauge},
      {velocity,
       "velocity",
       "velocity at a point",
       {{"u", "m/s"}, {"v", "m/s"}, {"w", "m/s"}, {"wet", ""}},
       make_velocity_gauge},
      {force,
       "force",
       "force and moment of pressure and of viscous stress on a solid or on a side of the domain",
       {{"force_x", "N"},
        {"force_y", "N"},
        {"force_z", "N"},
        {"moment_x", "N m"},
        {"moment_y", "N m"},
        {"moment_z", "N m"},
        {"wet_area", "m^2"},
        {"viscous_force_x", "N"},
        {"viscous_force_y", "N"},
        {"viscous_force_z", "N"},
        {"viscous_moment_x", "N m"},
        {"viscous_moment_y", "N m"},
        {"viscous_moment_z", "N m"}},
       make_force_gauge},
      {flow_rate,
       "flow_rate",
       "volume per second that passes through a rectangle along an axis, positive in the direction of the axis",
       {{"flow_rate", "m^3/s"}, {"wet_area", "m^2"}},
       make_flow_rate_gauge},
      {region,
       "region",
       "volume and energy of the liquid in a box",
       {{"volume", "m^3"}, {"particles", ""}, {"kinetic_energy", "J"}, {"potential_energy", "J"}},
       make_region_gauge},
  };
  return table;
}

const GaugeTypeRecord& gauge_type(GaugeType type) {
  const GaugeTypeRecord& record = gauge_types()[static_cast<std::size_t>(type)];
  FRESHET_EXPECT(record.type == type);
  return record;
}

bool gauge_is_due(const GaugeParameters& gauge, std::int64_t step, double before, double after) {
  if (gauge.interval <= 0.0) return step % gauge.every == 0;
  constexpr double rounding = 1e-9;  // of an interval: a step that lands on an output time ends on either side of it
  return std::floor(after / gauge.interval + rounding) > std::floor(before / gauge.interval + rounding);
}

Gauges::Gauges(const std::vector<GaugeParameters>& parameters, const GaugeSetup& setup) {
  for (const GaugeParameters& gauge : parameters)
    entries_.push_back({gauge, gauge_type(gauge.type).make(gauge, setup), false, {}});
}

bool Gauges::need_viscous_forces() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.parameters.type == GaugeType::force; });
}

void Gauges::begin_run() {
  for (Entry& entry : entries_) entry.is_due = true;
}

void Gauges::begin_step(std::int64_t step, double before, double after) {
  for (Entry& entry : entries_) {
    entry.before = entry.is_due ? entry.gauge->values() : std::vector<double>{};
    entry.is_due = gauge_is_due(entry.parameters, step, before, after);
  }
  step_ = step;
}

std::vector<double> Gauges::row_of(std::size_t i, std::int64_t step) const {
  const Entry& entry = entries_[i];
  if (step < step_) return entry.before;  // the present step has begun to measure
  return entry.is_due ? entry.gauge->values() : std::vector<double>{};
}

void Gauges::measure_flow(const GaugeFlow& flow) {
  for (Entry& entry : entries_)
    if (entry.is_due) entry.gauge->measure_flow(flow);
}

void Gauges::measure_liquid(const GaugeLiquid& liquid) {
  for (Entry& entry : entries_)
    if (entry.is_due) entry.gauge->measure_liquid(liquid);
}

void Gauges::add_to(Reduction& reduction) {
  for (Entry& entry : entries_)
    if (entry.is_due) entry.gauge->add_to(reduction);
}

std::vector<CsvColumn> gauge_columns(const GaugeParameters& gauge) {
  std::vector<CsvColumn> columns = {{"step", ""}, {"t", "s"}};
  const std::vector<CsvColumn>& own = gauge_type(gauge.type).columns;
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

}  // namespace freshet
