// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/domain.hpp"

#include "freshet/core/contracts.hpp"

namespace freshet {

Domain::Domain(const DomainOptions& parameters)
    : dimension_(parameters.dimension),
      cells_(parameters.cells),
      dx_(parameters.cell_size),
      origin_(parameters.origin),
      boundary_(parameters.boundary),
      wall_(parameters.wall),
      stores_walls_(parameters.stores_walls) {
  const Vec3i width = block_cells();
  for (int axis = 0; axis < 3; ++axis) {
    const bool one_more = condition(axis, 1) == FaceCondition::open || separates(axis, 1) ||
                          (is_wall(axis, 1) && parameters.stores_walls);
    lattice_[axis] = (cells_[axis] + (axis < dimension_ && one_more ? 1 : 0) + width[axis] - 1) / width[axis];
    for (int side = 0; side < 2 && axis < dimension_; ++side)
      has_no_slip_side_ = has_no_slip_side_ || model_of(condition(axis, side)).is_held;
    FRESHET_EXPECT(lattice_[axis] >= 1 && lattice_[axis] < (1 << 21));
    FRESHET_EXPECT(axis >= dimension_ || !periodic(axis) || cells_[axis] % width[axis] == 0);
  }
}

double Domain::cell_volume() const {
  return dx_ * dx_ * dx_;
}

GlobalIndex Domain::n_lattice_blocks() const {
  return static_cast<GlobalIndex>(lattice_[0]) * lattice_[1] * lattice_[2];
}

bool Domain::wrap_block(Vec3i& block) const {
  for (int axis = 0; axis < 3; ++axis) {
    if (block[axis] >= 0 && block[axis] < lattice_[axis]) continue;
    if (axis >= dimension_ || !periodic(axis)) return false;
    block[axis] = (block[axis] % lattice_[axis] + lattice_[axis]) % lattice_[axis];
  }
  return true;
}

Vec3i Domain::wrap_cell(Vec3i cell) const {
  for (int axis = 0; axis < dimension_; ++axis)
    if (periodic(axis)) cell[axis] = (cell[axis] % cells_[axis] + cells_[axis]) % cells_[axis];
  return cell;
}

bool Domain::contains_cell(const Vec3i& cell) const {
  return (cell.array() >= 0).all() && (cell.array() < cells_.array()).all();
}

bool Domain::outside_is_solid(const Vec3i& cell) const {
  for (int axis = 0; axis < dimension_; ++axis) {
    if (cell[axis] < 0 && is_wall(axis, 0)) return true;
    if (cell[axis] >= cells_[axis] && is_wall(axis, 1)) return true;
  }
  return false;
}

}  // namespace freshet
