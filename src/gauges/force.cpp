// SPDX-License-Identifier: Apache-2.0
// Force and moment on a solid or on a side of the domain, from the pressure and the viscous stress.
#include "blocks.hpp"
#include "checks.hpp"
#include "freshet/solids/body_in_cell.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "point.hpp"
#include "shared_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace freshet {
namespace {

constexpr int n_pressure_terms = 7;  ///< components of force and moment, and the area
constexpr int n_viscous_terms = 6;   ///< components of force and moment
constexpr int no_body = -1;
constexpr int no_owner = -100;  ///< neither a body nor a wall
using Terms = std::array<double, n_pressure_terms>;

/// The pressure of cells, and the slope by which it is extrapolated to the surface.
template <class Shape>
class WallPressure {
 public:
  WallPressure(const GaugeFlow& flow, LocalIndex block) : all_(flow.pressure, flow.labels, block) {
    if (flow.viscous_pressure != nullptr) viscous_.emplace(*flow.viscous_pressure, flow.labels, block);
  }
  bool is_liquid(int i, int j, int k) const { return all_.is_liquid(i, j, k); }
  double operator()(int i, int j, int k) const { return all_(i, j, k); }
  double slope(const Vec3i& cell, int axis, const double (&closed)[2]) const {
    return all_.slope(cell, axis, closed) - (viscous_ ? viscous_->slope(cell, axis, closed) : 0.0);
  }

 private:
  PressureTile<Shape> all_;
  std::optional<PressureTile<Shape>> viscous_;
};

/// The force is the sum over liquid cells and their faces f of p (closed part of f) n_f dx^2, n_f out of the cell.
///
/// p is the cell's pressure, extrapolated to the middle of the face by its slope. The closed parts of the faces and the
/// surface enclose what a body of open fractions takes of the cell, V: what the surface feels is that sum less V grad
/// p. The closed parts of faces between two cells cancel out, so that a body of any thickness in liquid at rest feels
/// the weight of what it displaces. Where bodies or walls meet in a cell, SharedCells finds each one's part of the
/// surface there.
///
/// The viscous force is the sum over the faces that the solid holds of the momentum that stress gives it. A body of
/// open fractions also takes momentum from partly open faces at any viscosity; this counts as a force of pressure. Both
/// this force and the part of the pressure that viscosity gives rise to belong to the cell, and their sum hardly
/// changes from there to the surface: so this part of p is not extrapolated.
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
      if (const int holder = holder_of(force, flow.solids); is_mine(holder, flow.solids))
        add_held(force, shift_of(holder, flow.solids), force.of_stress ? viscous_sums_.data() : sums_.data());
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

  std::string describe(const SolidFields& /*solids*/) const override {
    const double area = values()[n_pressure_terms - 1];
    return fmt::format("force on {}: {}", is_on_side() ? side_text(axis_, side_) : fmt::format("solid.{}", solid_),
                       area > 0.0 ? fmt::format("{:.4g} m^2 wet", area) : std::string("dry"));
  }

 private:
  bool is_on_side() const { return solid_ < 0; }

  template <class Shape>
  std::optional<Terms> measure_block(const GaugeFlow& flow, LocalIndex b) const {
    const BlockLayout& layout = flow.labels.layout();
    if (is_on_side() ? !touches_side(layout.first_cell(b)) : flow.solids.nearest(b) > 2.0F) return std::nullopt;
    const ParticleIndex n = flow.particles.block_begin()[b + 1] - flow.particles.block_begin()[b];
    if (n == 0 && !has_liquid(flow.labels, b)) return std::nullopt;
    const std::vector<int> near = bodies_near_block(flow.solids, layout, b);
    const auto is_my_body = [&](int body) { return is_mine(body, flow.solids); };
    if (!is_on_side() && std::none_of(near.begin(), near.end(), is_my_body)) return std::nullopt;
    const FaceTile<float, Shape, 1> open(flow.solids.open_fraction(), b);
    const Tile<std::uint8_t, Shape, 1> solid(flow.solids.is_solid(), b);
    const WallPressure<Shape> pressure(flow, b);
    SharedCells shared(flow.solids, domain_, near);
    const int only_body = near.size() == 1 ? near[0] : no_body;
    Terms terms{};
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          if (!pressure.is_liquid(i, j, k)) continue;
          const Vec3i at(i, j, k);
          ClosedCell cell;
          cell.center = center_of_cell(layout, b, i, j, k);
          for (int d = 0; d < Shape::dim; ++d)
            for (int side = 0; side < 2; ++side) {
              const Vec3i face = at + side * Vec3i::Unit(d);
              const bool on_wall = is_on_wall(layout.first_cell(b) + at, d, side);
              cell.is_on_wall[d][side] = on_wall;
              cell.closed[d][side] = on_wall ? 1.0 : 1.0 - open[d][open.extents.at(face)];
              cell.is_stair[d][side] =
                  !on_wall && cell.closed[d][side] == 1.0 && solid(at + (2 * side - 1) * Vec3i::Unit(d)) == 0;
            }
          if (cell.any_closed() && shared.is_shared(cell)) {
            add_part(shared.surfaces(cell), cell, at, pressure, flow.solids, terms);
          } else if (is_on_side()) {
            add_wall(cell, at, pressure, terms);
          } else {
            add_body(cell, at, pressure, flow.solids, only_body, terms);
            subtract_inside(cell, at, pressure, flow.solids, near, terms);
          }
        }
    return terms;
  }

  /// Add the part of the solid or the side in a cell that several owners share.
  template <class Around>
  void add_part(const std::vector<SurfaceInCell>& surfaces, const ClosedCell& cell, const Vec3i& at,
                const Around& pressure, const SolidFields& solids, Terms& terms) const {
    const auto part = std::find_if(surfaces.begin(), surfaces.end(),
                                   [&](const SurfaceInCell& surface) { return is_mine(surface.owner, solids); });
    if (part == surfaces.end()) return;
    const double area_of_face = domain_.dx() * domain_.dx();
    Vec3 slope = Vec3::Zero();
    for (int d = 0; d < domain_.dimension(); ++d) slope[d] = pressure.slope(at, d, cell.closed[d]);
    for (int d = 0; d < domain_.dimension(); ++d) {
      const double force = pressure(at.x(), at.y(), at.z()) * part->area[d] + slope.dot(part->first[d]);
      const Vec3 place = cell.center + domain_.dx() * part->place[d] - shift_of(part->owner, solids);
      add_force(area_of_face * force * Vec3::Unit(d), place, terms);
    }
    const bool is_cut = !is_on_side() && is_cut_body(solids, solid_);
    terms[6] += area_of_face * (is_cut ? part->area.norm() : part->size.sum());
  }

  /// Add the face on the side in a cell that no body touches.
  template <class Around>
  void add_wall(const ClosedCell& cell, const Vec3i& at, const Around& pressure, Terms& terms) const {
    if (!cell.is_on_wall[axis_][side_]) return;
    add_face(cell, at, pressure, {axis_, side_, out_of_side(axis_, side_) * 0.5, Vec3::Zero()}, terms);
    terms[6] += domain_.dx() * domain_.dx();
  }

  /// Add the closed faces of a cell with one owner. \param[in] only_body  the only body nearby, or no_body
  template <class Around>
  void add_body(const ClosedCell& cell, const Vec3i& at, const Around& pressure, const SolidFields& solids,
                int only_body, Terms& terms) const {
    const double dx = domain_.dx();
    Vec3 cut = Vec3::Zero();  // area of a surface of open fractions in the cell [m^2]
    for (int d = 0; d < domain_.dimension(); ++d)
      for (int side = 0; side < 2; ++side) {
        if (cell.is_on_wall[d][side] || cell.closed[d][side] <= 0.0) continue;
        const Vec3 out = out_of_side(d, side);
        Vec3 to_surface = 0.5 * out;  // [cells]
        double distance = 0.0;
        const int body =
            only_body != no_body ? only_body : nearest_body_to(solids, cell.center + dx * to_surface, distance);
        if (!is_mine(body, solids)) continue;
        const double area = cell.closed[d][side] * dx * dx;
        if (is_cut_body(solids, solid_)) {
          cut += area * out;
          const Shape& shape = *solids.shapes()[static_cast<std::size_t>(body)];
          const auto distance_to = [&shape](const Vec3& x) { return shape.signed_distance(x); };
          if (cell.is_stair[d][side]) to_surface += wall_beyond_face(distance_to, cell.center, out, dx) * out;
        } else {
          terms[6] += area;
        }
        add_face(cell, at, pressure, {d, side, to_surface, shift_of(body, solids)}, terms);
      }
    terms[6] += cut.norm();
  }

  /// Subtract the pressure's slope times what bodies of open fractions that are the solid take of a cell.
  /// \param[in] near  the bodies near the block
  template <class Around>
  void subtract_inside(const ClosedCell& cell, const Vec3i& at, const Around& pressure, const SolidFields& solids,
                       const std::vector<int>& near, Terms& terms) const {
    const double dx = domain_.dx();
    for (const int body : near) {
      if (!is_mine(body, solids) || !is_cut_body(solids, body)) continue;
      const BodyInCell part =
          body_in_cell(*solids.shapes()[static_cast<std::size_t>(body)], cell.center, dx, domain_.dimension());
      if (part.volume == 0.0) continue;
      Vec3 slope = Vec3::Zero();
      for (int d = 0; d < domain_.dimension(); ++d) slope[d] = pressure.slope(at, d, cell.closed[d]);
      add_force(-part.volume * dx * dx * slope, cell.center + dx * part.middle() - shift_of(body, solids), terms);
    }
  }

  struct Face {
    int axis, side;
    Vec3 to_surface;  ///< from the cell's centre: to the face, or to a thin wall beyond it [cells]
    Vec3 shift;       ///< displacement of its body by periods of the domain [m]
  };
  template <class Around>
  void add_face(const ClosedCell& cell, const Vec3i& at, const Around& pressure, const Face& face, Terms& terms) const {
    const double dx = domain_.dx();
    const double area = cell.closed[face.axis][face.side] * dx * dx;
    double p = pressure(at.x(), at.y(), at.z());
    p += face.to_surface[face.axis] * pressure.slope(at, face.axis, cell.closed[face.axis]);
    add_force(p * area * out_of_side(face.axis, face.side), cell.center + dx * face.to_surface - face.shift, terms);
  }

  void add_force(const Vec3& force, const Vec3& at, Terms& terms) const {
    const Vec3 moment = arm_of(at).cross(force);
    for (int d = 0; d < 3; ++d) {
      terms[static_cast<std::size_t>(d)] += force[d];
      terms[static_cast<std::size_t>(3 + d)] += moment[d];
    }
  }

  static Vec3 out_of_side(int axis, int side) { return (side == 0 ? -1.0 : 1.0) * Vec3::Unit(axis); }
  static bool is_cut_body(const SolidFields& solids, int body) {
    return solids.bodies()[static_cast<std::size_t>(body)].surface == Surface::fractions;
  }

  /// Whether the owner of a surface is the gauge's side, its solid, or a copy of that solid.
  bool is_mine(int owner, const SolidFields& solids) const {
    if (is_on_side()) return owner == wall_number(axis_, side_);
    return owner >= 0 && number_of_body(solids.bodies(), owner) == solid_;
  }
  /// Displacement of a copy of a body from the place of the body's own motion, because the case gives the point for
  /// moments relative to that. [m]
  static Vec3 shift_of(int owner, const SolidFields& solids) {
    if (owner < 0) return Vec3::Zero();
    return solids.bodies()[static_cast<std::size_t>(owner)].shift(solids.time());
  }

  /// Find the owner of a face: the wall if the face lies on or behind it, else the nearest body; inside several bodies,
  /// the one that the way from the stress to the face meets first.
  int holder_of(const HeldForce& force, const SolidFields& solids) const {
    for (int d = 0; d < domain_.dimension(); ++d)
      for (int side = 0; side < 2; ++side) {
        if (!domain_.is_wall(d, side)) continue;
        const int beyond = side == 0 ? -force.cell[d] : force.cell[d] - domain_.cells()[d] + 1;
        if (beyond >= (d == force.axis ? side : 1)) return wall_number(d, side);
      }
    double distance = 0.0;
    const Vec3 center =
        domain_.origin() + domain_.dx() * (force.cell.cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(force.axis)));
    const int body = body_on_the_way(solids, force.at, center, distance);
    return distance < 2.0 * domain_.dx() ? body : no_owner;
  }

  void add_held(const HeldForce& held, const Vec3& shift, ExactSum* sums) const {
    const Vec3 force = held.force * Vec3::Unit(held.axis);
    const Vec3 moment = arm_of(held.at - shift).cross(force);
    for (int d = 0; d < 3; ++d) {
      sums[d].add(force[d]);
      sums[3 + d].add(moment[d]);
    }
  }

  /// Lever arm from the centre of moments to x. In 2-D the forces act in the plane of the centre. [m]
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
  std::array<ExactSum, n_pressure_terms> totals_;  ///< sums over all ranks, after the reduction
  std::array<ExactSum, n_viscous_terms> viscous_totals_;
};

void check_force(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  const bool on_solid = gauge.solid >= 0, on_side = gauge.side != GaugeSide::none;
  if (on_solid == on_side)
    table.refuse("solid",
                 fmt::format("'{}' gives {} of solid and side", table.name.substr(0, table.name.size() - 1),
                             on_solid ? "both" : "none"),
                 "a force acts on one of them", "Give one");
  check_solid(gauge, scene, table);
  if (!on_side) return;
  const auto axis = static_cast<std::size_t>(gauge.side) - 1;
  const FaceCondition condition = scene.domain.boundary[axis / 2][axis % 2];
  table.require(static_cast<int>(axis / 2) < scene.domain.dimension && is_wall(condition), "side", "is not a wall",
                "no force acts on it", "Choose another side");
}

std::vector<CsvColumn> force_columns(const GaugeParameters& /*parameters*/) {
  return {{"force_x", "N"},
          {"force_y", "N"},
          {"force_z", "N"},
          {"moment_x", "N m"},
          {"moment_y", "N m"},
          {"moment_z", "N m"},
          {"wet_area", "m^2"},
          {"viscous_force_x", "N"},
          {"viscous_force_y", "N"},
          {"viscous_force_z", "N"},
          {"viscous_moment_x", "N m"},
          {"viscous_moment_y", "N m"},
          {"viscous_moment_z", "N m"}};
}

}  // namespace

GaugeTypeRecord force_gauge() {
  return {"force",
          "force and moment of pressure and of viscous stress on a solid or on a side of the domain",
          {"solid", "side", "center"},
          check_force,
          force_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<ForceGauge>(parameters, setup);
          },
          GaugeNeeds::viscous_forces};
}

}  // namespace freshet
