// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/solids.hpp"

#include "corner_distances.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/geometry/motion_course.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/block_solids.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace freshet {
namespace {

constexpr std::size_t usual_bodies = 16;    ///< number of bodies near a block for which there is memory at once
constexpr std::size_t few_bodies = 2;       ///< so many bodies near a block are not listed for its parts
constexpr float asking_reach = 4.0F;        ///< distance from bodies from which on few places of a block ask [cells]
constexpr double listed_within_part = 6.0;  ///< distance from a part up to which bodies count as near it [cells]

/// True if a face belongs to a wall of the domain, or lies beyond it.
bool is_domain_wall(const Domain& domain, const Vec3i& cell, int axis) {
  const auto is_behind = [&](const Vec3i& n) {
    const Vec3i wrapped = domain.wrap_cell(n);
    return !domain.contains_cell(wrapped) && domain.outside_is_solid(wrapped);
  };
  return is_behind(cell) || is_behind(cell - Vec3i::Unit(axis));
}

/// The place in a face normal to an axis, from the middle of the face, as three coordinates. \param[in] in_face  those
/// along the other axes, in their order
void set_place_in_face(const Eigen::Vector2d& in_face, int axis, float* place) {
  for (int d = 0, n = 0; d < 3; ++d) place[d] = d == axis || n == 2 ? 0.0F : static_cast<float>(in_face[n++]);
}

/// The bodies nearest to places in one cell. Mostly it is the same body at all of them, and known after one search.
class NearestInCell {
 public:
  /// \param[in] middle  of the cell [m] \param[in] dx  its size [m]
  NearestInCell(const NearBodies& near, const Vec3& middle, double dx) : near_(near), middle_(middle), dx_(dx) {}

  /// Index of the body nearest to a place in the cell among those with wanted(body).
  template <class Wanted>
  std::size_t operator()(const Vec3& x, Wanted wanted) {
    constexpr double half_diagonal = 0.87;  // [cells]
    if (!is_known_) everywhere_ = near_.nearest_around(middle_, half_diagonal * dx_, any_body);
    is_known_ = true;
    return everywhere_ && wanted(near_.bodies()[*everywhere_]) ? *everywhere_ : near_.nearest(x, wanted).body;
  }

 private:
  const NearBodies& near_;
  const Vec3 middle_;
  const double dx_;
  bool is_known_ = false;
  std::optional<std::size_t> everywhere_;
};

/// Distance from a moving body's pivot to its farthest point, at any pose; infinite for an infinite body. [m]
double reach_of(const SolidBody& body) {
  return body.shape->bounds().farthest(body.motion->pivot());
}

}  // namespace

Vec3 SolidBody::shift(double time) const {
  if (copy.period.isZero(0.0)) return Vec3::Zero();
  Vec3 result = copy.number.cast<double>().cwiseProduct(copy.period);
  if (!motion) return result;
  const Box bounds = shape->bounds();
  const Vec3 middle = motion->pose(time).to_world(0.5 * (bounds.lower + bounds.upper));
  for (int d = 0; d < 3; ++d)
    if (copy.period[d] > 0.0) result[d] -= copy.period[d] * std::floor((middle[d] - copy.origin[d]) / copy.period[d]);
  return result;
}

Pose SolidBody::pose(double time, double periods_at) const {
  Pose result = motion ? motion->pose(time) : Pose{};
  result.translation += shift(periods_at);
  return result;
}

std::shared_ptr<const Shape> SolidBody::shape_at(double time, double periods_at) const {
  if (!motion && copy.of < 0) return shape;
  const PosedShape posed(shape, pose(time, periods_at));
  const BoundingBall ball = posed.ball();
  if (ball.is_full) return make_ball(ball.center, ball.radius);
  return std::make_shared<PosedShape>(posed);
}

Twist SolidBody::twist(double time, double dt) const {
  if (!motion) return {};
  Twist result = motion->twist(time, dt);
  result.center += shift(time);
  return result;
}

/// Joins the bounds of the body at a few times, and widens them by half the path of any point between two of
/// these times.
bool comes_to_domain(const SolidBody& body, const Domain& domain, double time, double dt) {
  constexpr int n_intervals = 4;
  const double part = dt / n_intervals;
  const double reach = reach_of(body);
  Box swept = body.shape_at(time)->bounds();
  if ((swept.lower.array() > swept.upper.array()).any()) return false;  // an empty shape
  double aside = 0.0;
  for (int n = 0; n < n_intervals; ++n) {
    const double begin = time + n * part;
    const double end = time + (n + 1) * part;
    const Box box = body.shape_at(end, time)->bounds();
    swept = {swept.lower.cwiseMin(box.lower), swept.upper.cwiseMax(box.upper)};
    const MotionCourse course = course_of(*body.motion, begin, end);
    const double turned = course.turn == 0.0 ? 0.0 : std::min(0.5 * reach * course.turn, 2.0 * reach);
    aside = std::max(aside, 0.5 * course.way + turned);
  }
  const Box tank = domain.box();
  for (int d = 0; d < domain.dimension(); ++d)
    if (swept.lower[d] - aside > tank.upper[d] || swept.upper[d] + aside < tank.lower[d]) return false;
  return true;
}

double reach_in_domain(const SolidBody& body, const Domain& domain, double time, double dt) {
  const MotionCourse course = course_of(*body.motion, time, time + dt);
  const Box tank = domain.box();
  const Vec3 pivot = body.motion->pivot() + body.motion->at(time).translation + body.shift(time);
  const double reach = std::min(reach_of(body), tank.farthest(pivot) + course.way);
  const Box bounds = body.shape_at(time)->bounds();
  const Vec3 aside = Vec3::Constant(course.way_of(reach));
  const Box here{(bounds.lower - aside).cwiseMax(tank.lower), (bounds.upper + aside).cwiseMin(tank.upper)};
  return std::min(reach, here.farthest(pivot) + course.way);
}

double largest_way(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt) {
  double largest = 0.0;
  for (const SolidBody& body : bodies) {
    if (!body.motion || !comes_to_domain(body, domain, time, dt)) continue;
    const MotionCourse course = course_of(*body.motion, time, time + dt);
    largest = std::max(largest, course.way_of(course.turn > 0.0 ? reach_in_domain(body, domain, time, dt) : 0.0));
  }
  return largest;
}

void SolidFields::place(double time) {
  time_ = time;
  shapes_.clear();
  balls_.clear();
  for (const SolidBody& body : bodies_) {
    shapes_.push_back(body.shape_at(time));
    balls_.push_back(shapes_.back()->ball());
  }
}

Vec3 SolidFields::center_of_block(LocalIndex b) const {
  const Domain& domain = layout_->domain();
  const Vec3 half = 0.5 * domain.block_cells().cast<double>();
  return domain.origin() + domain.dx() * (layout_->first_cell(b).cast<double>() + half);
}

/// The way from the centre of a block to that of one of its parts. [m]
Vec3 SolidFields::way_to_part(int part) const {
  const Domain& domain = layout_->domain();
  Vec3 way = Vec3::Zero();
  for (int d = 0; d < domain.dimension(); ++d)
    way[d] = (0.5 * (part >> d & 1) - 0.25) * domain.dx() * domain.block_cells()[d];
  return way;
}

BodiesOfBlock SolidFields::near_block(LocalIndex block) const {
  const Domain& domain = layout_->domain();
  const double half = 0.5 * domain.block_cells().cast<double>().norm();
  const ListedBodies& listed = listed_[static_cast<std::size_t>(block)];
  const bool are_all = listed.of_block.size() == bodies_.size();
  BodiesOfBlock result;
  result.list.bodies = listed.of_block;
  result.list.center = center_of_block(block);
  result.list.beyond = are_all ? std::numeric_limits<double>::infinity() : domain.dx() * (half + listed_within);
  const auto nearest_of = [](std::span<const NearBody> bodies) {
    return static_cast<std::size_t>(std::ranges::min_element(bodies, {}, &NearBody::least) - bodies.begin());
  };
  result.list.first = nearest_of(result.list.bodies);
  result.rounding = rounding_of_distances * domain.dx();
  result.has_parts = !listed.of_parts.empty();
  result.part_bits = (1 << domain.dimension()) - 1;
  for (int part = 0; result.has_parts && part <= result.part_bits; ++part) {
    const auto p = static_cast<std::size_t>(part);
    const NearBody* const first = listed.of_parts.data();
    result.parts[p].bodies = {first + listed.begin[p], first + listed.begin[p + 1]};
    result.parts[p].first = nearest_of(result.parts[p].bodies);
    result.parts[p].center = result.list.center + way_to_part(part);
    result.parts[p].beyond = domain.dx() * (0.5 * half + listed_within_part);
  }
  return result;
}

NearBody SolidFields::near_body(std::size_t n, const Vec3& center) const {
  const double distance = shapes_[n]->signed_distance(center);
  const double rounding = rounding_of_distances * (layout_->domain().dx() + std::abs(distance));
  const BoundingBall& ball = balls_[n];
  return {static_cast<std::int32_t>(n), distance, distance - slack_[n] - rounding, ball.center,
          ball.is_full ? ball.radius : -1.0};
}

/// List the bodies near the parts of a block among those near it.
void SolidFields::list_bodies_of_parts(LocalIndex b) {
  const Domain& domain = layout_->domain();
  ListedBodies& listed = listed_[static_cast<std::size_t>(b)];
  const Vec3 center = center_of_block(b);
  const double limit = domain.dx() * (0.25 * domain.block_cells().cast<double>().norm() + listed_within_part);
  for (int part = 0; part < 1 << domain.dimension(); ++part) {
    const Vec3 way = way_to_part(part);
    for (const NearBody& body : listed.of_block) {
      if (body.least - way.norm() >= limit) continue;
      const NearBody of_part = near_body(static_cast<std::size_t>(body.body), center + way);
      if (of_part.least < limit) listed.of_parts.push_back(of_part);
    }
    listed.begin[static_cast<std::size_t>(part) + 1] = static_cast<std::int32_t>(listed.of_parts.size());
  }
}

/// List the bodies near a block, with lower bounds of the distances from its cells to the bodies.
template <class Block>
void SolidFields::measure_block(LocalIndex b) {
  const double dx = layout_->domain().dx();
  const double half = (0.5 * Vec3(Block::nx, Block::ny, Block::nz)).norm();
  const Vec3 center = center_of_block(b);
  ListedBodies& listed = listed_[static_cast<std::size_t>(b)];
  listed.of_block.clear();
  listed.of_parts.clear();
  double nearest = std::numeric_limits<double>::infinity(), nearest_moving = nearest;
  const double limit = dx * (half + listed_within);
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    // the ball around a body that is far away tells enough of its distance
    const double to_ball = (center - balls_[n].center).norm() - balls_[n].radius - slack_[n];
    const bool is_far = to_ball >= limit + 0.1 * dx;  // more than the rounding of distances
    const NearBody body = is_far ? NearBody{} : near_body(n, center);
    const double distance = is_far ? to_ball : body.distance;
    nearest = std::min(nearest, distance);
    if (bodies_[n].motion != nullptr) nearest_moving = std::min(nearest_moving, distance);
    if (is_far || body.least >= limit) continue;
    if (listed.of_block.capacity() == 0) listed.of_block.reserve(std::min(bodies_.size(), usual_bodies));
    listed.of_block.push_back(body);
  }
  nearest_[b] = static_cast<float>(nearest / dx - half);
  nearest_moving_[b] = static_cast<float>(nearest_moving / dx - half);
  if (listed.of_block.size() > few_bodies && nearest_[b] < asking_reach) list_bodies_of_parts(b);
}

void SolidFields::forget_cells(LocalIndex b) {
  face_bodies_[b].clear();
  if (b >= layout_->n_owned()) return;
  cut_cells_[b].clear();
  separating_cells_[b].clear();
  covered_faces_[b].clear();
  body_flows_[b].clear();
}

/// Set a block's fields as without bodies and walls.
void SolidFields::open_block(LocalIndex b) {
  const int n = layout_->cells_per_block();
  std::fill_n(is_solid_.block(b), n, std::uint8_t{0});
  for (int d = 0; d < layout_->domain().dimension(); ++d) {
    std::fill_n(wall_[d].block(b), n, std::uint8_t{0});
    std::fill_n(open_fraction_[d].block(b), n, 1.0F);
    if (!velocity_.is_uniform()) std::fill_n(velocity_[d].block(b), n, 0.0F);
  }
  has_closed_face_[b] = 0;
  may_be_walled_[b] = 0;
  forget_cells(b);
}

template <class Block>
void SolidFields::fill_block(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const bool is_near = nearest_[b] < near_cells;
  const Vec3i end = first + domain.block_cells();
  bool is_inside = true;  // the block and the layer of cells below it lie in the domain
  for (int d = 0; d < Block::dim; ++d) is_inside = is_inside && first[d] > 0 && end[d] <= domain.cells()[d];
  open_block(b);
  if (is_inside && !is_near) return;
  const NearBodies near(*this, b);
  const BlockSolids<Block> solid(domain, first, near, is_near && any_voxels_);
  bool any_closed = false;
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3i n = Block::place(c);
    if (solid.open().contains(n)) continue;
    const std::uint8_t here = solid(n.x(), n.y(), n.z());
    const bool is_beyond = !domain.contains_cell(domain.wrap_cell(first + n));
    is_solid_.block(b)[c] = is_beyond ? free_slip_solid : here & static_cast<std::uint8_t>(~separating_solid);
    for (int d = 0; d < Block::dim; ++d) {
      std::uint8_t bits = wall_bits(solid(n.x() - (d == 0), n.y() - (d == 1), n.z() - (d == 2)), here);
      if (bits == 0) bits = solid.thin_wall_bits(n, d);
      wall_[d].block(b)[c] = bits;
      open_fraction_[d].block(b)[c] = bits != 0 ? 0.0F : 1.0F;
      any_closed = any_closed || bits != 0;
      if ((bits & thin_wall) != 0) may_be_walled_[b] = 1;
    }
  }
  has_closed_face_[b] = any_closed ? 1 : 0;
  if (is_near && any_fractions_) cut_block<Block>(b, near);
  if (is_near && any_moving_) find_face_bodies<Block>(b, near);
}

/// Find the bodies of a block's closed and cut faces.
template <class Block>
void SolidFields::find_face_bodies(LocalIndex b, const NearBodies& near) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  FaceBodies& bodies = face_bodies_[b];
  bodies.assign(static_cast<std::size_t>(Block::dim * Block::cells), -1);
  for (int d = 0; d < Block::dim; ++d)
    for (int c = 0; c < Block::cells; ++c) {
      const Vec3i n = Block::place(c);
      if (open_fraction_[d].block(b)[c] == 1.0F || is_domain_wall(domain, first + n, d)) continue;
      const std::size_t body = near.nearest(face_center(domain, first + n, d), any_body).body;
      bodies[static_cast<std::size_t>(d * Block::cells + c)] = static_cast<std::int16_t>(body);
    }
}

template <class Block>
void SolidFields::find_center_distances(LocalIndex b) {
  CenterDistances& distances = center_distances_[b];
  distances.clear();
  if (nearest_[b] >= near_cells) return;
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const NearBodies near(*this, b);
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3 center = center_of(domain, first + Block::place(c));
    distances.push_back(near.nearest_within(known_within * domain.dx(), center, any_body).distance);
  }
}

/// Find what bodies that the liquid moves take of a block's cells. \pre find_center_distances()
template <class Block>
void SolidFields::find_taken_parts(LocalIndex b) {
  if (b >= layout_->n_owned() || !any_free_fractions_) return;
  std::vector<TakenPart>& parts = taken_parts_[b];
  parts.clear();
  const Domain& domain = layout_->domain();
  const double reach = CellParts<Block::dim>::half_diagonal * domain.dx();
  if (nearest_moving_[b] >= CellParts<Block::dim>::half_diagonal) return;
  const NearBodies near(*this, b);
  for (int c = 0; c < Block::cells; ++c) {
    if (center_distances_[b][static_cast<std::size_t>(c)] >= reach) continue;
    const Vec3 center = center_of(domain, layout_->first_cell(b) + Block::place(c));
    near.for_each_reaching(reach, center, [&](std::size_t n) {
      if (!bodies_[n].is_free() || !has_fractions(bodies_[n])) return;
      const BodyInCell part = body_in_cell(*shapes_[n], center, domain.dx(), Block::dim);
      if (part.volume > 0.0) parts.push_back({static_cast<std::int16_t>(c), static_cast<std::int16_t>(n), part});
    });
  }
}

/// Reduce the open fractions of faces by the bodies of open fractions, after solids of whole cells.
template <class Block>
void SolidFields::cut_block(LocalIndex b, const NearBodies& near) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  CornerDistances<Block> distance(domain, first, near);
  const bool owned = b < layout_->n_owned();
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3i n = Block::place(c);
    const auto corners = distance.cell(n.x(), n.y(), n.z());
    if (corners.mean > covered_depth + 1.0) continue;
    std::uint8_t& solid = is_solid_.block(b)[c];
    const auto kind_of_nearest = [&] {
      return kind_of(bodies_[near.nearest(center_of(domain, first + n), has_fractions).body]);
    };
    if (solid == 0 && corners.all_inside) {
      solid = kind_of_nearest() & static_cast<std::uint8_t>(~separating_solid);
    } else if (solid == 0 && owned) {
      if (corners.mean < 0.0) cut_cells_[b].push_back({static_cast<std::int16_t>(c), towards(corners.gradient)});
      if (any_separating_fractions_ && corners.any_inside && (kind_of_nearest() & separating_solid) != 0)
        separating_cells_[b].push_back(static_cast<std::int16_t>(c));
    }
    if (owned && corners.any_inside && !corners.all_inside && any_moving_) add_body_flows<Block>(b, c, near, distance);
    for (int d = 0; d < Block::dim; ++d) {
      float& open = open_fraction_[d].block(b)[c];
      if (open == 0.0F) continue;
      open = static_cast<float>(distance.open_fraction(d, n.x(), n.y(), n.z()));
      if (open > 0.0F) continue;
      wall_[d].block(b)[c] = covered;
      has_closed_face_[b] = 1;
      if (solid == 0 && (n[d] == 0 || is_solid_.block(b)[c - Block::stride(d)] == 0)) may_be_walled_[b] = 1;
      if (owned && corners.mean > -covered_depth) cover_face(b, c, d, near, face_center(domain, first + n, d));
    }
  }
}

/// \param[in] cell  number of a cell that bodies of open fractions do not fill
template <class Block, class Distances>
void SolidFields::add_body_flows(LocalIndex b, int cell, const NearBodies& near, Distances& distance) {
  const Domain& domain = layout_->domain();
  const Vec3i n = Block::place(cell);
  NearestInCell nearest(near, center_of(domain, layout_->first_cell(b) + n), domain.dx());
  for (int d = 0; d < Block::dim; ++d)
    for (const int outward : {-1, 1}) {
      const Vec3i face = outward > 0 ? Vec3i(n + Vec3i::Unit(d)) : n;
      const auto part = distance.covered_part(d, face.x(), face.y(), face.z());
      if (!part || part->size == 0.0) continue;
      const bool at_side = is_domain_wall(domain, layout_->first_cell(b) + face, d);
      if ((!at_side && part->size >= 1.0) || !distance.is_between_whole_cells(d, face)) continue;
      const double closed = at_side ? 0.0 : 1.0 - distance.as_open(1.0 - part->size, d, face);
      const Vec3 x = face_center(domain, layout_->first_cell(b) + face, d);
      // Faces that the grid closes count as closed by a free body entirely: otherwise the closed faces around it would
      // not add up to a closed surface.
      if (closed == 1.0 && bodies_[nearest(x, has_fractions)].is_free()) continue;
      BodyFlow flow{static_cast<std::int16_t>(cell),
                    static_cast<std::int8_t>(d),
                    static_cast<std::int8_t>(outward),
                    static_cast<float>(closed),
                    static_cast<float>(part->size),
                    {},
                    0,
                    0,
                    0.0F};
      set_place_in_face(part->middle(), d, flow.middle);
      const Vec3 middle = x + domain.dx() * Vec3(flow.middle[0], flow.middle[1], flow.middle[2]);
      flow.body = static_cast<std::int16_t>(nearest(middle, has_fractions));
      flow.body_of_face = static_cast<std::int16_t>(nearest(x, any_body));
      body_flows_[b].push_back(flow);
    }
}

void SolidFields::cover_face(LocalIndex b, int face, int axis, const NearBodies& near, const Vec3& x) {
  const double dx = layout_->domain().dx();
  const Nearest nearest = near.nearest(x, has_fractions);
  constexpr double gradient_step = 1e-2;  // [cells]
  Vec3 normal = outward_normal(*shapes_[nearest.body], x, gradient_step * dx);
  if (normal.isZero(0.0))  // in the middle of a thin wall
    normal = outward_normal(*shapes_[nearest.body], x + 0.5 * dx * Vec3::Unit(axis), gradient_step * dx);
  CoveredFace result{};
  result.face = static_cast<std::int16_t>(face);
  result.axis = static_cast<std::int8_t>(axis);
  result.body = static_cast<std::int16_t>(nearest.body);
  for (int d = 0; d < 3; ++d) result.normal[d] = static_cast<float>(normal[d]);
  covered_faces_[b].push_back(result);
}

void SolidFields::reset(const BlockLayout& layout, const std::vector<SolidBody>& bodies, double time) {
  layout_ = &layout;
  bodies_ = bodies;
  slack_.clear();
  for (const SolidBody& body : bodies_) slack_.push_back(body.shape->slack());
  const auto any = [&](auto property) { return std::any_of(bodies.begin(), bodies.end(), property); };
  any_no_slip_ = any([](const SolidBody& body) { return model_of(body.slip).is_held; });
  any_moving_ = any([](const SolidBody& body) { return body.motion != nullptr; });
  any_fractions_ = any(has_fractions);
  any_free_fractions_ = any([](const SolidBody& body) { return has_fractions(body) && body.is_free(); });
  any_voxels_ = any(has_voxels);
  any_separating_fractions_ =
      any([](const SolidBody& body) { return has_fractions(body) && body.wall == WallCondition::separating; });
  twists_.clear();
  is_solid_.reset(layout, free_slip_solid);
  open_fraction_.reset(layout, 0.0F);
  if (any_moving_) {
    velocity_.reset(layout, 0.0F);
  } else {
    velocity_.reset_uniform(layout, 0.0F);
  }
  wall_.reset(layout, one_solid);
  const auto n_blocks = static_cast<std::size_t>(layout.n_blocks());
  may_be_walled_.assign(static_cast<std::size_t>(layout.n_slots()), 0);
  is_near_thin_wall_.assign(static_cast<std::size_t>(layout.n_owned()), 0);
  walled_cells_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  solid_sides_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  listed_.resize(n_blocks);
  nearest_.assign(n_blocks, 0.0F);
  nearest_moving_.assign(n_blocks, 0.0F);
  has_closed_face_.assign(n_blocks, 0);
  cut_cells_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  separating_cells_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  covered_faces_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  body_flows_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  taken_parts_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  face_bodies_.assign(n_blocks, {});
  center_distances_.assign(n_blocks, {});
  place(time);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
      measure_block<Block>(b);
      fill_block<Block>(b);
      find_center_distances<Block>(b);
      find_taken_parts<Block>(b);
    });
  });
  find_thin_walls();
}

void SolidFields::move_to(double time) {
  if (!any_moving_) return;
  place(time);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
      const float before = nearest_moving_[b];
      measure_block<Block>(b);
      const float nearest = std::min(before, nearest_moving_[b]);
      if (nearest < near_cells) fill_block<Block>(b);
      if (nearest >= known_within) return;
      find_center_distances<Block>(b);
      find_taken_parts<Block>(b);
    });
  });
  find_thin_walls();
}

}  // namespace freshet
