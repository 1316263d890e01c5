// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace freshet {

/// Says on which side of thin walls the cells and the particles of one block lie.
template <class Block>
class WallSides {
 public:
  WallSides(const SolidFields& solids, const BlockLayout& layout, LocalIndex b)
      : solids_(solids),
        near_(solids, b),
        domain_(layout.domain()),
        block_(b),
        first_(layout.first_cell(b).template cast<double>()) {
    const std::vector<WalledCell>& walled = solids.walled_cells(b);
    const std::vector<SolidSide>& in_solids = solids.solid_sides(b);
    has_walls_ = !walled.empty() || !in_solids.empty();
    if (!has_walls_) return;
    std::fill_n(seen_, Block::cells, ~0U);
    for (const WalledCell& cell : walled) seen_[cell.cell] = cell.seen;
    for (const SolidSide& side : in_solids) seen_[side.cell] = side.cells;
  }
  bool has_walls() const { return has_walls_; }
  /// \pre has_walls(). The cells around a cell that no wall cuts off from it: bits by direction_index.
  std::uint32_t seen_from(const Vec3i& cell) const { return seen_[Block::cell(cell)]; }
  bool is_walled(const Vec3i& cell) const { return seen_from(cell) != ~0U; }

  /// The cells around its cell that are on the side of a particle: bits by direction_index. \pre has_walls()
  /// \param[in] x  relative to the block [cells]
  std::uint32_t cells_beside(const Vec3i& home, const Vec3& x) const {
    if (!is_walled(home)) return ~0U;
    if (solids_.is_solid().block(block_)[Block::cell(home)] != 0) return cells_beside_in_solid(home, x);
    return is_at_home(home, x) ? seen_from(home) : ~seen_from(home);
  }

  /// Those of some cells around `home` that are around a point, too: bits by direction_index for its own place.
  static std::uint32_t around_point(const Vec3i& home, std::uint32_t cells, const Vec3& point) {
    std::uint32_t result = 0;
    Vec3i middle = point.array().floor().template cast<int>();
    if (Block::dim == 2) middle.z() = 0;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i from_home = middle + direction_offset(direction) - home;
      if (from_home.cwiseAbs().maxCoeff() > 1) continue;
      if ((cells >> direction_index(from_home.x(), from_home.y(), from_home.z()) & 1U) != 0) result |= 1U << direction;
    }
    return result;
  }

  /// \pre has_walls(). Whether a particle is on its cell's side of the walls through the cell. Otherwise it is on the
  /// side of a cell around that a wall cuts off, such as between a wall and the face that the wall closes.
  /// \param[in] x  relative to the block [cells]
  bool is_at_home(const Vec3i& cell, const Vec3& x) const {
    if (!is_walled(cell)) return true;
    const PointBesideBodies particle = at(x);
    const Vec3 center = cell.template cast<double>() + Vec3::Constant(0.5);
    if (particle.distance <= 0.0 || sees(particle, center)) return true;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i next = direction_offset(direction);
      if ((Block::dim == 2 && next.z() != 0) || (seen_from(cell) >> direction & 1U) != 0) continue;
      if (sees(particle, center + next.cast<double>())) return false;
    }
    return true;
  }

  /// Whether no body stands between two points in the block. [cells]
  bool are_together(const Vec3& x, const Vec3& y) const { return sees(at(x), y); }

 private:
  /// The cells on the side of a particle in a solid cell that has cells on several sides: those of the first side of
  /// which it sees a cell's centre. \param[in] x  as in cells_beside()
  std::uint32_t cells_beside_in_solid(const Vec3i& home, const Vec3& x) const {
    const PointBesideBodies particle = at(x);
    if (particle.distance <= 0.0) return ~0U;
    const Vec3 center = home.template cast<double>() + Vec3::Constant(0.5);
    for (const SolidSide& side : solids_.solid_sides(block_))
      for (std::uint32_t cells = side.cell == Block::cell(home) ? side.cells : 0; cells != 0; cells &= cells - 1)
        if (sees(particle, center + direction_offset(std::countr_zero(cells)).template cast<double>()))
          return side.cells;
    return ~0U;
  }
  PointBesideBodies at(Vec3 x) const {
    if (Block::dim == 2) x.z() = 0.5;
    return {x, distance(x)};
  }
  double distance(const Vec3& x) const {
    const Vec3 place = domain_.origin() + domain_.dx() * (first_ + x);
    return near_.nearest(place, any_body).distance / domain_.dx();
  }
  bool sees(const PointBesideBodies& from, const Vec3& to) const {
    const double length = (to - from.x).norm();
    return free_way([this](const Vec3& x) { return distance(x); }, from, at(to), length, shortest_way) == length;
  }

  const SolidFields& solids_;
  const NearBodies near_;
  const Domain& domain_;
  const LocalIndex block_;
  const Vec3 first_;  ///< coordinates of the block's first cell
  bool has_walls_;
  std::uint32_t seen_[Block::cells];
};

}  // namespace freshet
