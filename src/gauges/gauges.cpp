// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "freshet/gauges/gauge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet {

// The rows of the table below. Each stands beside its class, in the file of its name.
GaugeTypeRecord height_gauge();
GaugeTypeRecord pressure_gauge();
GaugeTypeRecord velocity_gauge();
GaugeTypeRecord force_gauge();
GaugeTypeRecord flow_rate_gauge();
GaugeTypeRecord region_gauge();
GaugeTypeRecord profile_gauge();
GaugeTypeRecord wall_stress_gauge();
GaugeTypeRecord bubbles_gauge();

const std::vector<GaugeTypeRecord>& gauge_types() {
  static const std::vector<GaugeTypeRecord> table = {height_gauge(),  pressure_gauge(),    velocity_gauge(),
                                                     force_gauge(),   flow_rate_gauge(),   region_gauge(),
                                                     profile_gauge(), wall_stress_gauge(), bubbles_gauge()};
  return table;
}

namespace {

/// Name in a checkpoint of a sum that belongs to a mean.
std::string kept_name(const GaugeParameters& gauge, const std::string& what) {
  return "mean." + gauge.name + "." + what;
}

}  // namespace

const GaugeTypeRecord& gauge_type(GaugeType type) {
  return gauge_types()[static_cast<std::size_t>(type)];
}

GaugeType gauge_type_named(std::string_view name) {
  const auto found = std::ranges::find_if(gauge_types(), [name](const auto& row) { return row.name == name; });
  FRESHET_EXPECT(found != gauge_types().end());
  return static_cast<GaugeType>(found - gauge_types().begin());
}

bool gauge_is_due(const GaugeParameters& gauge, std::int64_t step, double before, double after) {
  if (gauge.interval <= 0.0) return step % gauge.every == 0;
  constexpr double rounding = 1e-9;  // part of an interval: a step to an output time ends on either side of it
  return std::floor(after / gauge.interval + rounding) > std::floor(before / gauge.interval + rounding);
}

Gauges::Gauges(const std::vector<GaugeParameters>& parameters, const GaugeSetup& setup) {
  for (const GaugeParameters& gauge : parameters)
    entries_.push_back({gauge, gauge_type(gauge.type).make(gauge, setup), false, {}});
}

bool Gauges::need_viscous_forces() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return gauge_type(entry.parameters.type).needs == GaugeNeeds::viscous_forces;
  });
}

void Gauges::begin_run() {
  dt_ = 0.0;
  for (Entry& entry : entries_) {
    entry.measures = true;
    entry.has_row = !entry.parameters.mean;
  }
}

void Gauges::begin_step(std::int64_t step, double before, double after) {
  dt_ = after - before;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.before = entry.has_row ? values(i) : std::vector<double>{};
    entry.has_row = gauge_is_due(entry.parameters, step, before, after);
    entry.measures = entry.has_row || entry.parameters.mean;
  }
  step_ = step;
}

std::vector<double> Gauges::row_of(std::size_t i, std::int64_t step) const {
  const Entry& entry = entries_[i];
  if (step < step_) return entry.before;  // the present step has already measured
  return entry.has_row ? values(i) : std::vector<double>{};
}

void Gauges::measure_flow(const GaugeFlow& flow) {
  for (Entry& entry : entries_)
    if (entry.measures) entry.gauge->measure_flow(flow);
}

void Gauges::measure_liquid(const GaugeLiquid& liquid) {
  for (Entry& entry : entries_)
    if (entry.measures) entry.gauge->measure_liquid(liquid);
}

void Gauges::add_to(Reduction& reduction) {
  for (Entry& entry : entries_)
    if (entry.measures) entry.gauge->add_to(reduction);
}

void Gauges::end_step() {
  for (Entry& entry : entries_) {
    if (!entry.parameters.mean || dt_ <= 0.0) continue;
    const std::vector<double> values = entry.gauge->values();
    entry.sums.resize(values.size(), 0.0);
    for (std::size_t n = 0; n < values.size(); ++n) entry.sums[n] += dt_ * values[n];
    entry.time += dt_;
    if (!entry.has_row) continue;
    entry.means = std::exchange(entry.sums, {});
    for (double& mean : entry.means) mean /= entry.time;
    entry.time = 0.0;
  }
}

std::vector<double> Gauges::values(std::size_t i) const {
  return entries_[i].parameters.mean ? entries_[i].means : entries_[i].gauge->values();
}

std::vector<NamedNumber> Gauges::kept() const {
  std::vector<NamedNumber> numbers;
  for (const Entry& entry : entries_) {
    if (entry.sums.empty()) continue;
    numbers.push_back({kept_name(entry.parameters, "time"), entry.time});
    const std::vector<CsvColumn> columns = gauge_type(entry.parameters.type).columns(entry.parameters);
    for (std::size_t n = 0; n < columns.size(); ++n)
      numbers.push_back({kept_name(entry.parameters, columns[n].name), entry.sums[n]});
  }
  return numbers;
}

void Gauges::go_on(std::span<const NamedNumber> kept) {
  const auto find = [&](const std::string& name) -> const double* {
    const auto found = std::ranges::find(kept, name, &NamedNumber::name);
    return found != kept.end() ? std::get_if<double>(&found->value) : nullptr;
  };
  for (Entry& entry : entries_) {
    const double* time = find(kept_name(entry.parameters, "time"));
    if (!entry.parameters.mean || time == nullptr || !(*time > 0.0)) continue;
    std::vector<double> sums;
    const std::vector<CsvColumn> columns = gauge_type(entry.parameters.type).columns(entry.parameters);
    for (const CsvColumn& column : columns)
      if (const double* sum = find(kept_name(entry.parameters, column.name))) sums.push_back(*sum);
    if (sums.size() != columns.size()) continue;
    entry.time = *time;
    entry.sums = std::move(sums);
  }
}

std::vector<CsvColumn> gauge_columns(const GaugeParameters& gauge) {
  std::vector<CsvColumn> columns = {{"step", ""}, {"t", "s"}};
  for (const CsvColumn& column : gauge_type(gauge.type).columns(gauge))
    columns.push_back({(gauge.mean ? "mean_" : "") + column.name, column.unit});
  return columns;
}

}  // namespace freshet
