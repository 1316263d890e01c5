// SPDX-License-Identifier: Apache-2.0
// Pressure at the points of a patch, which may lie on the surface of a solid or on a wall.
#include "checks.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/geometry/across.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "point.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace freshet {
namespace {

/// The value at `origin` of the linear function that fits values at points best. It has no slope along directions in
/// which the points do not differ.
class LinearFit {
 public:
  void add(const Vec3& r, double weight, double value) {
    const Eigen::Vector4d row(1.0, r.x(), r.y(), r.z());
    matrix_ += weight * row * row.transpose();
    right_ += weight * value * row;
  }
  double at_origin() const {
    constexpr double ridge = 1e-9;
    const Eigen::Vector4d weak = ridge * matrix_(0, 0) * Eigen::Vector4d(0.0, 1.0, 1.0, 1.0);
    return (matrix_ + Eigen::Matrix4d(weak.asDiagonal())).ldlt().solve(right_)[0];
  }
  bool empty() const { return matrix_(0, 0) <= 0.0; }

 private:
  Eigen::Matrix4d matrix_ = Eigen::Matrix4d::Zero();
  Eigen::Vector4d right_ = Eigen::Vector4d::Zero();
};

class PressureGauge : public Gauge {
 public:
  PressureGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : parameters_(parameters), domain_(setup.domain) {}

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    with_shape(domain_.dimension(), [&](auto shape) {
      for (const Vec3& x : points(flow.solids)) measure_point<decltype(shape)>(flow, x);
    });
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override {
    const double n = std::max(1.0, totals_[3].round());
    return {totals_[0].round() / n, totals_[1].round() / n, totals_[2].round() / n};
  }

  std::string describe(const SolidFields& solids) const override {
    const Vec3 x = pose(solids).to_world(parameters_.point);
    const Vec3 out = normal(solids, x) + Vec3::Zero();  // turns -0 into 0
    std::string text = "pressure " + surroundings_text(solids, domain_, x);
    if (parameters_.size > 0.0)
      text += fmt::format(", over a {} {:.4g} m across", parameters_.patch == PatchShape::round ? "disc" : "square",
                          parameters_.size);
    if (!out.isZero(0.0)) text += fmt::format(", normal ({:.3g}, {:.3g}, {:.3g})", out.x(), out.y(), out.z());
    return fmt::format("{}: {}, {:.5g} Pa", text, wet_text(values()[2]), values()[0]);
  }

 private:
  Vec3 normal(const SolidFields& solids, const Vec3& x) const {
    if (!parameters_.normal.isZero(0.0)) return pose(solids).rotation * parameters_.normal.normalized();
    return normal_at(solids, domain_, x, parameters_.solid);
  }

  /// Pose of the solid that moves the point; at rest without one.
  Pose pose(const SolidFields& solids) const {
    if (parameters_.solid < 0) return {};
    return solids.bodies()[static_cast<std::size_t>(parameters_.solid)].pose(solids.time());
  }

  /// Points of the patch, at most one cell apart.
  std::vector<Vec3> points(const SolidFields& solids) const {
    const int n = std::max(1, static_cast<int>(std::ceil(parameters_.size / domain_.dx() - 1e-9)));
    const Pose now = pose(solids);
    if (n == 1) return {now.to_world(parameters_.point)};
    // sides of the patch in the body's axes, so that they turn with the body
    Vec3 out = now.rotation.transpose() * normal(solids, now.to_world(parameters_.point));
    if (out.isZero(0.0)) out = Vec3::UnitX();
    Vec3 across, aside;
    if (domain_.dimension() == 2) {
      across = Vec3::UnitZ().cross(out).normalized();
      aside = Vec3::Zero();
    } else {
      aside = unit_across(out);
      across = aside.cross(out);
    }
    std::vector<Vec3> result;
    const auto at = [&](int i) { return 2.0 * (i + 0.5) / n - 1.0; };  // from -1 to 1
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < (domain_.dimension() == 2 ? 1 : n); ++j) {
        const Eigen::Vector2d place = 0.5 * parameters_.size * on_patch(at(i), at(j));
        result.emplace_back(now.to_world(parameters_.point + place.x() * across + place.y() * aside));
      }
    return result;
  }

  /// Map the square -1 .. 1 to the patch. Parts of equal area of the square become parts of equal area of a disc.
  /// Source: Shirley & Chiu 1997, "A low distortion map between disk and square"
  Eigen::Vector2d on_patch(double a, double b) const {
    if (parameters_.patch == PatchShape::square || (a == 0.0 && b == 0.0)) return {a, b};
    constexpr double eighth = 0.25 * std::numbers::pi;
    const bool is_wide = std::abs(a) > std::abs(b);
    const double radius = is_wide ? a : b;
    const double angle = is_wide ? eighth * b / a : eighth * (2.0 - a / b);
    return radius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }

  /// Measure a point on the rank that owns the cell beside it in the liquid: the linear fit at the point to pressures
  /// of liquid cells around that cell. A cell's weight is less the more of it a solid fills or lies behind the
  /// surface's plane, because the pressure beyond a body's edge is another.
  ///
  /// With a level set a point is in the liquid if phi < 0 there. Without surface tension the fit then also has p = 0 at
  /// the places between two of these cells where phi = 0: there the projection sets it.
  template <class Shape>
  void measure_point(const GaugeFlow& flow, const Vec3& x) {
    const BlockLayout& layout = flow.labels.layout();
    const double dx = domain_.dx();
    const Vec3 out = normal(flow.solids, x);
    const SurfacePoint point = find_surface_point(flow.solids, layout, x, out);
    if (point.beside.block < 0) return;
    sums_[3].add(1.0);
    const LocalIndex block = point.beside.block;
    const PressureTile<Shape> pressure(flow.pressure, flow.labels, block);
    const PhiTile<Shape> phi(flow.surface, flow.labels, block);
    if (!is_in_liquid(point, phi)) return;
    const Vec3i& c = point.beside.cell;
    const Vec3& at_point = point.x;
    const Vec3 corner = domain_.origin() + dx * layout.first_cell(block).cast<double>();
    LinearFit fit;
    const auto add = [&](const Vec3& place, double value) {
      double distance = 0.0;
      nearest_body_to(flow.solids, corner + dx * place, distance);
      Vec3 r = place - at_point;
      if (Shape::dim == 2) r.z() = 0.0;
      double open = std::clamp(0.5 + distance / dx, 0.0, 1.0);
      if (!out.isZero(0.0)) open = std::min(open, std::clamp(0.5 + r.dot(out), 0.0, 1.0));
      if (open > 0.0) fit.add(r, open, value);
    };
    const int deep = Shape::dim == 3 ? 1 : 0;
    for (int k = -deep; k <= deep; ++k)
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const Vec3i offset(i, j, k), cell = c + offset;
          if (!pressure.is_liquid(cell.x(), cell.y(), cell.z())) continue;
          const Vec3 center = cell.cast<double>() + Vec3::Constant(0.5);
          add(center, pressure(cell.x(), cell.y(), cell.z()));
          for (int d = 0; d < Shape::dim && !flow.has_tension; ++d)
            for (const int side : {-1, 1}) {
              if (std::abs(offset[d] + side) > 1) continue;
              const Vec3i next = cell + side * Vec3i::Unit(d);
              if (const std::optional<double> theta = phi.surface_between(cell, next))
                add(center + *theta * side * Vec3::Unit(d), 0.0);
            }
        }
    const double of_cell = pressure(c.x(), c.y(), c.z());
    sums_[0].add(fit.empty() ? of_cell : fit.at_origin());
    sums_[1].add(of_cell);
    sums_[2].add(1.0);
  }

  GaugeParameters parameters_;
  Domain domain_;
  std::array<ExactSum, 4> sums_;    ///< sums of pressure by fit and by cell [Pa], of points in liquid, and of points
  std::array<ExactSum, 4> totals_;  ///< sums over all ranks, after the reduction
};

/// Check the place half a cell along the normal, which the gauge reads: it must lie in the domain.
void check_normal(const GaugeParameters& gauge, const DomainOptions& domain, const keys::Table& table) {
  if (gauge.normal.isZero(0.0) || gauge.solid >= 0) return;  // a solid may turn it
  const Vec3 beside = gauge.point + 0.5 * domain.cell_size * gauge.normal.normalized();
  const Vec3 high = domain.origin + domain.cell_size * domain.cells.cast<double>();
  const double tolerance = side_tolerance * domain.cell_size;
  for (int d = 0; d < domain.dimension; ++d) {
    const bool is_periodic = domain.boundary[static_cast<std::size_t>(d)][0] == FaceCondition::periodic;
    table.require(is_periodic || (beside[d] >= domain.origin[d] - tolerance && beside[d] <= high[d] + tolerance),
                  "normal", "points out of the domain", "it is the direction from the surface into the liquid",
                  "Turn it round, or leave it out");
  }
}

void check_pressure(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  check_point(gauge, scene, table);
  check_normal(gauge, scene.domain, table);
  table.require(gauge.size <= 1e3 * scene.domain.cell_size, "size", "is too large",
                "a patch has at most 1000 cells a side", "Give the side of the patch in m");
  table.require(gauge.patch == PatchShape::square || scene.domain.dimension == 3, "patch", "is \"round\"",
                "in 2-D a patch is a line", "Leave it out");
  table.require(gauge.patch == PatchShape::square || gauge.size > 0.0, "patch", "is given without size",
                "a disc has a diameter", "Give size, or leave patch out");
}

std::vector<CsvColumn> pressure_columns(const GaugeParameters& /*parameters*/) {
  return {{"pressure", "Pa"}, {"cell_pressure", "Pa"}, {"wet", ""}};
}

}  // namespace

GaugeTypeRecord pressure_gauge() {
  return {"pressure",
          "pressure at a point, which may lie on a surface, or averaged over a patch around it",
          {"point", "normal", "size", "patch", "solid"},
          check_pressure,
          pressure_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<PressureGauge>(parameters, setup);
          },
          GaugeNeeds::nothing,
          GaugePlace::point};
}

}  // namespace freshet
