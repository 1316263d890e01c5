// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/balls_around.hpp"
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
    const Vec3 center = center_in_block(cell);
    Sight particle(*this, cell, x);
    if (!particle.is_outside() || particle.sees(center)) return true;
    for (int direction = 0; direction < n_directions; ++direction) {
      const Vec3i next = direction_offset(direction);
      if ((Block::dim == 2 && next.z() != 0) || (seen_from(cell) >> direction & 1U) != 0) continue;
      if (particle.sees(center + next.cast<double>())) return false;
    }
    return true;
  }

  /// Whether no body stands between two points in the block. [cells]
  bool are_together(const Vec3& x, const Vec3& y) const { return sees(at(x), y); }

 private:
  /// The cells on the side of a particle in a solid cell that has cells on several sides: those of the first side of
  /// which it sees a cell's centre. \param[in] x  as in cells_beside()
  std::uint32_t cells_beside_in_solid(const Vec3i& home, const Vec3& x) const {
    Sight particle(*this, home, x);
    if (!particle.is_outside()) return ~0U;
    const Vec3 center = center_in_block(home);
    for (const SolidSide& side : solids_.solid_sides(block_))
      for (std::uint32_t cells = side.cell == Block::cell(home) ? side.cells : 0; cells != 0; cells &= cells - 1)
        if (particle.sees(center + direction_offset(std::countr_zero(cells)).template cast<double>()))
          return side.cells;
    return ~0U;
  }
  /// What a particle in a cell sees of that cell and those around it.
  class Sight {
   public:
    Sight(const WallSides& sides, const Vec3i& home, const Vec3& x)
        : sides_(sides), balls_(sides.balls_around(home)), particle_{in_plane(x), not_asked} {}
    bool is_outside() {
      const BallsAround::Answer answer = balls_.is_outside(particle_.x);
      return answer == BallsAround::Answer::unknown ? particle().distance > 0.0 : answer == BallsAround::Answer::yes;
    }
    /// \pre is_outside()
    bool sees(const Vec3& to) {
      const BallsAround::Answer answer = balls_.is_free(particle_.x, to);
      return answer == BallsAround::Answer::unknown ? sides_.sees(particle(), to) : answer == BallsAround::Answer::yes;
    }

   private:
    static constexpr double not_asked = -1e30;
    const PointBesideBodies& particle() {
      if (particle_.distance == not_asked) particle_ = sides_.at(particle_.x);
      return particle_;
    }
    const WallSides& sides_;
    const BallsAround& balls_;
    PointBesideBodies particle_;
  };

  static Vec3 center_in_block(const Vec3i& cell) { return cell.cast<double>() + Vec3::Constant(0.5); }
  static Vec3 in_plane(const Vec3& x) { return Block::dim == 2 ? Vec3(x.x(), x.y(), 0.5) : x; }
  /// The balls about a cell; they are kept, as particles of a cell follow each other.
  const BallsAround& balls_around(const Vec3i& cell) const {
    if (const int number = Block::cell(cell); number != cell_of_balls_) {
      balls_.find(near_, domain_, first_, in_plane(center_in_block(cell)));
      cell_of_balls_ = number;
    }
    return balls_;
  }
  PointBesideBodies at(const Vec3& x) const { return {in_plane(x), distance(in_plane(x))}; }
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
  mutable BallsAround balls_;
  mutable int cell_of_balls_ = -1;
};

}  // namespace freshet
