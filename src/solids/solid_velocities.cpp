// SPDX-License-Identifier: Apache-2.0
// SolidFields: velocities of faces, and what bodies carry through faces that they cover in part.
#include "corner_distances.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/solids/block_solids.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <optional>

namespace freshet {
namespace {

/// Whether liquid slides along a body whose surface the grid resolves by stairs. CoveredFaceConstraint does the same
/// for covered faces.
bool lets_slide(const SolidBody& body) {
  return !model_of(body.slip).drags() && has_voxels(body) && !body.is_free();
}

/// The velocity of the liquid beside the faces of a block.
template <class Block>
class LiquidBesideFaces {
 public:
  LiquidBesideFaces(const FaceField<double>& velocity, LocalIndex b) : u_(velocity, b) {}
  /// The part, 0 to 1, of a velocity along a body's surface that the liquid beside the low face of a cell has.
  double part_of(const Vec3& along, const Vec3i& n, int axis, std::uint8_t wall) const {
    const double square = along.squaredNorm();
    if (square == 0.0) return 0.0;
    double part = 0.0;
    if ((wall & solid_above) == 0) part = std::max(part, in_cell(n).dot(along) / square);
    if ((wall & solid_below) == 0) part = std::max(part, in_cell(n - Vec3i::Unit(axis)).dot(along) / square);
    return std::min(part, 1.0);
  }

 private:
  Vec3 in_cell(const Vec3i& n) const {
    Vec3 u = Vec3::Zero();
    for (int d = 0; d < Block::dim; ++d) {
      const Vec3i above = n + Vec3i::Unit(d);
      u[d] = 0.5 * (u_[d][u_.extents.at(n)] + u_[d][u_.extents.at(above)]);
    }
    return u;
  }
  FaceTile<double, Block, 1> u_;
};

/// The normal of a body's surface where it passes between the centres of two cells. \param[in] x  the centre of the
/// face between them \param[in] axis  of the face
Vec3 normal_between(const Shape& shape, const Vec3& x, int axis, double dx) {
  constexpr double gradient_step = 0.05;  // [cells]
  const auto distance = [&shape](const Vec3& place) { return shape.signed_distance(place); };
  const Vec3 half = 0.5 * dx * Vec3::Unit(axis);
  PointBesideBodies from{x - half, distance(x - half)}, to{x + half, distance(x + half)};
  if (from.distance <= 0.0) std::swap(from, to);
  Vec3 surface = x;
  if (from.distance > 0.0)
    surface = from.x + free_way(distance, from, to, dx, shortest_way * dx) / dx * (to.x - from.x);
  return outward_normal(shape, surface, gradient_step * dx);
}

/// Velocity along an axis of a place of a body. [m/s] \param[in] p, q  the other axes, in their cyclic order
/// \param[in] to_p, to_q  coordinates of the place along them [m]
double velocity_along(const Twist& twist, int axis, int p, int q, double to_p, double to_q) {
  return twist.linear[axis] +
         (twist.angular[p] * (to_q - twist.center[q]) - twist.angular[q] * (to_p - twist.center[p]));
}

}  // namespace

Vec3 SolidFields::velocity_at(const Vec3& x) const {
  return twists_.empty() ? Vec3(Vec3::Zero()) : twists_[nearest_body(bodies_, shapes_, x, any_body).body].at(x);
}

void SolidFields::set_velocity(double dt, FaceField<double>* liquid) {
  if (!any_moving_) return;
  twists_.clear();
  for (const SolidBody& body : bodies_) twists_.push_back(body.twist(time_, dt));
  const bool may_slide = liquid != nullptr && std::any_of(bodies_.begin(), bodies_.end(), [](const SolidBody& body) {
                           return body.motion != nullptr && lets_slide(body);
                         });
  if (may_slide) layout_->halo().gather(*liquid, 1);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
      set_velocity_of_block<Block>(b, Moved::all, may_slide && b < layout_->n_owned() ? liquid : nullptr);
    });
  });
  if (may_slide) layout_->halo().gather(velocity_, 2);  // faces of ghost blocks depend on the liquid there
}

void SolidFields::set_free_velocity(double dt) {
  const auto is_free = [](const SolidBody& body) { return body.is_free(); };
  if (std::none_of(bodies_.begin(), bodies_.end(), is_free)) return;
  if (twists_.empty()) return set_velocity(dt);
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    if (bodies_[n].is_free()) twists_[n] = bodies_[n].twist(time_, dt);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_blocks(),
                        [&](LocalIndex b) { set_velocity_of_block<Block>(b, Moved::free, nullptr); });
  });
}

/// \param[in] liquid  as in set_velocity_of_faces(); null for ghost blocks
template <class Block>
void SolidFields::set_velocity_of_block(LocalIndex b, Moved moved, const FaceField<double>* liquid) {
  if (nearest_moving_[b] >= near_cells) return;
  set_velocity_of_faces<Block>(b, moved, liquid);
  if (b >= layout_->n_owned()) return;
  set_body_flows<Block>(b);
  const Vec3i first = layout_->first_cell(b);
  for (CoveredFace& face : covered_faces_[b]) {
    const Vec3 x = face_center(layout_->domain(), first + Block::place(face.face), face.axis);
    const Vec3 u = twists_[static_cast<std::size_t>(face.body)].at(x);
    for (int d = 0; d < 3; ++d) face.velocity[d] = static_cast<float>(u[d]);
  }
}

/// What bodies of open fractions carry through the faces that they cover in part.
template <class Block>
void SolidFields::set_body_flows(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const Vec3 origin = domain.origin();
  for (BodyFlow& flow : body_flows_[b]) {
    const Vec3i cell = Block::place(flow.cell);
    const int axis = flow.axis, p = axis == 2 ? 0 : axis + 1, q = axis == 0 ? 2 : axis - 1;  // p, q: along the face
    const double x_p = origin[p] + domain.dx() * (first[p] + cell[p] + 0.5);
    const double x_q = origin[q] + domain.dx() * (first[q] + cell[q] + 0.5);
    const auto velocity = [&](double to_p, double to_q, std::int16_t body) {
      return velocity_along(twists_[static_cast<std::size_t>(body)], axis, p, q, to_p, to_q);
    };
    const double in_part = velocity(x_p + domain.dx() * static_cast<double>(flow.middle[p]),
                                    x_q + domain.dx() * static_cast<double>(flow.middle[q]), flow.body);
    const double of_body = static_cast<double>(flow.covered) * in_part;
    const double of_face = static_cast<double>(flow.closed) * velocity(x_p, x_q, flow.body_of_face);
    flow.outflow = static_cast<float>(flow.outward * (of_body - of_face));
  }
}

/// \param[in] liquid  ghosts valid to width 1; null: it is at rest
template <class Block>
void SolidFields::set_velocity_of_faces(LocalIndex b, Moved moved, const FaceField<double>* liquid) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  std::optional<LiquidBesideFaces<Block>> beside;
  if (face_bodies_[b].empty()) return;
  for (int d = 0; d < Block::dim; ++d) {
    const int p = (d + 1) % 3, q = (d + 2) % 3;
    for (int c = 0; c < Block::cells; ++c) {
      const int number = face_bodies_[b][static_cast<std::size_t>(d * Block::cells + c)];
      if (number < 0) continue;
      const auto body = static_cast<std::size_t>(number);
      if (moved == Moved::free && !bodies_[body].is_free()) continue;
      const Vec3i n = Block::place(c);
      const Vec3 x = face_center(domain, first + n, d);
      const std::uint8_t wall = wall_[d].block(b)[c];
      if (bodies_[body].motion == nullptr || !lets_slide(bodies_[body]) || !is_wall_face(wall)) {
        velocity_[d].block(b)[c] = static_cast<float>(velocity_along(twists_[body], d, p, q, x[p], x[q]));
        continue;
      }
      Vec3 u = twists_[body].at(x);
      const Vec3 normal = normal_between(*shapes_[body], x, d, domain.dx());
      const Vec3 along = u - u.dot(normal) * normal;
      if (liquid != nullptr && !beside) beside.emplace(*liquid, b);
      u -= (1.0 - (beside ? beside->part_of(along, n, d, wall) : 0.0)) * along;
      velocity_[d].block(b)[c] = static_cast<float>(u[d]);
    }
  }
}

}  // namespace freshet
