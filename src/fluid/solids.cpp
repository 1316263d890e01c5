// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/solids.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/block_shape.hpp"
#include "open_fraction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr int with_lower = block_width + 1;  ///< a block's cells and one layer below; also its corners along an axis
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near_cells = 2.0;            ///< blocks farther from a body than this hold nothing of it [cells]
constexpr double least_fraction = 1e-3;       ///< a face that is open by less is closed
constexpr double least_beside_moving = 0.02;  ///< near a moving body, as what it displaces must get through
constexpr double covered_depth = 2.0;         ///< how deep in a body velocities are of interest [cells]

constexpr std::uint8_t separating_solid = 4;  ///< a bit beside the kind of solid, in this file only

using Shapes = std::vector<std::shared_ptr<const Shape>>;

/// Nearest body of a point, and its signed distance [m].
struct Nearest {
  double distance = infinity;
  std::size_t body = 0;
};

/// Of those bodies that wanted(body) names.
template <class Wanted>
Nearest nearest_body(const std::vector<SolidBody>& bodies, const Shapes& shapes, const Vec3& x, Wanted wanted) {
  Nearest nearest;
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    if (!wanted(bodies[n])) continue;
    const double distance = shapes[n]->signed_distance(x);
    if (distance < nearest.distance) nearest = {distance, n};
  }
  return nearest;
}

bool has_fractions(const SolidBody& body) {
  return body.surface == Surface::fractions;
}
bool has_voxels(const SolidBody& body) {
  return body.surface == Surface::voxels;
}
bool any_body(const SolidBody&) {
  return true;
}

std::uint8_t kind_of(const SolidBody& body) {
  const std::uint8_t kind = body.slip == Slip::no_slip ? no_slip_solid : free_slip_solid;
  return body.wall == WallCondition::separating ? kind | separating_solid : kind;
}

/// True if liquid may leave one of the walls that a cell lies behind.
bool is_behind_separating_wall(const Domain& domain, const Vec3i& cell) {
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (cell[axis] < 0 && domain.separates(axis, 0)) return true;
    if (cell[axis] >= domain.cells()[axis] && domain.separates(axis, 1)) return true;
  }
  return false;
}

Vec3 center_of(const Domain& domain, const Vec3i& cell) {
  return domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
}

/// What each cell of a block and of the layer below it is to solids of whole cells: 0 open, else the kind of solid.
template <class Block>
class BlockSolids {
 public:
  BlockSolids(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies, const Shapes& shapes,
              bool bodies_near) {
    const int k_begin = Block::dim == 3 ? -1 : 0;
    for (int k = k_begin; k < Block::nz; ++k)
      for (int j = -1; j < Block::ny; ++j)
        for (int i = -1; i < Block::nx; ++i)
          kind_[at(i, j, k)] = kind(domain, first_cell + Vec3i(i, j, k), bodies, shapes, bodies_near);
  }
  std::uint8_t operator()(int i, int j, int k) const { return kind_[at(i, j, k)]; }

 private:
  static int at(int i, int j, int k) {
    return (i + 1) + with_lower * ((j + 1) + with_lower * (Block::dim == 3 ? k + 1 : 0));
  }
  static std::uint8_t kind(const Domain& domain, const Vec3i& unwrapped, const std::vector<SolidBody>& bodies,
                           const Shapes& shapes, bool bodies_near) {
    const Vec3i cell = domain.wrap_cell(unwrapped);
    if (!domain.contains_cell(cell)) {
      if (!domain.outside_is_solid(cell)) return 0;
      return is_behind_separating_wall(domain, cell) ? free_slip_solid | separating_solid : free_slip_solid;
    }
    if (!bodies_near) return 0;
    const Nearest nearest = nearest_body(bodies, shapes, center_of(domain, cell), has_voxels);
    return nearest.distance > 0.0 ? 0 : kind_of(bodies[nearest.body]);
  }

  std::uint8_t kind_[with_lower * with_lower * with_lower];
};

/// Signed distance to bodies of open fractions at the corners of a block's cells, in units of dx; in 2-D in the
/// middle of the layer.
template <class Block>
class CornerDistances {
 public:
  CornerDistances(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies,
                  const Shapes& shapes) {
    for (int k = 0; k < (Block::dim == 3 ? with_lower : 1); ++k)
      for (int j = 0; j < with_lower; ++j)
        for (int i = 0; i < with_lower; ++i) {
          Vec3 corner = (first_cell + Vec3i(i, j, k)).template cast<double>();
          if (Block::dim == 2) corner.z() += 0.5;
          const Vec3 x = domain.origin() + domain.dx() * corner;
          const Nearest nearest = nearest_body(bodies, shapes, x, has_fractions);
          value_[at(i, j, k)] = nearest.distance / domain.dx();
          if (std::abs(value_[at(i, j, k)]) < near_cells && bodies[nearest.body].motion) least_ = least_beside_moving;
        }
  }
  double operator()(int i, int j, int k) const { return value_[at(i, j, k)]; }

  /// Open part of the low face of cell (i, j, k) along d.
  double open_fraction(int d, int i, int j, int k) const {
    const auto corner = [&](int b, int c) {  // b, c: steps along the face's two axes
      return d == 0 ? (*this)(i, j + b, k + c) : d == 1 ? (*this)(i + b, j, k + c) : (*this)(i + b, j + c, k);
    };
    const double part = Block::dim == 2 ? positive_part(corner(0, 0), corner(1, 0))
                                        : positive_part(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
    return part < least_ ? 0.0 : part;
  }

  /// Mean and gradient over the corners of a cell.
  void cell(int i, int j, int k, double& mean, Vec3& gradient, bool& all_inside) const {
    const int n_z = Block::dim == 3 ? 2 : 1;
    mean = 0.0;
    gradient.setZero();
    all_inside = true;
    for (int c = 0; c < n_z; ++c)
      for (int b = 0; b < 2; ++b)
        for (int a = 0; a < 2; ++a) {
          const double value = (*this)(i + a, j + b, k + c);
          mean += value;
          gradient += value * Vec3(2 * a - 1, 2 * b - 1, Block::dim == 3 ? 2 * c - 1 : 0);
          all_inside = all_inside && value <= 0.0;
        }
    mean /= 4 * n_z;
    gradient /= 2 * n_z;
  }

 private:
  static int at(int i, int j, int k) { return i + with_lower * (j + with_lower * k); }
  double least_ = least_fraction;
  double value_[with_lower * with_lower * (Block::dim == 3 ? with_lower : 1)];
};

/// direction_index of the neighbour that lies along a vector.
std::int16_t towards(const Vec3& v) {
  constexpr double sine = 0.38;  // of half of 45 degrees
  const double length = v.norm();
  Vec3i step = Vec3i::Zero();
  for (int d = 0; d < 3; ++d)
    if (std::abs(v[d]) > sine * length) step[d] = v[d] > 0.0 ? 1 : -1;
  return static_cast<std::int16_t>(direction_index(step.x(), step.y(), step.z()));
}

/// WallBits of the face between two cells of these kinds.
std::uint8_t wall_bits(std::uint8_t lower, std::uint8_t upper) {
  std::uint8_t bits = 0;
  if (lower != 0) bits |= solid_below;
  if (upper != 0) bits |= solid_above;
  if (is_wall_face(bits) && ((lower | upper) & separating_solid) != 0) bits |= may_separate;
  if ((lower & no_slip_solid) != 0 && (upper & no_slip_solid) != 0) bits |= deep_no_slip;
  return bits;
}

template <class Block>
Vec3i cell_in_block(int c) {
  return {c % Block::nx, c / Block::nx % Block::ny, c / (Block::nx * Block::ny)};
}

Vec3 face_center(const Domain& domain, const Vec3i& cell, int axis) {
  return center_of(domain, cell) - 0.5 * domain.dx() * Vec3::Unit(axis);
}

/// True if a face belongs to a wall of the domain, or lies beyond it.
bool is_domain_wall(const Domain& domain, const Vec3i& cell, int axis) {
  const Vec3i here = domain.wrap_cell(cell);
  const Vec3i below = domain.wrap_cell(cell - Vec3i::Unit(axis));
  return !domain.contains_cell(here) || !domain.contains_cell(below);
}

}  // namespace

std::shared_ptr<const Shape> SolidBody::shape_at(double time) const {
  return motion ? std::make_shared<PosedShape>(shape, motion->pose(time)) : shape;
}

double largest_speed(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt) {
  double largest = 0.0;
  const Vec3 upper = domain.origin() + domain.dx() * domain.cells().cast<double>();
  for (const SolidBody& body : bodies) {
    if (!body.motion) continue;
    const Twist twist = body.motion->twist(time, dt);
    const Box bounds = body.shape_at(time)->bounds();
    const Vec3 low = bounds.lower.cwiseMax(domain.origin());
    const Vec3 high = bounds.upper.cwiseMin(upper);
    const Vec3 farthest = (low - twist.center).cwiseAbs().cwiseMax((high - twist.center).cwiseAbs());
    largest = std::max(largest, twist.linear.norm() + twist.angular.norm() * farthest.norm());
  }
  return largest;
}

void SolidFields::place(double time) {
  time_ = time;
  shapes_.clear();
  for (const SolidBody& body : bodies_) shapes_.push_back(body.shape_at(time));
}

/// Lower bounds of the distances from a block's cells to the bodies.
template <class Block>
void SolidFields::measure_block(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3 half = 0.5 * Vec3(Block::nx, Block::ny, Block::nz);
  const Vec3 center = domain.origin() + domain.dx() * (layout_->first_cell(b).cast<double>() + half);
  const auto bound = [&](auto wanted) {
    return static_cast<float>(nearest_body(bodies_, shapes_, center, wanted).distance / domain.dx() - half.norm());
  };
  nearest_[b] = bound(any_body);
  nearest_moving_[b] = bound([](const SolidBody& body) { return body.motion != nullptr; });
}

template <class Block>
void SolidFields::fill_block(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const bool is_near = nearest_[b] < near_cells;
  const BlockSolids<Block> solid(domain, first, bodies_, shapes_, is_near);
  bool any_closed = false;
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3i n = cell_in_block<Block>(c);
    const std::uint8_t here = solid(n.x(), n.y(), n.z());
    is_solid_.block(b)[c] = here & static_cast<std::uint8_t>(~separating_solid);
    for (int d = 0; d < Block::dim; ++d) {
      const std::uint8_t bits = wall_bits(solid(n.x() - (d == 0), n.y() - (d == 1), n.z() - (d == 2)), here);
      wall_[d].block(b)[c] = bits;
      open_fraction_[d].block(b)[c] = bits != 0 ? 0.0F : 1.0F;
      velocity_[d].block(b)[c] = 0.0F;
      any_closed = any_closed || bits != 0;
    }
  }
  has_closed_face_[b] = any_closed ? 1 : 0;
  if (b < layout_->n_owned()) {
    cut_cells_[b].clear();
    covered_faces_[b].clear();
  }
  if (is_near && any_fractions_) cut_block<Block>(b);
}

/// Lay bodies of open fractions over what solids of whole cells have left open.
template <class Block>
void SolidFields::cut_block(LocalIndex b) {
  const Domain& domain = layout_->domain();
  const Vec3i first = layout_->first_cell(b);
  const CornerDistances<Block> distance(domain, first, bodies_, shapes_);
  const bool owned = b < layout_->n_owned();
  for (int c = 0; c < Block::cells; ++c) {
    const Vec3i n = cell_in_block<Block>(c);
    double mean = 0.0;
    Vec3 gradient;
    bool all_inside = false;
    distance.cell(n.x(), n.y(), n.z(), mean, gradient, all_inside);
    if (mean > covered_depth + 1.0) continue;
    std::uint8_t& solid = is_solid_.block(b)[c];
    if (solid == 0 && all_inside) {
      const Nearest nearest = nearest_body(bodies_, shapes_, center_of(domain, first + n), has_fractions);
      solid = kind_of(bodies_[nearest.body]) & static_cast<std::uint8_t>(~separating_solid);
    } else if (solid == 0 && mean < 0.0 && owned) {
      cut_cells_[b].push_back({static_cast<std::int16_t>(c), towards(gradient)});
    }
    for (int d = 0; d < Block::dim; ++d) {
      float& open = open_fraction_[d].block(b)[c];
      if (open == 0.0F) continue;
      open = static_cast<float>(distance.open_fraction(d, n.x(), n.y(), n.z()));
      if (open > 0.0F) continue;
      wall_[d].block(b)[c] = covered;
      has_closed_face_[b] = 1;
      if (owned && mean > -covered_depth) cover_face(b, c, d, face_center(domain, first + n, d));
    }
  }
}

void SolidFields::cover_face(LocalIndex b, int face, int axis, const Vec3& x) {
  const double dx = layout_->domain().dx();
  const Nearest nearest = nearest_body(bodies_, shapes_, x, has_fractions);
  constexpr double gradient_step = 1e-2;  // [cells]
  const Vec3 normal = outward_normal(*shapes_[nearest.body], x, gradient_step * dx);
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
  const auto any = [&](auto property) { return std::any_of(bodies.begin(), bodies.end(), property); };
  any_no_slip_ = any([](const SolidBody& body) { return body.slip == Slip::no_slip; });
  any_moving_ = any([](const SolidBody& body) { return body.motion != nullptr; });
  any_fractions_ = any(has_fractions);
  is_solid_.reset(layout, free_slip_solid);
  open_fraction_.reset(layout, 0.0F);
  velocity_.reset(layout, 0.0F);
  wall_.reset(layout, one_solid);
  const auto n_blocks = static_cast<std::size_t>(layout.n_blocks());
  nearest_.assign(n_blocks, 0.0F);
  nearest_moving_.assign(n_blocks, 0.0F);
  has_closed_face_.assign(n_blocks, 0);
  cut_cells_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  covered_faces_.assign(static_cast<std::size_t>(layout.n_owned()), {});
  place(time);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
      measure_block<Block>(b);
      fill_block<Block>(b);
    });
  });
}

void SolidFields::move_to(double time) {
  if (!any_moving_) return;
  place(time);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
      const bool was_near = nearest_moving_[b] < near_cells;
      measure_block<Block>(b);
      if (was_near || nearest_moving_[b] < near_cells) fill_block<Block>(b);
    });
  });
}

void SolidFields::set_velocity(double dt) {
  if (!any_moving_) return;
  std::vector<Twist> twists;
  for (const SolidBody& body : bodies_) twists.push_back(body.motion ? body.motion->twist(time_, dt) : Twist{});
  const Domain& domain = layout_->domain();
  with_shape(domain.dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout_->n_blocks(), [&](LocalIndex b) {
      if (nearest_moving_[b] >= near_cells) return;
      const Vec3i first = layout_->first_cell(b);
      for (int d = 0; d < Block::dim; ++d)
        for (int c = 0; c < Block::cells; ++c) {
          const Vec3i cell = first + cell_in_block<Block>(c);
          if (open_fraction_[d].block(b)[c] == 1.0F || is_domain_wall(domain, cell, d)) continue;
          const Vec3 x = face_center(domain, cell, d);
          const Twist& twist = twists[nearest_body(bodies_, shapes_, x, any_body).body];
          velocity_[d].block(b)[c] = static_cast<float>(twist.at(x)[d]);
        }
      if (b >= layout_->n_owned()) return;
      for (CoveredFace& covered_face : covered_faces_[b]) {
        const Vec3i cell = first + cell_in_block<Block>(covered_face.face);
        const Vec3 u =
            twists[static_cast<std::size_t>(covered_face.body)].at(face_center(domain, cell, covered_face.axis));
        for (int d = 0; d < 3; ++d) covered_face.velocity[d] = static_cast<float>(u[d]);
      }
    });
  });
}

}  // namespace freshet
