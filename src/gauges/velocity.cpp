// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/exact_sum.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "makers.hpp"
#include "point.hpp"

#include <array>

namespace freshet {
namespace {

class VelocityGauge : public Gauge {
 public:
  explicit VelocityGauge(const GaugeParameters& parameters) : x_(parameters.point), solid_(parameters.solid) {}

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    const BlockLayout& layout = flow.labels.layout();
    const Pose pose =
        solid_ < 0 ? Pose() : flow.solids.bodies()[static_cast<std::size_t>(solid_)].pose(flow.solids.time());
    const PointInBlock point = find_point(layout, pose.to_world(x_));
    if (point.block < 0) return;
    with_shape(layout.domain().dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      const PaddedExtents<Shape> extents(1);
      const std::vector<double> values = velocity_around(flow.velocity, point.block, extents);
      constexpr double last = block_width - 1e-9;  // what the interpolation reads ends there
      const Vec3 x = point.x.cwiseMax(0.0).cwiseMin(last);
      const Double4 u = PaddedVelocity<Shape>(extents, values.data()).at(Double4{x[0], x[1], x[2], 0.0});
      for (int d = 0; d < Shape::dim; ++d) sums_[static_cast<std::size_t>(d)].add(u[d]);
      const int cell = Shape::cell(point.cell.x(), point.cell.y(), point.cell.z());
      if (flow.labels.block(point.block)[cell] == Label::liquid) sums_[3].add(1.0);
    });
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override {
    std::vector<double> values;
    for (const ExactSum& sum : totals_) values.push_back(sum.round());
    return values;
  }

 private:
  Vec3 x_;                          ///< where the case file puts it [m]
  int solid_;                       ///< that it moves along with; -1: none
  std::array<ExactSum, 4> sums_;    ///< of the rank that owns the point; 0 on the others
  std::array<ExactSum, 4> totals_;  ///< the same of all ranks, after the reduction
};

}  // namespace

std::unique_ptr<Gauge> make_velocity_gauge(const GaugeParameters& parameters, const GaugeSetup& /*setup*/) {
  return std::make_unique<VelocityGauge>(parameters);
}

}  // namespace freshet
