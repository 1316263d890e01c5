// SPDX-License-Identifier: Apache-2.0
// Heights of water on parallel lines whose feet are evenly spaced on another line.
#include "makers.hpp"
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
    line.type = GaugeType::height;
    for (int n = 0; n < parameters.count; ++n) {
      line.start = foot_of_line(parameters, n);
      line.end = line.start + parameters.line;
      lines_.push_back(make_height_gauge(line, setup));
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

}  // namespace

std::unique_ptr<Gauge> make_profile_gauge(const GaugeParameters& parameters, const GaugeSetup& setup) {
  return std::make_unique<ProfileGauge>(parameters, setup);
}

}  // namespace freshet
