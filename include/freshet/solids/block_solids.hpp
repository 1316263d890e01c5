// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <cstdint>

/// Solids of whole cells: walls of the domain, and bodies of voxels.
namespace freshet {

inline constexpr std::uint8_t separating_solid = 4;  ///< additional bit in the values of BlockSolids

inline std::uint8_t kind_of(const SolidBody& body) {
  const std::uint8_t kind = model_of(body.slip).is_held ? no_slip_solid : free_slip_solid;
  return body.wall == WallCondition::separating ? kind | separating_solid : kind;
}

/// True if liquid may leave one of the walls that a cell lies behind.
inline bool is_behind_separating_wall(const Domain& domain, const Vec3i& cell) {
  for (int axis = 0; axis < domain.dimension(); ++axis) {
    if (cell[axis] < 0 && domain.separates(axis, 0)) return true;
    if (cell[axis] >= domain.cells()[axis] && domain.separates(axis, 1)) return true;
  }
  return false;
}

inline Vec3 center_of(const Domain& domain, const Vec3i& cell) {
  return domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
}

/// The kind of solid that covers each cell of a block and of the layer below it, from solids of whole cells; 0 if none.
template <class Block>
class BlockSolids {
 public:
  BlockSolids(const Domain& domain, const Vec3i& first_cell, const NearBodies& near, bool bodies_near)
      : domain_(domain), first_cell_(first_cell), near_(near) {
    const int k_begin = Block::dim == 3 ? -1 : 0;
    const Vec3i begin(-1, -1, k_begin), end(Block::nx, Block::ny, Block::nz);
    if (!bodies_near) open_ = {begin.cwiseMax(-first_cell), end.cwiseMin(domain.cells() - first_cell)};
    for (int k = k_begin; k < Block::nz; ++k)
      for (int j = -1; j < Block::ny; ++j)
        for (int i = -1; i < Block::nx; ++i) {
          const Vec3i n(i, j, k);
          distance_[at(i, j, k)] = far;
          kind_[at(i, j, k)] = open_.contains(n) ? std::uint8_t{0} : kind(n, bodies_near);
        }
    open_.lower.head<Block::dim>().array() += 1;
  }
  std::uint8_t operator()(int i, int j, int k) const { return kind_[at(i, j, k)]; }
  /// Cells of the block that no solid covers, nor those below them.
  const CellBox& open() const { return open_; }

  /// WallBits of the low face along an axis of a cell, if a body stands between the centres of the two cells there.
  /// It is no wall if the way between them enters and leaves it through surfaces with similar normals, such as over the
  /// top of a ball. \pre neither cell is solid
  std::uint8_t thin_wall_bits(const Vec3i& n, int axis) const {
    const Vec3i lower = n - Vec3i::Unit(axis);
    const double here = distance_[at(n.x(), n.y(), n.z())], there = distance_[at(lower.x(), lower.y(), lower.z())];
    if (here + there > 1.0) return 0;
    const Vec3 center = center_of(domain_, first_cell_ + n) / domain_.dx();
    const auto distance = [&](const Vec3& x) {
      return near_.nearest(domain_.dx() * x, has_voxels).distance / domain_.dx();
    };
    const PointBesideBodies from{center, here}, to{center - Vec3::Unit(axis), there};
    const double way = free_way(distance, from, to, 1.0, shortest_way);
    if (way == 1.0) return 0;
    const Vec3 met = domain_.dx() * (from.x - way * Vec3::Unit(axis));
    const Vec3 left = domain_.dx() * (to.x + free_way(distance, to, from, 1.0, shortest_way) * Vec3::Unit(axis));
    const std::size_t body = near_.nearest(met, has_voxels).body;
    const std::size_t last = near_.nearest(left, has_voxels).body;
    const double step = shortest_way * domain_.dx();
    constexpr double alike =
        0.5;  // a wall's two normals are opposite, and at right angles where a cup's wall meets its floor
    const Shapes& shapes = near_.shapes();
    if (outward_normal(*shapes[body], met, step).dot(outward_normal(*shapes[last], left, step)) > alike) return 0;
    const std::uint8_t kind = kind_of(near_.bodies()[body]);
    std::uint8_t bits = thin_wall;
    if ((kind & separating_solid) != 0) bits |= may_separate;
    if ((kind & no_slip_solid) != 0) bits |= no_slip_wall;
    return bits;
  }

 private:
  static constexpr float far = 2.0F;                  ///< distance where no body is near [cells]
  static constexpr int with_lower = block_width + 1;  ///< a block's cells and one layer below
  static int at(int i, int j, int k) {
    return (i + 1) + with_lower * ((j + 1) + with_lower * (Block::dim == 3 ? k + 1 : 0));
  }
  std::uint8_t kind(const Vec3i& n, bool bodies_near) {
    const Vec3i cell = domain_.wrap_cell(first_cell_ + n);
    if (!domain_.contains_cell(cell)) {
      if (!domain_.outside_is_solid(cell)) return 0;
      return is_behind_separating_wall(domain_, cell) ? free_slip_solid | separating_solid : free_slip_solid;
    }
    if (!bodies_near) return 0;
    const Nearest nearest = near_.nearest_within(domain_.dx() * (far + 1.0), center_of(domain_, cell), has_voxels);
    distance_[at(n.x(), n.y(), n.z())] = static_cast<float>(std::min<double>(far, nearest.distance / domain_.dx()));
    return without_rounding(nearest.distance / domain_.dx()) > 0.0 ? 0 : kind_of(near_.bodies()[nearest.body]);
  }

  const Domain& domain_;
  const Vec3i first_cell_;
  const NearBodies near_;
  CellBox open_{Vec3i::Zero(), Vec3i::Zero()};
  std::uint8_t kind_[with_lower * with_lower * with_lower];
  float distance_[with_lower * with_lower * with_lower];  ///< distances of the centres to bodies of voxels [cells]
};

/// WallBits of the face between two cells of these kinds.
inline std::uint8_t wall_bits(std::uint8_t lower, std::uint8_t upper) {
  std::uint8_t bits = 0;
  if (lower != 0) bits |= solid_below;
  if (upper != 0) bits |= solid_above;
  if (is_wall_face(bits) && ((lower | upper) & separating_solid) != 0) bits |= may_separate;
  if ((lower & no_slip_solid) != 0 && (upper & no_slip_solid) != 0) bits |= deep_no_slip;
  return bits;
}

}  // namespace freshet
