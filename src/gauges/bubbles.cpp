// SPDX-License-Identifier: Apache-2.0
// Bubbles of trapped air: their number, volumes and pressures.
#include "checks.hpp"
#include "freshet/air/trapped_air.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace freshet {
namespace {

/// The number of all bubbles and their volume, then id, volume and pressure of the largest ones.
class BubblesGauge : public Gauge {
 public:
  explicit BubblesGauge(int listed) : listed_(static_cast<std::size_t>(listed)) {}

  void measure_flow(const GaugeFlow& flow) override {
    constexpr double no_bubble[] = {-1.0, 0.0, 0.0};
    values_.assign(2, 0.0);
    order_.clear();
    if (flow.air != nullptr) {
      const std::vector<TrappedBubble>& bubbles = flow.air->bubbles();
      values_ = {static_cast<double>(bubbles.size()), flow.air->volume()};
      order_.resize(bubbles.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      std::ranges::sort(order_, {}, [&](std::size_t n) { return std::pair(-bubbles[n].volume, n); });
    }
    for (std::size_t n = 0; n < listed_; ++n) {
      if (n < order_.size()) {
        const TrappedBubble& bubble = flow.air->bubbles()[order_[n]];
        values_.insert(values_.end(),
                       {static_cast<double>(bubble.id), bubble.volume, flow.air->gauge_pressure(bubble)});
      } else {
        values_.insert(values_.end(), std::begin(no_bubble), std::end(no_bubble));
      }
    }
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& /*reduction*/) override {}  // all ranks know all bubbles
  std::vector<double> values() const override { return values_; }
  std::string describe(const SolidFields& /*solids*/) const override {
    return fmt::format("{:.0f} bubbles of trapped air, {:.4g} m^3", values_[0], values_[1]);
  }

 private:
  std::size_t listed_;
  std::vector<double> values_;
  std::vector<std::size_t> order_;  ///< bubbles, the largest first
};

void check_bubbles(const GaugeParameters& gauge, const GaugeScene& /*scene*/, const keys::Table& table) {
  table.require(!gauge.mean || gauge.largest == 0, "mean", "is given for single bubbles",
                "which bubble is the largest changes from step to step", "Set largest = 0, or leave mean out");
}

/// Bubbles are counted from 0, the largest.
std::vector<CsvColumn> bubbles_columns(const GaugeParameters& parameters) {
  std::vector<CsvColumn> columns = {{"bubbles", ""}, {"volume", "m^3"}};
  const std::size_t digits = std::to_string(std::max(0, parameters.largest - 1)).size();
  for (int n = 0; n < parameters.largest; ++n) {
    columns.push_back({fmt::format("id_{:0{}}", n, digits), ""});
    columns.push_back({fmt::format("volume_{:0{}}", n, digits), "m^3"});
    columns.push_back({fmt::format("pressure_{:0{}}", n, digits), "Pa"});
  }
  return columns;
}

}  // namespace

GaugeTypeRecord bubbles_gauge() {
  return {"bubbles",
          "number and volume of the bubbles of trapped air, and number, volume and pressure of the largest ones",
          {"largest"},
          check_bubbles,
          bubbles_columns,
          [](const GaugeParameters& parameters, const GaugeSetup&) -> std::unique_ptr<Gauge> {
            return std::make_unique<BubblesGauge>(parameters.largest);
          },
          GaugeNeeds::bubbles};
}

}  // namespace freshet
