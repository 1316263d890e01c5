// SPDX-License-Identifier: Apache-2.0
// Force and moment of the pressure and of the viscous stress on a solid or on a side of the domain.
#include "blocks.hpp"
#include "makers.hpp"
#include "point.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr int n_pressure_terms = 7;  ///< force, moment, area
constexpr int n_viscous_terms = 6;   ///< force, moment
using Terms = std::array<double, n_pressure_terms>;

/// The force is the sum over liquid cells c and their faces f of p (closed part of f) n_f dx^2, n_f out of the cell.
///
/// For a closed surface the closed parts of opposite faces differ by the area of the surface in the cell, so that the
/// sum is the integral of p n over the surface. p is that of the cell, continued to the surface by its slope.
///
/// The viscous force is the sum over faces that the solid holds: the momentum that it takes from the liquid.
class ForceGauge : public Gauge {
 public:
  ForceGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : domain_(setup.domain), solid_(parameters.solid), center_(parameters.center) {
    if (parameters.side == GaugeSide::none) return;
    const int side = static_cast<int>(parameters.side) - 1;
    axis_ = side / 2;
    side_ = side % 2;
  }

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    with_shape(domain_.dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      sum_over_blocks(flow.labels.layout().n_owned(), sums_,
                      [&](LocalIndex b) { return measure_block<Shape>(flow, b); });
    });
    viscous_sums_ = {};
    for (const HeldForce& force : flow.viscous_forces)
      if (is_mine(force, flow.solids)) add_viscous(force);
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    viscous_totals_ = viscous_sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
    for (ExactSum& sum : viscous_totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override {
    std::vector<double> values;
    for (const ExactSum& sum : totals_) values.push_back(sum.round());
    for (const ExactSum& sum : viscous_totals_) values.push_back(sum.round());
    return values;
  }

 private:
  bool is_on_side() const { return solid_ < 0; }

  /// A face of a liquid cell.
  struct Face {
    int axis;
    int side;  ///< 0 low, 1 high
    bool on_wall;
    double closed;  ///< part that is closed
  };

  template <class Shape>
  std::optional<Terms> measure_block(const GaugeFlow& flow, LocalIndex b) const {
    const BlockLayout& layout = flow.labels.layout();
    if (is_on_side() ? !touches_side(layout.first_cell(b)) : flow.solids.nearest(b) > 2.0F) return std::nullopt;
    const ParticleIndex n = flow.particles.block_begin()[b + 1] - flow.particles.block_begin()[b];
    if (n == 0 && !has_liquid(flow.labels, b)) return std::nullopt;
    constexpr int padded = (Shape::nx + 2) * (Shape::ny + 2) * (Shape::dim == 3 ? Shape::nz + 2 : 1);
    const PaddedExtents<Shape> extents(1);
    float open[3][padded];
    for (int d = 0; d < Shape::dim; ++d) fill_padded(flow.solids.open_fraction()[d], b, extents, open[d]);
    const PressureAround<Shape> pressure(flow.pressure, flow.labels, b);
    Terms terms{};
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          if (!pressure.is_liquid(i, j, k)) continue;
          Vec3 cut = Vec3::Zero();  // area of a surface of open fractions in the cell [m^2]
          for (int d = 0; d < Shape::dim; ++d)
            for (int side = 0; side < 2; ++side) {
              const int at_face = extents.at(i + (d == 0 ? side : 0), j + (d == 1 ? side : 0), k + (d == 2 ? side : 0));
              const bool on_wall = is_on_wall(layout.first_cell(b) + Vec3i(i, j, k), d, side);
              const Face face{d, side, on_wall, on_wall ? 1.0 : 1.0 - open[d][at_face]};
              if (face.closed > 0.0) add_face(flow, b, Vec3i(i, j, k), face, pressure, terms, cut);
            }
          terms[6] += cut.norm();
        }
    return terms;
  }

  template <class Around>
  void add_face(const GaugeFlow& flow, LocalIndex b, const Vec3i& cell, const Face& face, const Around& pressure,
                Terms& terms, Vec3& cut) const {
    if (is_on_side() && !(face.on_wall && face.axis == axis_ && face.side == side_)) return;
    const double dx = domain_.dx();
    const Vec3 center = center_of_cell(flow.labels.layout(), b, cell.x(), cell.y(), cell.z());
    const Vec3 out = (face.side == 0 ? -1.0 : 1.0) * Vec3::Unit(face.axis);
    double distance = 0.0;  // of the face from the nearest body [m]
    const int body = nearest_body_to(flow.solids, center + 0.5 * dx * out, distance);
    // of a face on a side of the domain a body may cover a part
    const double covered = face.on_wall ? std::clamp(0.5 - distance / dx, 0.0, 1.0) : face.closed;
    if (!is_on_side() && body != solid_) return;
    const double closed = is_on_side() ? 1.0 - covered : covered;
    if (closed <= 0.0) return;
    const double area = closed * dx * dx;
    Vec3 to_surface = 0.5 * out;  // [cells]
    if (!is_on_side() && flow.solids.bodies()[static_cast<std::size_t>(body)].surface == Surface::fractions) {
      cut += area * out;
      const Shape& shape = *flow.solids.shapes()[static_cast<std::size_t>(body)];
      const double depth = std::clamp(shape.signed_distance(center) / dx, -1.0, 1.0);
      to_surface = -depth * outward_normal(shape, center, 1e-2 * dx);
    } else {
      terms[6] += area;
    }
    double p = pressure(cell.x(), cell.y(), cell.z());
    for (int d = 0; d < domain_.dimension(); ++d)
      if (to_surface[d] != 0.0) p += to_surface[d] * pressure.slope(cell, d);
    const Vec3 force = p * area * out;
    const Vec3 moment = arm_of(center + dx * to_surface).cross(force);
    for (int d = 0; d < 3; ++d) {
      terms[static_cast<std::size_t>(d)] += force[d];
      terms[static_cast<std::size_t>(3 + d)] += moment[d];
    }
  }

  /// Faces on a wall of the domain, or behind it, are the wall's, and others the nearest body's.
  bool is_mine(const HeldForce& force, const SolidFields& solids) const {
    for (int d = 0; d < domain_.dimension(); ++d)
      for (int side = 0; side < 2; ++side) {
        if (!domain_.is_wall(d, side)) continue;
        const int beyond = side == 0 ? -force.cell[d] : force.cell[d] - domain_.cells()[d] + 1;
        if (beyond >= (d == force.axis ? side : 1)) return is_on_side() && d == axis_ && side == side_;
      }
    if (is_on_side()) return false;
    double distance = 0.0;
    const Vec3 center =
        domain_.origin() + domain_.dx() * (force.cell.cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(force.axis)));
    return nearest_body_to(solids, center, distance) == solid_ && distance < 2.0 * domain_.dx();
  }

  void add_viscous(const HeldForce& held) {
    const Vec3 force = held.force * Vec3::Unit(held.axis);
    const Vec3 moment = arm_of(held.at).cross(force);
    for (int d = 0; d < 3; ++d) {
      viscous_sums_[static_cast<std::size_t>(d)].add(force[d]);
      viscous_sums_[static_cast<std::size_t>(3 + d)].add(moment[d]);
    }
  }

  /// From the centre of moments to x. In 2-D the forces act in the plane of the centre. [m]
  Vec3 arm_of(const Vec3& x) const {
    Vec3 arm = x - center_;
    if (domain_.dimension() == 2) arm.z() = 0.0;
    return arm;
  }

  bool is_on_wall(const Vec3i& cell, int axis, int side) const {
    if (domain_.periodic(axis) || !domain_.is_wall(axis, side)) return false;
    return cell[axis] == (side == 0 ? 0 : domain_.cells()[axis] - 1);
  }
  bool touches_side(const Vec3i& first_cell) const {
    const int last = side_ == 0 ? 0 : domain_.cells()[axis_] - 1;
    return first_cell[axis_] <= last && last < first_cell[axis_] + domain_.block_cells()[axis_];
  }
  static bool has_liquid(const LabelField& labels, LocalIndex b) {
    const Label* first = labels.block(b);
    const Label* last = first + labels.layout().cells_per_block();
    return std::find(first, last, Label::liquid) != last;
  }

  Domain domain_;
  int solid_;
  int axis_ = 0;
  int side_ = 0;
  Vec3 center_;
  std::array<ExactSum, n_pressure_terms> sums_;
  std::array<ExactSum, n_viscous_terms> viscous_sums_;
  std::array<ExactSum, n_pressure_terms> totals_;  ///< the same of all ranks, after the reduction
  std::array<ExactSum, n_viscous_terms> viscous_totals_;
};

}  // namespace

std::unique_ptr<Gauge> make_force_gauge(const GaugeParameters& parameters, const GaugeSetup& setup) {
  return std::make_unique<ForceGauge>(parameters, setup);
}

}  // namespace freshet
