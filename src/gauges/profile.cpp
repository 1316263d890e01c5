// SPDX-License-Identifier: Apache-2.0
// Heights of water on parallel lines whose feet are evenly spaced on another line.
#include "checks.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace freshet {
namespace {

class ProfileGauge : public Gauge {
 public:
  ProfileGauge(const GaugeParameters& parameters, const GaugeSetup& setup) : parameters_(parameters) {
    GaugeParameters line = parameters;
    line.type = gauge_type_named("height");
    for (int n = 0; n < parameters.count; ++n) {
      line.start = foot_of_line(parameters, n);
      line.end = line.start + parameters.line;
      lines_.push_back(gauge_type(line.type).make(line, setup));
    }
  }

  void measure_flow(const GaugeFlow& flow) override {
    for (const auto& line : lines_) line->measure_flow(flow);
  }
  void measure_liquid(const GaugeLiquid& liquid) override {
    for (const auto& line : lines_) line->measure_liquid(liquid);
  }
  void add_to(Reduction& reduction) override {
    for (const auto& line : lines_) line->add_to(reduction);
  }
  std::vector<double> values() const override {
    std::vector<double> values;
    std::ranges::transform(lines_, std::back_inserter(values), [this](const auto& line) {
      return line->values()[static_cast<std::size_t>(parameters_.quantity)];
    });
    return values;
  }
  std::string describe(const SolidFields& /*solids*/) const override {
    const std::vector<double> now = values();
    return fmt::format("{} lines of {:.4g} m from {} to {}: {} of them wet", lines_.size(), parameters_.line.norm(),
                       place_text(parameters_.start), place_text(parameters_.end),
                       std::ranges::count_if(now, [](double value) { return value > 0.0; }));
  }

 private:
  GaugeParameters parameters_;
  std::vector<std::unique_ptr<Gauge>> lines_;
};

void check_profile(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  constexpr double most_cells = 1e5;  // largest number for all lines together
  const double dx = scene.domain.cell_size;
  for (const char* key : {"start", "end", "line", "count"}) need_key(gauge, table, key);
  table.require(gauge.end != gauge.start, "end", "equals '" + table.name + "start'", "lines stand in different places",
                "Move one of them");
  table.require(gauge.line.norm() > 0.0, "line", "is zero", "a line has a length",
                "Give the way from the foot of a line to its other end");
  table.require(gauge.line.norm() * gauge.count <= most_cells * dx, "count",
                fmt::format("= {} is too large", gauge.count),
                fmt::format("the lines have at most {:.0f} cells together", most_cells), "Take fewer or shorter lines");
  for (int n = 0; n < gauge.count; ++n) {
    const Vec3 foot = foot_of_line(gauge, n);
    table.require(length_in_domain(scene.domain, foot, foot + gauge.line) > side_tolerance * dx, "start",
                  fmt::format("and '{}end' put line {} outside the domain", table.name, n),
                  "nothing can be measured there", "Let all lines pass through the domain");
  }
}

/// Lines are counted from 0. Names hold no positions, because tools remove points and signs from names.
std::vector<CsvColumn> profile_columns(const GaugeParameters& parameters) {
  const std::string quantity = height_gauge().columns(parameters)[static_cast<std::size_t>(parameters.quantity)].name;
  const std::size_t digits = std::to_string(parameters.count - 1).size();
  std::vector<CsvColumn> columns;
  for (int n = 0; n < parameters.count; ++n) columns.push_back({fmt::format("{}_{:0{}}", quantity, n, digits), "m"});
  return columns;
}

}  // namespace

GaugeTypeRecord profile_gauge() {
  return {"profile",
          "lengths of parallel lines that liquid covers, whose feet stand evenly on another line",
          {"start", "end", "line", "count", "quantity", "width"},
          check_profile,
          profile_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<ProfileGauge>(parameters, setup);
          },
          GaugeNeeds::particles_of_voxels,
          GaugePlace::lines};
}

}  // namespace freshet
