// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/nearest_body.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <cstdint>

namespace freshet {

/// Says on which side of thin walls the cells and the particles of one block lie.
template <class Block>
class WallSides {
 public:
  WallSides(const SolidFields& solids, const BlockLayout& layout, LocalIndex b)
      : solids_(solids), domain_(layout.domain()), first_(layout.first_cell(b).template cast<double>()) {
    has_walls_ = !solids.walled_cells(b).empty();
    if (!has_walls_) return;
    std::fill_n(seen_, Block::cells, ~0U);
    for (const WalledCell& walled : solids.walled_cells(b)) seen_[walled.cell] = walled.seen;
  }
  bool has_walls() const { return has_walls_; }
  /// \pre has_walls(). The cells around a cell that no wall cuts off from it: bits by direction_index.
  std::uint32_t seen_from(const Vec3i& cell) const { return seen_[Block::cell(cell)]; }
  bool is_walled(const Vec3i& cell) const { return seen_from(cell) != ~0U; }

  /// \pre has_walls(). Whether a way of single steps from a cell of the block to one that is in the block or touches it
  /// crosses no wall.
  bool is_joined(Vec3i from, const Vec3i& to) const {
    while (from != to) {
      const Vec3i rest = to - from;
      const int farthest = rest.cwiseAbs().maxCoeff();
      Vec3i step = Vec3i::Zero();
      for (int d = 0; d < Block::dim; ++d)
        if (std::abs(rest[d]) == farthest) step[d] = rest[d] > 0 ? 1 : -1;
      if ((seen_from(from) >> direction_index(step.x(), step.y(), step.z()) & 1U) == 0) return false;
      from += step;
    }
    return true;
  }

  /// The cells around a point that are on the side of a particle: bits by direction_index. \pre has_walls()
  /// \param[in] home        the particle's cell
  /// \param[in] is_at_home  whether the particle is on the cell's side; else the cells are those on the other side
  std::uint32_t cells_beside(const Vec3i& home, bool is_at_home, const Vec3& point) const {
    std::uint32_t cells = 0;
    Vec3i middle = point.array().floor().template cast<int>();
    if (Block::dim == 2) middle.z() = 0;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i offset = direction_offset(direction);
      const Vec3i cell = middle + offset;
      if (Block::dim == 2 && offset.z() != 0) continue;
      bool is_near = true;
      for (int d = 0; d < Block::dim; ++d) is_near = is_near && cell[d] >= -1 && cell[d] <= Block::n(d);
      if (is_near && is_joined(home, cell) == is_at_home) cells |= 1U << direction;
    }
    return cells;
  }

  /// \pre has_walls(). Whether a particle is on its cell's side of the walls through the cell. Otherwise it is between
  /// a wall and the face that the wall closes, on the side of the cell beyond that face.
  /// \param[in] x  relative to the block [cells]
  bool is_at_home(const Vec3i& cell, const Vec3& x) const {
    if (!is_walled(cell)) return true;
    const PointBesideBodies particle = at(x);
    const Vec3 center = cell.template cast<double>() + Vec3::Constant(0.5);
    if (particle.distance <= 0.0 || sees(particle, center)) return true;
    for (int d = 0; d < Block::dim; ++d)
      for (const int side : {-1, 1}) {
        const Vec3i next = side * Vec3i::Unit(d);
        const bool is_closed = (seen_from(cell) >> direction_index(next.x(), next.y(), next.z()) & 1U) == 0;
        if (is_closed && sees(particle, center + next.cast<double>())) return false;
      }
    return true;
  }

  /// Whether no body stands between two points in the block. [cells]
  bool are_together(const Vec3& x, const Vec3& y) const { return sees(at(x), y); }

 private:
  PointBesideBodies at(Vec3 x) const {
    if (Block::dim == 2) x.z() = 0.5;
    return {x, distance(x)};
  }
  double distance(const Vec3& x) const {
    const Vec3 place = domain_.origin() + domain_.dx() * (first_ + x);
    return nearest_body(solids_.bodies(), solids_.shapes(), place, any_body).distance / domain_.dx();
  }
  bool sees(const PointBesideBodies& from, const Vec3& to) const {
    const double length = (to - from.x).norm();
    return free_way([this](const Vec3& x) { return distance(x); }, from, at(to), length, shortest_way) == length;
  }

  const SolidFields& solids_;
  const Domain& domain_;
  const Vec3 first_;  ///< coordinates of the block's first cell
  bool has_walls_;
  std::uint32_t seen_[Block::cells];
};

}  // namespace freshet
