// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/solids.hpp"

#include "freshet/grid/block_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr int with_lower = block_width + 1;  ///< a block's cells and one layer below

constexpr std::uint8_t separating_solid = 4;  ///< a bit beside the kind of solid, in this file only

/// Nearest body of a point and its signed distance [m].
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  Slip slip = Slip::free_slip;
  WallCondition wall = WallCondition::sticky;
};

Nearest nearest_body(const std::vector<SolidBody>& bodies, const Vec3& x) {
  Nearest nearest;
  for (const SolidBody& body : bodies) {
    const double distance = body.shape->signed_distance(x);
    if (distance < nearest.distance) nearest = {distance, body.slip, body.wall};
  }
  return nearest;
}

/// True if liquid may leave one of the walls that a cell lies behind.
bool is_behind_separating_wall(const Domain& domain, const Vec3i& cell) {
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (cell[axis] < 0 && domain.separates(axis, 0)) return true;
    if (cell[axis] >= domain.cells()[axis] && domain.separates(axis, 1)) return true;
  }
  return false;
}

/// What each cell of a block and of the layer below it is: 0 open, else the kind of solid.
template <class Shape>
class BlockSolids {
 public:
  BlockSolids(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies, bool bodies_near) {
    const int k_begin = Shape::dim == 3 ? -1 : 0;
    for (int k = k_begin; k < Shape::nz; ++k)
      for (int j = -1; j < Shape::ny; ++j)
        for (int i = -1; i < Shape::nx; ++i)
          kind_[at(i, j, k)] = kind(domain, first_cell + Vec3i(i, j, k), bodies, bodies_near);
  }
  std::uint8_t operator()(int i, int j, int k) const { return kind_[at(i, j, k)]; }

 private:
  static int at(int i, int j, int k) {
    return (i + 1) + with_lower * ((j + 1) + with_lower * (Shape::dim == 3 ? k + 1 : 0));
  }
  static std::uint8_t kind(const Domain& domain, const Vec3i& unwrapped, const std::vector<SolidBody>& bodies,
                           bool bodies_near) {
    const Vec3i cell = domain.wrap_cell(unwrapped);
    if (!domain.contains_cell(cell)) {
      if (!domain.outside_is_solid(cell)) return 0;
      return is_behind_separating_wall(domain, cell) ? free_slip_solid | separating_solid : free_slip_solid;
    }
    if (!bodies_near) return 0;
    const Vec3 center = domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
    const Nearest nearest = nearest_body(bodies, center);
    if (nearest.distance > 0.0) return 0;
    const std::uint8_t kind = nearest.slip == Slip::no_slip ? no_slip_solid : free_slip_solid;
    return nearest.wall == WallCondition::separating ? kind | separating_solid : kind;
  }

  std::uint8_t kind_[with_lower * with_lower * with_lower];
};

/// WallBits of the face between two cells of these kinds.
std::uint8_t wall_bits(std::uint8_t lower, std::uint8_t upper) {
  std::uint8_t bits = 0;
  if (lower != 0) bits |= solid_below;
  if (upper != 0) bits |= solid_above;
  if (is_wall_face(bits) && ((lower | upper) & separating_solid) != 0) bits |= may_separate;
  if ((lower & no_slip_solid) != 0 && (upper & no_slip_solid) != 0) bits |= deep_no_slip;
  return bits;
}

/// Lower bound of the distance from a block's cells to any body. [cells]
template <class Shape>
double distance_bound(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies) {
  const Vec3 half = 0.5 * Vec3(Shape::nx, Shape::ny, Shape::nz);
  const Vec3 center = domain.origin() + domain.dx() * (first_cell.cast<double>() + half);
  return nearest_body(bodies, center).distance / domain.dx() - half.norm();
}

}  // namespace

void SolidFields::reset(const BlockLayout& layout, const std::vector<SolidBody>& bodies) {
  bodies_ = bodies;
  any_no_slip_ = std::any_of(bodies.begin(), bodies.end(), [](const auto& body) { return body.slip == Slip::no_slip; });
  is_solid_.reset(layout, free_slip_solid);
  open_fraction_.reset(layout, 0.0F);
  velocity_.reset(layout, 0.0F);
  wall_.reset(layout, one_solid);
  nearest_.assign(static_cast<std::size_t>(layout.n_blocks()), 0.0F);
  has_closed_face_.assign(static_cast<std::size_t>(layout.n_blocks()), 0);
  const Domain& domain = layout.domain();
  with_shape(domain.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const LocalIndex n_blocks = layout.n_blocks();
#pragma omp parallel for schedule(dynamic, 8)
    for (LocalIndex b = 0; b < n_blocks; ++b) {
      const Vec3i first = layout.first_cell(b);
      const double nearest = distance_bound<Shape>(domain, first, bodies_);
      nearest_[b] = static_cast<float>(nearest);
      const BlockSolids<Shape> solid(domain, first, bodies_, nearest < 2.0);
      bool any_closed = false;
      for (int k = 0; k < Shape::nz; ++k)
        for (int j = 0; j < Shape::ny; ++j)
          for (int i = 0; i < Shape::nx; ++i) {
            const int c = Shape::cell(i, j, k);
            const std::uint8_t here = solid(i, j, k);
            is_solid_.block(b)[c] = here & static_cast<std::uint8_t>(~separating_solid);
            for (int d = 0; d < Shape::dim; ++d) {
              const std::uint8_t bits = wall_bits(solid(i - (d == 0), j - (d == 1), k - (d == 2)), here);
              const bool closed = bits != 0;
              wall_[d].block(b)[c] = bits;
              open_fraction_[d].block(b)[c] = closed ? 0.0F : 1.0F;
              velocity_[d].block(b)[c] = 0.0F;
              any_closed = any_closed || closed;
            }
          }
      has_closed_face_[b] = any_closed ? 1 : 0;
    }
  });
}

}  // namespace freshet
