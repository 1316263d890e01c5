// SPDX-License-Identifier: Apache-2.0
// Volume that passes through a rectangle along an axis.
#include "blocks.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "makers.hpp"
#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace freshet {
namespace {

class FlowRateGauge : public Gauge {
 public:
  FlowRateGauge(const GaugeParameters& parameters, const GaugeSetup& setup) : setup_(setup) {
    place_samples(clipped(setup.domain, {parameters.lower, parameters.upper}));
  }

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    const BlockLayout& layout = flow.labels.layout();
    std::map<LocalIndex, std::vector<PointInBlock>> owned;
    for (const Vec3& x : samples_) {
      const PointInBlock point = find_point(layout, x);
      if (point.block >= 0 && is_open(flow.solids, point.block, x)) owned[point.block].push_back(point);
    }
    with_shape(setup_.domain.dimension(), [&](auto shape) {
      for (const auto& [block, points] : owned) measure_block<decltype(shape)>(flow, block, points);
    });
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override { return {area_ * totals_[0].round(), area_ * totals_[1].round()}; }

 private:
  /// Samples in the middle of equal rectangles of at most half a cell.
  void place_samples(const Box& box) {
    const Vec3 size = box.upper - box.lower;
    if ((size.array() < 0.0).any()) return;  // outside the domain
    size.minCoeff(&axis_);
    Vec3i n = Vec3i::Ones();
    for (int d = 0; d < 3; ++d)
      if (d != axis_) n[d] = std::max(1, static_cast<int>(std::ceil(2.0 * size[d] / setup_.domain.dx() - 1e-9)));
    area_ = 1.0;
    for (int d = 0; d < 3; ++d)
      if (d != axis_) area_ *= size[d] / n[d];
    for (int k = 0; k < n.z(); ++k)
      for (int j = 0; j < n.y(); ++j)
        for (int i = 0; i < n.x(); ++i) {
          const Vec3 part = (Vec3(i, j, k) + Vec3::Constant(0.5)).cwiseQuotient(n.cast<double>());
          samples_.emplace_back(box.lower + size.cwiseProduct(part));
        }
  }

  static bool is_open(const SolidFields& solids, LocalIndex block, const Vec3& x) {
    if (solids.bodies().empty() || solids.nearest(block) > 1.0F) return true;
    double distance = 0.0;
    nearest_body_to(solids, x, distance);
    return distance > 0.0;
  }

  /// Add the velocity and the share of liquid at points of a block.
  template <class Shape>
  void measure_block(const GaugeFlow& flow, LocalIndex b, const std::vector<PointInBlock>& points) {
    const std::array<double, Shape::cells> shares = liquid_shares<Shape>(flow, b);
    const PaddedExtents<Shape> extents(1);
    const std::vector<double> values = velocity_around(flow.velocity, b, extents);
    const PaddedVelocity<Shape> velocity(extents, values.data());
    double rate = 0.0, wet = 0.0;
    for (const PointInBlock& point : points) {
      const double share =
          shares[static_cast<std::size_t>(Shape::cell(point.cell.x(), point.cell.y(), point.cell.z()))];
      constexpr double last = block_width - 1e-9;  // what the interpolation reads ends there
      const Vec3 x = point.x.cwiseMax(0.0).cwiseMin(last);
      rate += share * velocity.at(Double4{x[0], x[1], x[2], 0.0})[axis_];
      wet += share;
    }
    sums_[0].add(rate);
    sums_[1].add(wet);
  }

  /// The share of each cell's open part that liquid fills: 1 inside the liquid, elsewhere as its particles say.
  template <class Shape>
  std::array<double, Shape::cells> liquid_shares(const GaugeFlow& flow, LocalIndex b) const {
    std::array<double, Shape::cells> shares{};
    for (ParticleIndex p = flow.particles.block_begin()[b]; p < flow.particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* x = flow.particles.position() + 3 * p;
      const int k = Shape::dim == 3 ? static_cast<int>(x[2]) : 0;
      shares[static_cast<std::size_t>(Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), k))] +=
          1.0 / setup_.per_cell;
    }
    const bool bodies_near = !flow.solids.bodies().empty() && flow.solids.nearest(b) < 1.0F;
    for (int c = 0; c < Shape::cells; ++c) {
      double& share = shares[static_cast<std::size_t>(c)];
      if (bodies_near) {
        double distance = 0.0;
        const int row = c / Shape::nx;
        nearest_body_to(flow.solids,
                        center_of_cell(flow.labels.layout(), b, c % Shape::nx, row % Shape::ny, row / Shape::ny),
                        distance);
        constexpr double least = 0.1;  // a sliver holds too few particles to count by
        share /= std::clamp(0.5 + distance / setup_.domain.dx(), least, 1.0);
      }
      share = flow.inner_cells.block(b)[c] != 0 ? 1.0 : std::min(1.0, share);
    }
    return shares;
  }

  GaugeSetup setup_;
  int axis_ = 0;
  double area_ = 0.0;               ///< of a sample [m^2]
  std::vector<Vec3> samples_;       ///< [m]
  std::array<ExactSum, 2> sums_;    ///< velocity along the axis in liquid [m/s], share of liquid
  std::array<ExactSum, 2> totals_;  ///< the same of all ranks, after the reduction
};

}  // namespace

std::unique_ptr<Gauge> make_flow_rate_gauge(const GaugeParameters& parameters, const GaugeSetup& setup) {
  return std::make_unique<FlowRateGauge>(parameters, setup);
}

}  // namespace freshet
