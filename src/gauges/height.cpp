// SPDX-License-Identifier: Apache-2.0
// Height of water on a line, from the level set on the line and from particles in a column around it.
#include "blocks.hpp"
#include "checks.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/free_surface/surface_distance.hpp"
#include "freshet/gauges/water_column.hpp"
#include "freshet/geometry/across.hpp"
#include "freshet/grid/domain_sides.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace freshet {
namespace {

/// A column of square cross-section around a line.
struct Column {
  Vec3 start, along, across, aside;  ///< start of the line [m] and three unit vectors
  double length = 0.0;               ///< length of the line [m]
  double half_width = 0.0;           ///< half the side of the cross-section [m]
  bool is_flat = false;              ///< in 2-D the column is as thick as the layer of cells

  /// Distance of a point's foot from the line's start [m]; negative outside the column.
  double place_of(const Vec3& x) const {
    const Vec3 r = x - start;
    const double s = r.dot(along);
    if (s >= length || std::abs(r.dot(across)) > half_width) return -1.0;
    return is_flat || std::abs(r.dot(aside)) <= half_width ? s : -1.0;
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
  column.half_width = p.width > 0.0 ? 0.5 * p.width : domain.dx();
  if (column.is_flat) {
    column.start.z() = domain.origin().z() + 0.5 * domain.dx();  // in the middle of the layer of cells
    column.aside = Vec3::UnitZ();
  } else {
    column.aside = unit_across(column.along);  // for a line along an axis, another axis
  }
  column.across = column.aside.cross(column.along);
  return column;
}

/// The length of a line in the box of the domain. [m]
double length_inside(const Column& column, const Domain& domain) {
  const Box box = domain.box();
  double begin = 0.0, end = column.length;
  for (int d = 0; d < domain.dimension(); ++d) {
    if (column.along[d] == 0.0) continue;
    const double a = (box.lower[d] - column.start[d]) / column.along[d];
    const double b = (box.upper[d] - column.start[d]) / column.along[d];
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
  }
  return std::max(0.0, end - begin);
}

/// The space outside of solids and inside the domain.
class OpenSpace {
 public:
  OpenSpace(const Domain& domain, const std::vector<SolidBody>& bodies, double time)
      : inside_(domain.box()), dimension_(domain.dimension()) {
    for (const SolidBody& body : bodies) shapes_.push_back(body.shape_at(time));
  }
  /// Copy with only those solids that may reach into a ball; inside the ball distances have the same signs.
  OpenSpace around(const Vec3& x, double radius) const {
    OpenSpace space = *this;
    std::erase_if(space.shapes_, [&](const auto& shape) { return shape->signed_distance(x) > radius; });
    return space;
  }
  /// Distance to the nearest solid or side of the domain; negative in solids and outside the domain. [m]
  double distance(const Vec3& x) const {
    double distance = std::numeric_limits<double>::infinity();
    for (int d = 0; d < dimension_; ++d)
      distance = std::min({distance, x[d] - inside_.lower[d], inside_.upper[d] - x[d]});
    for (const auto& shape : shapes_) distance = std::min(distance, shape->signed_distance(x));
    return distance;
  }

 private:
  Box inside_;
  int dimension_;
  std::vector<std::shared_ptr<const Shape>> shapes_;
};

constexpr int parts = 4;  ///< number of parts of a slice; phi is read at their ends

/// The height of water on a line.
///
/// Solids cut the line, and the pieces between them are cut into slices of about a cell: so a solid takes its part of
/// the line wherever its surface lies in a cell, and the water ends at the solid.
///
/// Near the surface of a body of liquid, a slice holds the part of it where phi < 0; phi is moved from t^n to the end
/// of the step:
///   phi(x, t^{n+1}) = phi(x, t^n) - dt u^{n+1}(x) . grad phi(x, t^n)
/// Elsewhere, in spray and in films too thin for phi, a slice holds the share of the column's open space that particles
/// in the column fill. Without a level set this holds for all slices.
class HeightGauge : public Gauge {
 public:
  HeightGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : setup_(setup), column_(column_of(parameters, setup.domain)) {}

  void measure_flow(const GaugeFlow& flow) override {
    const double end = flow.solids.time() + flow.dt;
    const bool is_near_moving = flow.solids.any_moving() && may_touch_moving(flow.solids.bodies(), end);
    if (pieces_.empty() || is_near_moving || was_near_moving_) cut({setup_.domain, flow.solids.bodies(), end});
    was_near_moving_ = is_near_moving;
    depths_.assign(flow.surface.is_between_centres() ? pieces_.size() * (parts + 1) : 0, 0);
    if (depths_.empty()) return;
    with_shape(setup_.domain.dimension(), [&](auto shape) { read_phi<decltype(shape)>(flow); });
  }

  void measure_liquid(const GaugeLiquid& liquid) override {
    FRESHET_EXPECT(!pieces_.empty());
    counts_.assign(pieces_.size(), 0);
    const Box bounds = column_.bounds();
    const Domain& domain = setup_.domain;
    for (LocalIndex b = 0; b < liquid.layout.n_owned(); ++b) {
      if (!overlap(block_box(liquid.layout, b), bounds)) continue;
      const Vec3 corner = liquid.layout.first_cell(b).cast<double>();
      for (ParticleIndex p = liquid.particles.block_begin()[b]; p < liquid.particles.block_begin()[b + 1]; ++p) {
        const ParticleReal* x = liquid.particles.position() + 3 * p;
        const double s = column_.place_of(domain.origin() + domain.dx() * (corner + Vec3(x[0], x[1], x[2])));
        if (s >= 0.0) ++counts_[piece_at(s)];
      }
    }
  }

  void add_to(Reduction& reduction) override {
    for (GlobalIndex& count : counts_) reduction.sum(count);
    for (GlobalIndex& depth : depths_) reduction.sum(depth);
  }

  std::vector<double> values() const override {
    std::vector<ColumnSlice> slices;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      ColumnSlice slice{pieces_[i].length, static_cast<double>(counts_[i]), capacities_[i]};
      if (pieces_[i].is_open && is_near_liquid(i)) {
        slice.content = part_below_surface(i);
        slice.capacity = 1.0;
      }
      slices.push_back(slice);
    }
    const WaterColumn water = water_column(slices);
    return {water.height, water.connected, water.top};
  }

  std::string describe(const SolidFields& /*solids*/) const override {
    double open = 0.0;  // total length of open pieces [m]
    for (const LinePiece& piece : pieces_) open += piece.is_open ? piece.length : 0.0;
    const double covered = values()[0];
    const double outside = column_.length - length_inside(column_, setup_.domain);
    return fmt::format(
        "line of {:.4g} m from {}{}, {:.4g} m of it outside solids: {}", column_.length, place_text(column_.start),
        outside > 1e-9 * column_.length ? fmt::format(", {:.4g} m of it outside the domain", outside) : "", open,
        covered > 0.0 ? fmt::format("{:.4g} m wet", covered) : std::string("dry"));
  }

 private:
  /// Whether a moving body may reach into the column at a time [s]. Bodies at rest do not change the pieces.
  bool may_touch_moving(const std::vector<SolidBody>& bodies, double time) const {
    const Vec3 one_cell = Vec3::Constant(setup_.domain.dx());
    Box column = column_.bounds();
    column = {column.lower - one_cell, column.upper + one_cell};
    return std::any_of(bodies.begin(), bodies.end(), [&](const SolidBody& body) {
      return body.motion && overlap(body.shape_at(time)->bounds(), column);
    });
  }

  /// Cut the line into pieces, and find the number of particles that fills each piece.
  void cut(const OpenSpace& space) {
    const double dx = setup_.domain.dx();
    const int n = std::max(1, static_cast<int>(std::ceil(parts * column_.length / dx - 1e-9)));
    std::vector<double> distances;
    for (int i = 0; i <= n; ++i)
      distances.push_back(space.distance(column_.start + i * column_.length / n * column_.along));
    pieces_ = cut_line(column_.length, distances, dx);
    capacities_.clear();
    for (const LinePiece& piece : pieces_) capacities_.push_back(piece.is_open ? capacity(piece, space) : 0.0);
  }

  std::size_t piece_at(double s) const {
    const auto next = std::upper_bound(pieces_.begin() + 1, pieces_.end(), s,
                                       [](double place, const LinePiece& piece) { return place < piece.begin; });
    return static_cast<std::size_t>(next - pieces_.begin() - 1);
  }

  /// The n-th end of a part of a piece. [m]
  Vec3 end_of_part(const LinePiece& piece, int n) const {
    return column_.start + (piece.begin + n * piece.length / parts) * column_.along;
  }

  /// Read phi at ends of parts that lie in this rank's blocks. Each end lies in a block of one rank only.
  template <class Shape>
  void read_phi(const GaugeFlow& flow) {
    const BlockLayout& layout = flow.labels.layout();
    const double per_metre = flow.dt / setup_.domain.dx();
    LocalIndex block = -1;
    std::optional<PhiTile<Shape>> phi;
    FaceTile<double, Shape, 1> velocity;
    for (std::size_t n = 0; n < depths_.size(); ++n) {
      const LinePiece& piece = pieces_[n / (parts + 1)];
      if (!piece.is_open) continue;
      const Vec3 place = end_of_part(piece, static_cast<int>(n % (parts + 1)));
      const PointInBlock point = find_point(layout, place);
      if (point.block < 0) continue;
      if (point.block != block) {
        block = point.block;
        phi.emplace(flow.surface, flow.labels, block);
        fill_with_sides(flow.velocity, block, velocity);
      }
      constexpr double last = block_width - 1e-9;  // end of the faces that the interpolation reads
      const Vec3 x = point.x.cwiseMax(0.0).cwiseMin(last);
      Vec3 slope;
      std::optional<double> before = phi->at(x, slope);
      if (!before)  // the line runs along a body's surface
        before = phi->near(x, 0.5 * normal_at(flow.solids, setup_.domain, place, -1), slope);
      const Double4 u = PaddedVelocity<Shape>(velocity).at(Double4{x[0], x[1], x[2], 0.0});
      const double now = before.value_or(SurfaceDistance::farthest) - per_metre * slope.dot(Vec3(u[0], u[1], u[2]));
      constexpr double farthest = SurfaceDistance::farthest;
      depths_[n] = std::llround(to_count * (farthest - std::clamp(now, -farthest, farthest)));
    }
  }

  double phi_of(std::size_t n) const { return SurfaceDistance::farthest - static_cast<double>(depths_[n]) / to_count; }
  /// Whether phi < 0 anywhere in a piece or in its neighbours.
  bool is_near_liquid(std::size_t piece) const {
    if (depths_.empty()) return false;
    const std::size_t first = piece == 0 ? 0 : piece - 1, last = std::min(pieces_.size(), piece + 2);
    for (std::size_t n = first * (parts + 1); n < last * (parts + 1); ++n)
      if (phi_of(n) < 0.0) return true;
    return false;
  }
  double part_below_surface(std::size_t piece) const {
    double sum = 0.0;
    for (std::size_t n = piece * (parts + 1); n < (piece + 1) * (parts + 1) - 1; ++n) {
      const double a = phi_of(n), b = phi_of(n + 1);
      const double low = std::min(a, b), high = std::max(a, b);
      sum += high <= 0.0 ? 1.0 : low >= 0.0 ? 0.0 : low / (low - high);
    }
    return sum / parts;
  }

  /// Number of particles that fills the column around a piece, from samples of its open space.
  double capacity(const LinePiece& piece, const OpenSpace& space) const {
    constexpr int samples = 8;  // along each axis
    const double dx = setup_.domain.dx();
    const double thickness = column_.is_flat ? dx : 2.0 * column_.half_width;
    const int deep = column_.is_flat ? 1 : samples;
    const auto at = [](int i, int n) { return (i + 0.5) / n - 0.5; };  // -1/2 .. 1/2
    const Vec3 middle = column_.start + (piece.begin + 0.5 * piece.length) * column_.along;
    const auto share_outside = [&](const OpenSpace& near) {
      int open = 0;
      for (int a = 0; a < samples; ++a)
        for (int b = 0; b < samples; ++b)
          for (int c = 0; c < deep; ++c)
            if (near.distance(middle + at(a, samples) * piece.length * column_.along +
                              2.0 * column_.half_width *
                                  (at(b, samples) * column_.across + at(c, deep) * column_.aside)) > 0.0)
              ++open;
      return static_cast<double>(open) / (samples * samples * deep);
    };
    const double radius =
        Vec3(0.5 * piece.length, column_.half_width, column_.is_flat ? 0.0 : column_.half_width).norm();
    const double share = space.distance(middle) > radius ? 1.0 : share_outside(space.around(middle, radius));
    const double volume = share * piece.length * 2.0 * column_.half_width * thickness;  // open space [m^3]
    constexpr double least_share = 0.05;  // a smaller rest beside a solid holds hardly a particle
    return share < least_share ? 0.0 : setup_.per_cell * volume / (dx * dx * dx);
  }

  GaugeSetup setup_;
  Column column_;
  std::vector<LinePiece> pieces_;    ///< pieces at the end of the step
  std::vector<double> capacities_;   ///< number of particles of a full piece; 0 in solids
  std::vector<GlobalIndex> counts_;  ///< number of particles in each piece
  static constexpr double to_count = 1 << 20;
  std::vector<GlobalIndex> depths_;  ///< (farthest - phi) * to_count at ends of parts, 0 in air; none of voxels
  bool was_near_moving_ = false;     ///< whether a moving body was near at the last measurement
};

constexpr double largest_column = 1e4;  ///< largest number of slices of a height's line

/// Check the line of a height. The message about a line that is too long names `end`.
void check_height(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  const double dx = scene.domain.cell_size;
  need_key(gauge, table, "start");
  need_key(gauge, table, "end");
  table.require(gauge.end != gauge.start, "end", "equals '" + table.name + "start'", "a line has a length",
                "Move one of them");
  table.require((gauge.end - gauge.start).norm() <= largest_column * dx, "end",
                "is too far from '" + table.name + "start'",
                fmt::format("a line has at most {:.0f} cells", largest_column), "Give points of the domain");
  table.require(scene.domain.dimension == 3 || gauge.end.z() == gauge.start.z(), "end", "leaves the plane",
                "domain.dimension is 2", "Leave the third entries out");
  table.require(length_in_domain(scene.domain, gauge.start, gauge.end) > side_tolerance * dx, "start",
                "and '" + table.name + "end' are the ends of a line outside the domain",
                "nothing can be measured there", "Choose a line that passes through the domain");
}

std::vector<CsvColumn> height_columns(const GaugeParameters& /*parameters*/) {
  return {{"height", "m"}, {"connected", "m"}, {"top", "m"}};
}

}  // namespace

GaugeTypeRecord height_gauge() {
  return {"height",
          "lengths of a line that liquid covers",
          {"start", "end", "width"},
          check_height,
          height_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<HeightGauge>(parameters, setup);
          },
          GaugeNeeds::particles_of_voxels,
          GaugePlace::line};
}

}  // namespace freshet
