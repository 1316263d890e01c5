// SPDX-License-Identifier: Apache-2.0
// The height of water on a line, from the level set on the line and the particles in a column around it.
#include "blocks.hpp"
#include "freshet/gauges/water_column.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "makers.hpp"
#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace freshet {
namespace {

/// A column of square cross-section around a line, cut into slices of a cell's length.
struct Column {
  Vec3 start, along, across, aside;  ///< the line's start [m] and three unit vectors
  double length = 0.0;               ///< [m]
  double half_width = 0.0;           ///< [m]
  double step = 0.0;                 ///< length of a slice [m]
  bool is_flat = false;              ///< 2-D: the column is as thick as the layer of cells

  int n_slices() const { return std::max(1, static_cast<int>(std::ceil(length / step - 1e-9))); }
  double slice_length(int i) const { return std::min(step, length - i * step); }
  /// The slice that a point lies in; -1 outside the column.
  int slice_of(const Vec3& x) const {
    const Vec3 r = x - start;
    const double s = r.dot(along);
    if (s < 0.0 || s >= length || std::abs(r.dot(across)) > half_width) return -1;
    if (!is_flat && std::abs(r.dot(aside)) > half_width) return -1;
    return std::min(static_cast<int>(s / step), n_slices() - 1);
  }
  Box bounds() const {
    const Vec3 side = half_width * (across.cwiseAbs() + aside.cwiseAbs());
    const Vec3 end = start + length * along;
    return {start.cwiseMin(end) - side, start.cwiseMax(end) + side};
  }
};

Column column_of(const GaugeParameters& p, const Domain& domain) {
  Column column;
  column.start = p.start;
  column.length = (p.end - p.start).norm();
  column.along = (p.end - p.start) / column.length;
  column.is_flat = domain.dimension() == 2;
  column.step = domain.dx();
  column.half_width = p.width > 0.0 ? 0.5 * p.width : domain.dx();
  if (column.is_flat) {
    column.aside = Vec3::UnitZ();
  } else {  // for a line along an axis, another axis
    int axis = 0;
    column.along.cwiseAbs().minCoeff(&axis);
    column.aside = column.along.cross(Vec3::Unit(axis)).normalized();
  }
  column.across = column.aside.cross(column.along);
  return column;
}

constexpr int parts = 4;  ///< phi is read at the ends of so many parts of a slice

/// The height of water on a line.
///
/// Near the surface of a body of liquid, a slice of the line holds the part of it in which phi < 0, with phi moved from
/// t^n to the end of the step:
///   phi(x, t^{n+1}) = phi(x, t^n) - dt u^{n+1}(x) . grad phi(x, t^n)
/// Elsewhere, in spray and in films that are thinner than phi can tell, it holds what the particles in the column
/// around it fill. Without a level set all slices do.
class HeightGauge : public Gauge {
 public:
  HeightGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : setup_(setup), column_(column_of(parameters, setup.domain)) {
    counts_.resize(static_cast<std::size_t>(column_.n_slices()));
    depths_.resize(counts_.size() * parts + 1);
  }

  void measure_flow(const GaugeFlow& flow) override {
    has_phi_ = flow.surface_distance != nullptr;
    std::fill(depths_.begin(), depths_.end(), 0);
    if (!has_phi_) return;
    with_shape(setup_.domain.dimension(), [&](auto shape) { read_phi<decltype(shape)>(flow); });
  }

  void measure_liquid(const GaugeLiquid& liquid) override {
    const bool any_moving = std::any_of(liquid.bodies.begin(), liquid.bodies.end(),
                                        [](const SolidBody& body) { return body.motion != nullptr; });
    if (slices_.empty() || any_moving) measure_capacity(liquid);
    std::fill(counts_.begin(), counts_.end(), 0);
    const Box bounds = column_.bounds();
    const Domain& domain = setup_.domain;
    for (LocalIndex b = 0; b < liquid.layout.n_owned(); ++b) {
      if (!overlap(block_box(liquid.layout, b), bounds)) continue;
      const Vec3 corner = liquid.layout.first_cell(b).cast<double>();
      for (ParticleIndex p = liquid.particles.block_begin()[b]; p < liquid.particles.block_begin()[b + 1]; ++p) {
        const ParticleReal* x = liquid.particles.position() + 3 * p;
        const int slice = column_.slice_of(domain.origin() + domain.dx() * (corner + Vec3(x[0], x[1], x[2])));
        if (slice >= 0) ++counts_[static_cast<std::size_t>(slice)];
      }
    }
  }

  void add_to(Reduction& reduction) override {
    for (GlobalIndex& count : counts_) reduction.sum(count);
    if (!has_phi_) return;
    for (GlobalIndex& depth : depths_) reduction.sum(depth);
  }

  std::vector<double> values() const override {
    std::vector<ColumnSlice> slices = slices_;
    for (std::size_t i = 0; i < slices.size(); ++i)
      slices[i].content =
          is_near_liquid(i) ? slices[i].capacity * part_below_surface(i) : static_cast<double>(counts_[i]);
    const WaterColumn water = water_column(slices);
    return {water.height, water.connected, water.top};
  }

 private:
  /// The n-th end of a part of a slice; in 2-D in the middle of the layer of cells. [m]
  Vec3 end_of_part(std::size_t n) const {
    const std::size_t slice = std::min(n / parts, counts_.size() - 1);
    const double share = static_cast<double>(n - slice * parts) / parts;
    const double s = static_cast<double>(slice) * column_.step + share * column_.slice_length(static_cast<int>(slice));
    Vec3 x = column_.start + s * column_.along;
    if (column_.is_flat) x.z() = setup_.domain.origin().z() + 0.5 * setup_.domain.dx();
    return x;
  }

  /// phi at the ends of parts in blocks of this rank, which are none of another rank's.
  template <class Shape>
  void read_phi(const GaugeFlow& flow) {
    const BlockLayout& layout = flow.labels.layout();
    const double per_metre = flow.dt / setup_.domain.dx();
    LocalIndex block = -1;
    std::optional<PhiAround<Shape>> phi;
    const PaddedExtents<Shape> extents(1);
    std::vector<double> velocities;
    for (std::size_t n = 0; n < depths_.size(); ++n) {
      const PointInBlock point = find_point(layout, end_of_part(n));
      if (point.block < 0) continue;
      if (point.block != block) {
        block = point.block;
        phi.emplace(*flow.surface_distance, flow.labels, block);
        velocities = velocity_around(flow.velocity, block, extents);
      }
      constexpr double last = block_width - 1e-9;  // what the interpolation reads ends there
      const Vec3 x = point.x.cwiseMax(0.0).cwiseMin(last);
      Vec3 slope;
      const double before = phi->at(x, slope);
      const Double4 u = PaddedVelocity<Shape>(extents, velocities.data()).at(Double4{x[0], x[1], x[2], 0.0});
      const double now = before - per_metre * slope.dot(Vec3(u[0], u[1], u[2]));
      constexpr double farthest = SurfaceDistance::farthest;
      depths_[n] = std::llround(to_count * (farthest - std::clamp(now, -farthest, farthest)));
    }
  }

  double phi_of(std::size_t n) const { return SurfaceDistance::farthest - static_cast<double>(depths_[n]) / to_count; }
  /// Whether phi < 0 somewhere in a slice or in those beside it.
  bool is_near_liquid(std::size_t slice) const {
    const std::size_t first = slice == 0 ? 0 : (slice - 1) * parts;
    const std::size_t last = std::min(depths_.size() - 1, (slice + 2) * parts);
    for (std::size_t n = first; n <= last; ++n)
      if (phi_of(n) < 0.0) return true;
    return false;
  }
  double part_below_surface(std::size_t slice) const {
    double sum = 0.0;
    for (std::size_t n = slice * parts; n < (slice + 1) * parts; ++n) {
      const double a = phi_of(n), b = phi_of(n + 1);
      const double low = std::min(a, b), high = std::max(a, b);
      sum += high <= 0.0 ? 1.0 : low >= 0.0 ? 0.0 : low / (low - high);
    }
    return sum / parts;
  }

  /// How many particles each slice holds if it is full: by samples of the space that is neither solid nor outside.
  void measure_capacity(const GaugeLiquid& liquid) {
    constexpr int samples = 8;  // along each axis of a slice
    std::vector<std::shared_ptr<const Shape>> solids;
    for (const SolidBody& body : liquid.bodies) solids.push_back(body.shape_at(liquid.time));
    const Box inside = domain_box(setup_.domain);
    const auto is_open = [&](const Vec3& x) {
      if ((x.array() < inside.lower.array()).any() || (x.array() > inside.upper.array()).any()) return false;
      return std::all_of(solids.begin(), solids.end(), [&](const auto& s) { return s->signed_distance(x) > 0.0; });
    };
    const double dx = setup_.domain.dx();
    const double thickness = column_.is_flat ? dx : 2.0 * column_.half_width;
    const int deep = column_.is_flat ? 1 : samples;
    const auto at = [](int i, int n) { return (i + 0.5) / n - 0.5; };  // -1/2 .. 1/2
    slices_.resize(counts_.size());
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const double length = column_.slice_length(static_cast<int>(i));
      const Vec3 middle = column_.start + (static_cast<double>(i) * column_.step + 0.5 * length) * column_.along;
      int open = 0;
      for (int a = 0; a < samples; ++a)
        for (int b = 0; b < samples; ++b)
          for (int c = 0; c < deep; ++c)
            if (is_open(middle + at(a, samples) * length * column_.along +
                        2.0 * column_.half_width * (at(b, samples) * column_.across + at(c, deep) * column_.aside)))
              ++open;
      const double share = static_cast<double>(open) / (samples * samples * deep);
      const double volume = share * length * 2.0 * column_.half_width * thickness;  // [m^3]
      constexpr double least_share = 0.05;  // what is left beside a solid holds hardly a particle
      slices_[i] = {length, 0.0, share < least_share ? 0.0 : setup_.per_cell * volume / (dx * dx * dx)};
    }
  }

  GaugeSetup setup_;
  Column column_;
  std::vector<ColumnSlice> slices_;  ///< without their content
  std::vector<GlobalIndex> counts_;  ///< particles by slice
  static constexpr double to_count = 1 << 20;
  std::vector<GlobalIndex> depths_;  ///< farthest - phi at the ends of parts, times to_count; 0 in air
  bool has_phi_ = false;
};

}  // namespace

std::unique_ptr<Gauge> make_height_gauge(const GaugeParameters& parameters, const GaugeSetup& setup) {
  return std::make_unique<HeightGauge>(parameters, setup);
}

}  // namespace freshet
