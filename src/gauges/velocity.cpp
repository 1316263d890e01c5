// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace freshet {
namespace {

/// The velocity at a point, and whether the point is in the liquid.
///
/// On a surface the point counts as in the liquid where it would for a pressure gauge. A point at most half a cell
/// inside a body is replaced by the nearest point of the body's surface.
class VelocityGauge : public Gauge {
 public:
  VelocityGauge(const GaugeParameters& parameters, const Domain& domain)
      : domain_(domain), x_(parameters.point), solid_(parameters.solid) {}

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    const BlockLayout& layout = flow.labels.layout();
    const Pose pose =
        solid_ < 0 ? Pose() : flow.solids.bodies()[static_cast<std::size_t>(solid_)].pose(flow.solids.time());
    const Vec3 x = pose.to_world(x_);
    with_shape(layout.domain().dimension(), [&](auto shape) {
      read_velocity<decltype(shape)>(flow, find_point(layout, x));
      const Vec3 outside = out_of_body(flow.solids, layout.domain(), x);
      const Vec3 normal = normal_at(flow.solids, layout.domain(), outside, -1);
      read_surface<decltype(shape)>(flow, find_surface_point(flow.solids, layout, outside, normal));
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

  std::string describe(const SolidFields& solids) const override {
    const Pose pose = solid_ < 0 ? Pose() : solids.bodies()[static_cast<std::size_t>(solid_)].pose(solids.time());
    const std::vector<double> now = values();
    return fmt::format("velocity {}: {}, ({:.4g}, {:.4g}, {:.4g}) m/s",
                       surroundings_text(solids, domain_, pose.to_world(x_)), wet_text(now[3]), now[0], now[1], now[2]);
  }

 private:
  template <class Shape>
  void read_velocity(const GaugeFlow& flow, const PointInBlock& point) {
    if (point.block < 0) return;
    FaceTile<double, Shape, 1> velocity;
    fill_with_sides(flow.velocity, point.block, velocity);
    constexpr double last = block_width - 1e-9;  // end of the faces that the interpolation reads
    const Vec3 x = point.x.cwiseMax(0.0).cwiseMin(last);
    const Double4 u = PaddedVelocity<Shape>(velocity).at(Double4{x[0], x[1], x[2], 0.0});
    for (int d = 0; d < Shape::dim; ++d) sums_[static_cast<std::size_t>(d)].add(u[d]);
  }
  template <class Shape>
  void read_surface(const GaugeFlow& flow, const SurfacePoint& point) {
    if (point.beside.block < 0) return;
    const PhiTile<Shape> phi(flow.surface, flow.labels, point.beside.block);
    if (is_in_liquid(point, phi)) sums_[3].add(1.0);
  }

  Domain domain_;
  Vec3 x_;                          ///< position in the case file [m]
  int solid_;                       ///< index of the solid that moves the point; -1: none
  std::array<ExactSum, 4> sums_;    ///< velocity [m/s], 1 in liquid; 0 on ranks without the point
  std::array<ExactSum, 4> totals_;  ///< sums over all ranks, after the reduction
};

std::vector<CsvColumn> velocity_columns(const GaugeParameters& /*parameters*/) {
  return {{"u", "m/s"}, {"v", "m/s"}, {"w", "m/s"}, {"wet", ""}};
}

}  // namespace

GaugeTypeRecord velocity_gauge() {
  return {"velocity",
          "velocity at a point",
          {"point", "solid"},
          check_point,
          velocity_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<VelocityGauge>(parameters, setup.domain);
          },
          GaugeNeeds::nothing,
          GaugePlace::point};
}

}  // namespace freshet
