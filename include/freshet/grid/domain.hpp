// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/grid/morton.hpp"

#include <array>

namespace freshet {

/// The simulated box: a lattice of cubic cells, grouped into blocks, with a condition on each face.
///
/// Cells inside are numbered 0 .. cells-1; cell (0,0,0) has its low corner at `origin`. Blocks are aligned with cell 0.
/// Behind a high face of the domain there is one more layer of lattice cells if the face's velocity must be stored: if
/// the face is open, if liquid may leave it, or if DomainOptions::stores_walls is set. Cells beyond the domain are
/// solid behind a wall and air behind an open face.
class Domain {
 public:
  Domain() = default;
  explicit Domain(const DomainOptions& parameters);
  bool operator==(const Domain&) const = default;

  int dimension() const { return dimension_; }
  const Vec3i& cells() const { return cells_; }
  double dx() const { return dx_; }               ///< cell size [m]
  const Vec3& origin() const { return origin_; }  ///< low corner of the domain [m]
  Box box() const { return {origin_, origin_ + dx_ * cells_.cast<double>()}; }
  double cell_volume() const;  ///< dx^3 [m^3], also in 2-D, where the domain is one cell thick
  /// Thickness of the slab of a 2-D domain, one cell; 1 in 3-D. Forces and masses a metre are multiplied by it. [m]
  double thickness() const { return dimension_ == 2 ? dx_ : 1.0; }
  Vec3i block_cells() const { return {8, 8, dimension_ == 3 ? 8 : 1}; }
  const Vec3i& lattice() const { return lattice_; }  ///< number of blocks along each axis
  GlobalIndex n_lattice_blocks() const;
  FaceCondition condition(int axis, int side) const { return boundary_[axis][side]; }
  bool periodic(int axis) const { return boundary_[axis][0] == FaceCondition::periodic; }
  bool is_wall(int axis, int side) const { return freshet::is_wall(boundary_[axis][side]); }

  /// Whether the face is a wall that liquid may leave.
  bool separates(int axis, int side) const {
    return is_wall(axis, side) && wall_[axis][side] == WallCondition::separating;
  }

  /// Whether fields store velocities on the faces of walls, such as an inlet's velocity; else these velocities are 0.
  bool stores_walls() const { return stores_walls_; }

  /// Whether a side is a wall without slip.
  bool has_no_slip_side() const { return has_no_slip_side_; }

  /// Wrap block coordinates on periodic axes. \return false if they lie outside the lattice
  bool wrap_block(Vec3i& block) const;
  /// The cell coordinates, wrapped on periodic axes.
  Vec3i wrap_cell(Vec3i cell) const;
  bool contains_cell(const Vec3i& cell) const;
  /// Whether a cell outside the domain is solid, because it lies beyond a wall. Other cells outside are air.
  /// \pre !contains_cell(wrap_cell(cell))
  bool outside_is_solid(const Vec3i& cell) const;

 private:
  int dimension_ = 3;
  Vec3i cells_ = Vec3i::Ones();
  double dx_ = 1.0;
  Vec3 origin_ = Vec3::Zero();
  std::array<std::array<FaceCondition, 2>, 3> boundary_{};
  std::array<std::array<WallCondition, 2>, 3> wall_{};
  bool stores_walls_ = false;
  bool has_no_slip_side_ = false;
  Vec3i lattice_ = Vec3i::Ones();
};

}  // namespace freshet
