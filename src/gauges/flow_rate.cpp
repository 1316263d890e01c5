// SPDX-License-Identifier: Apache-2.0
// Rate of the volume that passes through a rectangle across an axis.
#include "blocks.hpp"
#include "checks.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace freshet {
namespace {

/// A rectangle across an axis, and a layer of one cell around it in which the passage of liquid is measured.
///
/// The layer extends half a cell to either side of the rectangle; at a side of the domain it is moved into the domain.
class Layer {
 public:
  Layer(const Domain& domain, const Box& rectangle) : domain_(domain) {
    const Box box = clipped(domain, rectangle);
    const Vec3 size = box.upper - box.lower;
    is_outside_ = (size.array() < 0.0).any();
    if (is_outside_) return;
    const Vec3 extent = rectangle.upper - rectangle.lower;
    for (int d = 1; d < domain.dimension(); ++d)
      if (extent[d] < extent[axis_]) axis_ = d;
    area_ = size[(axis_ + 1) % 3] * size[(axis_ + 2) % 3];
    thickness_ = domain.dimension() == 2 ? size.z() / domain.dx() : 1.0;
    low_ = (box.lower - domain.origin()) / domain.dx();
    high_ = (box.upper - domain.origin()) / domain.dx();
    begin_ = low_[axis_] - 0.5;
    if (!domain.periodic(axis_)) begin_ = std::clamp(begin_, 0.0, std::max(0.0, domain.cells()[axis_] - 1.0));
    for (int d = 0; d < 3; ++d) {  // parts beyond a side of the domain by round-off count
      if (low_[d] <= 0.0) low_[d] = -1.0;
      if (high_[d] >= domain.cells()[d]) high_[d] = domain.cells()[d] + 1.0;
    }
  }
  bool is_outside() const { return is_outside_; }
  int axis() const { return axis_; }
  double area() const { return area_; }  ///< area of the rectangle inside the domain [m^2]
  /// Thickness of the rectangle along z in 2-D; 1 in 3-D. [cells]
  double thickness() const { return thickness_; }

  /// Distance of a place from the layer's low side along the axis; on a periodic axis that of its nearest copy. [cells]
  double depth(double along) const {
    double s = along - begin_;
    if (!domain_.periodic(axis_)) return s;
    const double period = domain_.cells()[axis_];
    return s - period * std::round((s - 0.5) / period);
  }
  /// Range along the axis of places within `reach` of the layer; infinite on a periodic axis. [cells]
  std::pair<double, double> range(double reach) const {
    constexpr double infinite = std::numeric_limits<double>::infinity(), rounding = 1e-6;
    if (domain_.periodic(axis_)) return {-infinite, infinite};
    return {begin_ - reach - rounding, begin_ + 1.0 + reach + rounding};
  }
  /// Part of a cube's cross-section inside the rectangle. \param[in] middle, side  [cells]
  double overlap(const Vec3& middle, double side) const {
    double part = 1.0;
    for (int d = 0; d < domain_.dimension(); ++d) {
      if (d == axis_) continue;
      const double common = std::min(middle[d] + 0.5 * side, high_[d]) - std::max(middle[d] - 0.5 * side, low_[d]);
      part *= side > 0.0 ? std::clamp(common / side, 0.0, 1.0) : (common >= 0.0 ? 1.0 : 0.0);
    }
    return part;
  }

 private:
  Domain domain_;
  bool is_outside_ = false;
  int axis_ = 0;
  double area_ = 0.0;  ///< area of the rectangle inside the domain [m^2]
  double thickness_ = 1.0;
  double begin_ = 0.0;                             ///< low side of the layer along the axis [cells]
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();  ///< corners of the rectangle relative to the domain's origin [cells]
};

/// The rate at which liquid passes through a rectangle.
///
/// With H(s), which rises from 0 to 1 across the layer around the rectangle, the rate is
///   Q = sum_p V_p (H(s_p^{n+1}) - H(s_p^n)) / dt
/// over parcels of volume V_p, which the velocity moves in the step. The sum of Q dt over steps is the volume that has
/// passed, averaged over the planes of the layer. At the surface parcels are particles. Inside the liquid, where cells
/// are full wherever their particles are, they are points half a cell apart.
class FlowRateGauge : public Gauge {
 public:
  FlowRateGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : setup_(setup), layer_(setup.domain, box_of(setup.domain, parameters)) {}

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    if (layer_.is_outside()) return;
    with_shape(setup_.domain.dimension(), [&](auto shape) {
      sum_over_blocks(flow.labels.layout().n_owned(), sums_,
                      [&](LocalIndex b) { return measure_block<decltype(shape)>(flow, b); });
    });
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override {
    const double dx = setup_.domain.dx(), area = layer_.thickness() * dx * dx;
    return {area * totals_[0].round(), area * totals_[1].round()};
  }

  std::string describe(const SolidFields& /*solids*/) const override {
    const double area = values()[1];
    return fmt::format("flow through a rectangle of {:.4g} m^2 across {}: {}", layer_.area(), "xyz"[layer_.axis()],
                       area > 0.0 ? fmt::format("{:.4g} m^2 wet", area) : std::string("dry"));
  }

 private:
  /// Sums over the parcels of one block.
  template <class Shape>
  class Parcels {
   public:
    Parcels(const Layer& layer, const GaugeFlow& flow, LocalIndex block)
        : layer_(layer),
          first_(flow.labels.layout().first_cell(block).template cast<double>()),
          dx_(flow.labels.layout().domain().dx()),
          dt_(flow.dt) {
      fill_with_sides(flow.velocity, block, values_);
      const double* const component = values_[layer.axis()];
      double fastest = 0.0;
      for (int n = 0; n < values_.size; ++n) fastest = std::max(fastest, std::abs(component[n]));
      reach_ = fastest * dt_ / dx_;
      const auto [low, high] = layer.range(reach_);
      low_ = low - first_[layer.axis()];
      high_ = high - first_[layer.axis()];
    }
    /// Whether a parcel in a range of the block along the axis [cells] may count; quicker than may_count().
    bool may_hold(double begin, double end) const { return end >= low_ && begin <= high_; }
    /// Whether a parcel at a place in the block [cells] may be in the layer before or after the step.
    bool may_count(const Vec3& x) const {
      const double before = layer_.depth(first_[layer_.axis()] + x[layer_.axis()]);
      return before >= -reach_ && before < 1.0 + reach_;
    }
    /// Whether no parcel within half_width of a place along the axis may count. [cells]
    bool is_out_of_reach(double middle, double half_width) const {
      return std::abs(layer_.depth(first_[layer_.axis()] + middle) - 0.5) > half_width + 0.5 + reach_;
    }
    /// Add a parcel. \pre may_count(x) \param[in] x  relative to the block [cells] \param[in] side  of the parcel's
    /// cube, of which the rectangle may cut a part [cells]
    void add(const Vec3& x, double volume, double side) {
      const int axis = layer_.axis();
      const double before = layer_.depth(first_[axis] + x[axis]);
      volume *= layer_.overlap(first_ + x, side);
      if (volume <= 0.0) return;
      const PaddedVelocity<Shape> velocity(values_);
      const bool is_in_layer = before >= 0.0 && before < 1.0;
      const Double4 u = velocity.at(inside(x));
      if (dt_ > 0.0) {
        const Vec3 halfway = x + 0.5 * dt_ / dx_ * Vec3(u[0], u[1], u[2]);
        const double after = before + dt_ / dx_ * velocity.at(inside(halfway))[axis];
        rate_ += volume * (std::clamp(after, 0.0, 1.0) - std::clamp(before, 0.0, 1.0)) * dx_ / dt_;
      } else if (is_in_layer) {
        rate_ += volume * u[axis];
      }
      if (is_in_layer) wet_ += volume;
    }
    std::array<double, 2> sums() const { return {rate_, wet_}; }

   private:
    /// The nearest place at which the velocity is known.
    static Double4 inside(const Vec3& x) {
      constexpr double last = block_width - 1e-9;  // end of the faces that the interpolation reads
      const Vec3 near = x.cwiseMax(-0.5).cwiseMin(last);
      return Double4{near[0], near[1], near[2], 0.0};
    }
    const Layer& layer_;
    Vec3 first_;  ///< the block's low corner [cells]
    double dx_, dt_;
    FaceTile<double, Shape, 1> values_;
    double reach_ = 0.0;             ///< farthest move along the axis [cells]
    double low_ = 0.0, high_ = 0.0;  ///< range along the axis that may count, relative to the block [cells]
    double rate_ = 0.0;              ///< rate of the volume [cells^2 m/s]
    double wet_ = 0.0;               ///< cross-section with liquid in the layer [cells^2]
  };

  template <class Shape>
  std::optional<std::array<double, 2>> measure_block(const GaugeFlow& flow, LocalIndex b) const {
    const BlockLayout& layout = flow.labels.layout();
    const ParticleIndex begin = flow.particles.block_begin()[b], end = flow.particles.block_begin()[b + 1];
    if (begin == end || !is_near(layout, b)) return std::nullopt;
    Parcels<Shape> parcels(layer_, flow, b);
    const double half_block = 0.5 * Shape::n(layer_.axis());
    if (parcels.is_out_of_reach(half_block, half_block)) return std::nullopt;
    const std::uint8_t* inner = flow.inner_cells.block(b);
    for (ParticleIndex p = begin; p < end; ++p) {
      const ParticleReal* r = flow.particles.position() + 3 * p;
      const double along = r[layer_.axis()];
      if (!parcels.may_hold(along, along)) continue;
      const Vec3 x(r[0], r[1], r[2]);
      if (!parcels.may_count(x)) continue;
      const int k = Shape::dim == 3 ? static_cast<int>(r[2]) : 0;
      if (inner[Shape::cell(static_cast<int>(r[0]), static_cast<int>(r[1]), k)] == 0)
        parcels.add(x, 1.0 / setup_.per_cell, 0.0);
    }
    for (int c = 0; c < Shape::cells; ++c)
      if (inner[c] != 0) add_full_cell(flow, b, c, parcels);
    return parcels.sums();
  }

  /// Whether liquid of a block may be in the layer before or after the step.
  bool is_near(const BlockLayout& layout, LocalIndex b) const {
    constexpr double farthest_move = 8.0;  // largest displacement in a step [cells]
    const Vec3 half = 0.5 * setup_.domain.block_cells().cast<double>();
    const Vec3 middle = layout.first_cell(b).cast<double>() + half;
    const int axis = layer_.axis();
    const double depth = layer_.depth(middle[axis]);
    return std::abs(depth - 0.5) < half[axis] + 0.5 + farthest_move &&
           layer_.overlap(middle, 2.0 * half.maxCoeff()) > 0.0;
  }

  template <class Shape>
  void add_full_cell(const GaugeFlow& flow, LocalIndex b, int c, Parcels<Shape>& parcels) const {
    const BlockLayout& layout = flow.labels.layout();
    const Domain& domain = setup_.domain;
    const int row = c / Shape::nx;
    const Vec3i cell(c % Shape::nx, row % Shape::ny, row / Shape::ny);
    if (!parcels.may_hold(cell[layer_.axis()], cell[layer_.axis()] + 1.0)) return;
    if (!domain.contains_cell(layout.first_cell(b) + cell)) return;
    const bool bodies_near = !flow.solids.bodies().empty() && flow.solids.nearest(b) < 1.0F;
    constexpr int n_parcels = 1 << Shape::dim;
    constexpr double side = 0.5;
    for (int corner = 0; corner < n_parcels; ++corner) {
      Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
      for (int d = 0; d < Shape::dim; ++d) x[d] += (corner >> d & 1) != 0 ? 0.25 : -0.25;
      if (!parcels.may_count(x)) continue;
      if (bodies_near) {
        double distance = 0.0;
        nearest_body_to(flow.solids, domain.origin() + domain.dx() * (layout.first_cell(b).cast<double>() + x),
                        distance);
        if (distance <= 0.0) continue;
      }
      parcels.add(x, 1.0 / n_parcels, side);
    }
  }

  GaugeSetup setup_;
  Layer layer_;
  std::array<ExactSum, 2> sums_;    ///< sums of this rank: rate [cells^2 m/s], liquid in the layer [cells^2]
  std::array<ExactSum, 2> totals_;  ///< sums over all ranks, after the reduction
};

void check_flow_rate(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  const int n_flat = check_corners(gauge, scene, table);
  table.require(n_flat == 1, "upper", fmt::format("equals '{}lower' along {} axes", table.name, n_flat),
                "a rectangle across an axis has corners that are equal along this axis alone",
                "Make them equal along one axis");
  check_common_part(gauge, scene, table);
}

std::vector<CsvColumn> flow_rate_columns(const GaugeParameters& /*parameters*/) {
  return {{"flow_rate", "m^3/s"}, {"wet_area", "m^2"}};
}

}  // namespace

GaugeTypeRecord flow_rate_gauge() {
  return {"flow_rate",
          "volume per second that passes through a rectangle along an axis, positive in the direction of the axis",
          {"lower", "upper"},
          check_flow_rate,
          flow_rate_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<FlowRateGauge>(parameters, setup);
          },
          GaugeNeeds::particles,
          GaugePlace::rectangle};
}

}  // namespace freshet
