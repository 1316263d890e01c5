// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/wall_law.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/turbulence/friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet {
namespace {

/// The velocity before the step at faces of one block, from the faces in liquid around them.
template <class Shape>
class WetVelocity {
 public:
  /// Read the block. \return whether there is liquid in or beside it
  bool read(const EddyInput& flow, LocalIndex block) {
    const Tile<Label, Shape, 1> label(flow.labels, block);
    if (std::find(label.begin(), label.end(), Label::liquid) == label.end()) return false;
    for (int n = 0; n < label.size; ++n) liquid_[n] = label[n] == Label::liquid;
    u_.fill(flow.velocity, block);
    open_.fill(flow.solids.open_fraction(), block);
    wall_.fill(flow.solids.wall(), block);
    return true;
  }
  int at(int c) const { return extents_.of_cell(c); }
  /// Part of a face's volume that is in liquid: 0, 1/2 or 1; 0 on faces that solids hold.
  double wet_part(int d, int n) const {
    if (open_[d][n] <= 0.0F || is_wall_face(wall_[d][n])) return 0.0;
    return 0.5 * (static_cast<double>(liquid_[n]) + static_cast<double>(liquid_[n - extents_.stride(d)]));
  }
  /// Part of a face that no body of open fractions closes.
  double open_part(int d, int n) const { return static_cast<double>(open_[d][n]); }
  /// Velocity at a face: other components are means over those of the four nearest faces that are in liquid. [m/s]
  Vec3 at_face(int d, int n) const {
    Vec3 result = Vec3::Zero();
    for (int e = 0; e < Shape::dim; ++e) {
      if (e == d) {
        result[e] = u_[e][n];
        continue;
      }
      double sum = 0.0;
      int count = 0;
      for (const int m :
           {n, n - extents_.stride(d), n + extents_.stride(e), n + extents_.stride(e) - extents_.stride(d)}) {
        if (m < extents_.stride(e) || wet_part(e, m) <= 0.0) continue;
        sum += u_[e][m];
        ++count;
      }
      result[e] = count > 0 ? sum / count : 0.0;
    }
    return result;
  }

 private:
  static constexpr TileExtents<Shape> extents_{1};
  Tile<bool, Shape, 1> liquid_;
  FaceTile<double, Shape, 1> u_;
  FaceTile<float, Shape, 1> open_;
  FaceTile<std::uint8_t, Shape, 1> wall_;
};

/// The stress of a wall on a face.
struct Rub {
  const WallFace* face;
  Vec3i cell;    ///< cell whose low face it is
  Vec3 at;       ///< nearest point of a body, or the centre of a face along a side of the domain [m]
  double along;  ///< component of u^n along the wall, relative to it [m/s]
  double rate;   ///< k [1/s]
  double share;  ///< part of a full mass that moves with the face, as in the pressure's energy
};

/// s(q) / q of WallLaw.
double acting_part(double q) {
  return q <= 0.5 ? 1.0 : (1.0 - 0.25 / q) / q;
}

/// The force of a wall's stress on its owner. ForceGauge finds the owner from the cell.
HeldForce force_on_wall(const Domain& domain, const Rub& rub, double force) {
  const WallFace& face = *rub.face;
  HeldForce held;
  held.axis = face.axis;
  held.at = rub.at;
  held.force = force;
  Vec3i towards = Vec3i::Zero();  // one cell towards the wall
  int steepest = face.axis == 0 ? 1 : 0;
  for (int e = 0; e < domain.dimension(); ++e)
    if (std::abs(face.normal[e]) > std::abs(face.normal[steepest])) steepest = e;
  towards[steepest] = face.normal[steepest] > 0.0F ? -1 : 1;
  held.cell = rub.cell + towards;
  held.solid = face.body;
  return held;
}

}  // namespace

template <class Shape>
double WallLaw::apply_in_block(const EddyInput& flow, const WallFaces& walls, double viscosity, double density,
                               FaceField<double>* velocity, LocalIndex block) {
  const std::vector<WallFace>& faces = walls.of(block);
  float* const stress = stress_.block(block);
  float* const y_plus = y_plus_.block(block);
  float* const part = part_.block(block);
  for (float* const values : {stress, y_plus, part}) std::fill_n(values, Shape::cells, 0.0F);
  if (faces.empty()) return 0.0;
  const Domain& domain = flow.labels.layout().domain();
  const double dx = domain.dx();
  static thread_local WetVelocity<Shape> before;
  static thread_local std::vector<Rub> rubs;
  static thread_local std::array<double, 3 * static_cast<std::size_t>(Shape::cells)> rates;  // sums of faces, by axis
  if (!before.read(flow, block)) return 0.0;
  rubs.clear();
  rates.fill(0.0);
  for (const WallFace& face : faces) {
    const int c = face.face, d = face.axis, n = before.at(c);
    const double wet = before.wet_part(d, n);
    if (wet <= 0.0) continue;
    const Vec3i cell = flow.labels.layout().first_cell(block) + Shape::place(c);
    const Vec3 normal(face.normal[0], face.normal[1], face.normal[2]);
    Vec3 at = domain.origin() + dx * (cell.cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d)));
    Vec3 of_wall = Vec3::Zero();
    if (face.body >= 0) {
      at -= face.distance * dx * normal;  // the point of the body that is nearest
      of_wall = twists_[static_cast<std::size_t>(face.body)].at(at);
    }
    const Vec3 relative = before.at_face(d, n) - of_wall;
    const double outward = relative.dot(normal);
    const double speed = (relative - outward * normal).norm();
    if (speed <= 0.0) continue;
    const double distance = std::max(face.distance, WallFaces::least_distance) * dx;
    const double friction = friction_velocity(speed, distance, viscosity, face.roughness);
    const double along = relative[d] - outward * normal[d];
    const double weight = face.area * (along / speed) * (along / speed);
    part[c] += static_cast<float>(weight);
    stress[c] += static_cast<float>(weight * density * friction * friction);
    if (viscosity > 0.0) y_plus[c] += static_cast<float>(weight * distance * friction / viscosity);
    if (velocity == nullptr) continue;
    const double open = before.open_part(d, n);  // positive where a part is wet
    const double rate = friction * friction * face.area / (speed * dx * open);
    rates[static_cast<std::size_t>(d * Shape::cells + c)] += rate;
    rubs.push_back({&face, cell, at, along, rate, wet * open});
  }
  double lost = 0.0;
  for (const Rub& rub : rubs) {
    const int c = rub.face->face, d = rub.face->axis;
    const double acting = rub.rate * acting_part(rates[static_cast<std::size_t>(d * Shape::cells + c)] * flow.dt);
    double& u = (*velocity)[d].block(block)[c];
    const double change = -acting * flow.dt * rub.along;
    lost -= rub.share * change * (u + 0.5 * change);
    u += change;
    if (!keeps_forces_) continue;
    const double mass = density * dx * dx * dx * rub.share;
    HeldForce held = force_on_wall(domain, rub, -mass * change / flow.dt);
    held.drag = mass * acting;
    forces_of_blocks_[static_cast<std::size_t>(block)].push_back(held);
    faces_of_blocks_[static_cast<std::size_t>(block)].push_back({block, c, rub.share, mass});
  }
  for (int c = 0; c < Shape::cells; ++c) {
    const float inverse = part[c] > 0.0F ? 1.0F / part[c] : 0.0F;
    stress[c] *= inverse;
    y_plus[c] *= inverse;
  }
  return lost;
}

void WallLaw::apply(const EddyInput& flow, const WallFaces& walls, double viscosity, double density,
                    FaceField<double>* velocity, ExactSum& lost) {
  const BlockLayout& layout = flow.labels.layout();
  stress_.reset(layout, 0.0F);
  y_plus_.reset(layout, 0.0F);
  part_.reset(layout, 0.0F);
  twists_.clear();
  for (const SolidBody& body : flow.solids.bodies()) twists_.push_back(body.twist(flow.solids.time(), flow.dt));
  forces_of_blocks_.resize(static_cast<std::size_t>(layout.n_owned()));
  faces_of_blocks_.resize(static_cast<std::size_t>(layout.n_owned()));
  for (std::vector<HeldForce>& forces : forces_of_blocks_) forces.clear();
  for (std::vector<Face>& faces : faces_of_blocks_) faces.clear();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    const auto lost_in = [&](LocalIndex block) {
      return apply_in_block<decltype(shape)>(flow, walls, viscosity, density, velocity, block);
    };
    ThreadShares& shares = share_out(layout.n_owned());
#pragma omp parallel
    {
      ExactSum part;
      shares.work(omp_get_thread_num(), [&](LocalIndex block) { part.add(lost_in(block)); });
#pragma omp critical(freshet_wall_energy)
      lost.add(part);
    }
  });
  forces_.clear();
  faces_.clear();
  for (const std::vector<HeldForce>& forces : forces_of_blocks_)
    forces_.insert(forces_.end(), forces.begin(), forces.end());
  for (const std::vector<Face>& faces : faces_of_blocks_) faces_.insert(faces_.end(), faces.begin(), faces.end());
}

void WallLaw::give_way(std::span<const Twist> changes, double dt, FaceField<double>& velocity, ExactSum& lost) {
  for (std::size_t n = 0; n < forces_.size() && !changes.empty(); ++n) {
    HeldForce& held = forces_[n];
    const Face& face = faces_[n];
    if (held.solid < 0) continue;
    const double force = held.drag * changes[static_cast<std::size_t>(held.solid)].at(held.at)[held.axis];
    const double change = dt * force / face.mass;
    double& u = velocity[held.axis].block(face.block)[face.number];
    lost.add(-face.share * change * (u + 0.5 * change));
    u += change;
    held.force -= force;
  }
}

}  // namespace freshet
