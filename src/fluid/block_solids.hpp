// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/block_shape.hpp"
#include "nearest_body.hpp"

#include <cstdint>

/// Solids of whole cells: walls of the domain, and bodies of voxels.
namespace freshet {

inline constexpr std::uint8_t separating_solid = 4;  ///< a further bit of the values of BlockSolids

inline std::uint8_t kind_of(const SolidBody& body) {
  const std::uint8_t kind = body.slip == Slip::no_slip ? no_slip_solid : free_slip_solid;
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
  BlockSolids(const Domain& domain, const Vec3i& first_cell, const std::vector<SolidBody>& bodies, const Shapes& shapes,
              bool bodies_near) {
    const int k_begin = Block::dim == 3 ? -1 : 0;
    const Vec3i begin(-1, -1, k_begin), end(Block::nx, Block::ny, Block::nz);
    if (!bodies_near) open_ = {begin.cwiseMax(-first_cell), end.cwiseMin(domain.cells() - first_cell)};
    for (int k = k_begin; k < Block::nz; ++k)
      for (int j = -1; j < Block::ny; ++j)
        for (int i = -1; i < Block::nx; ++i) {
          const Vec3i n(i, j, k);
          kind_[at(i, j, k)] =
              open_.contains(n) ? std::uint8_t{0} : kind(domain, first_cell + n, bodies, shapes, bodies_near);
        }
    open_.lower.head<Block::dim>().array() += 1;
  }
  std::uint8_t operator()(int i, int j, int k) const { return kind_[at(i, j, k)]; }
  /// Cells of the block that no solid covers, nor those below them.
  const CellBox& open() const { return open_; }

 private:
  static constexpr int with_lower = block_width + 1;  ///< a block's cells and one layer below
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

  CellBox open_{Vec3i::Zero(), Vec3i::Zero()};
  std::uint8_t kind_[with_lower * with_lower * with_lower];
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
