// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/rigid_body.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/layout.hpp"
#include "freshet/solids/free_way.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/outward_neighbour.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "freshet/solids/solids.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace freshet {

/// The numbers of a cell's row that belong to columns of the regions.
inline std::array<double, 6> columns_of(const Vec6& row, int dimension) {
  if (dimension == 3) return {row[0], row[1], row[2], row[3], row[4], row[5]};
  return {row[0], row[1], row[5]};
}

/// True if a face belongs to a wall of the domain or lies beyond it: such a face moves with no body.
inline bool lies_on_wall(const Domain& domain, const Vec3i& cell, int axis) {
  const auto is_behind = [&](const Vec3i& n) {
    const Vec3i wrapped = domain.wrap_cell(n);
    return !domain.contains_cell(wrapped) && domain.outside_is_solid(wrapped);
  };
  return is_behind(cell) || is_behind(cell - Vec3i::Unit(axis));
}

/// A part of a cell's face that a solid closes.
struct ClosedPart {
  int solid;
  double area;  ///< part of the face
  Vec3 middle;  ///< from the centre of the cell [cells]
  /// How far beyond the face a wall thinner than a cell stands that closes all of it between open cells: see
  /// wall_beyond_face() [cells]
  double to_thin_wall = 0.0;
};

/// Finds the closed parts of the faces of a block's cells.
template <class Shape>
class ClosedParts {
 public:
  ClosedParts(const SolidFields& solids, const BlockLayout& layout, LocalIndex b)
      : solids_(solids),
        near_(solids, b),
        layout_(layout),
        domain_(layout.domain()),
        flows_(solids.body_flows(b)),
        b_(b) {}

  /// Mark the cells that have a face which is not open or through which a body carries a flow. Others have no closed
  /// part. \param[out] marks  of the block's cells: 1 or 0
  void mark_cells(std::uint8_t* marks) const {
    std::fill_n(marks, Shape::cells, std::uint8_t{0});
    for (const BodyFlow& flow : flows_) marks[flow.cell] = 1;
    for (int d = 0; d < Shape::dim; ++d) {
      const int stride = Shape::stride(d), last = Shape::n(d) - 1;
      const LocalIndex next = layout_.neighbours(b_)[direction_index(d == 0, d == 1, d == 2)];
      const float* const open = solids_.open_fraction()[d].block(b_);
      const float* const beyond = solids_.open_fraction()[d].block(next);
      for (int c = 0; c < Shape::cells; ++c) {
        const float above = c / stride % Shape::n(d) == last ? beyond[c - last * stride] : open[c + stride];
        marks[c] |= static_cast<std::uint8_t>(open[c] < 1.0F || above < 1.0F ? 1 : 0);
      }
    }
  }

  /// Go on to a cell behind the last one.
  void go_to(int cell) {
    while (flow_ < flows_.size() && flows_[flow_].cell < cell) ++flow_;
    cell_ = cell;
    at_ =
        layout_.first_cell(b_) + Vec3i(cell % Shape::nx, cell / Shape::nx % Shape::ny, cell / (Shape::nx * Shape::ny));
  }
  const Vec3i& cell() const { return at_; }  ///< coordinates of the cell
  /// Centre of the cell. [m]
  Vec3 center() const { return domain_.origin() + domain_.dx() * (at_.cast<double>() + Vec3::Constant(0.5)); }

  /// The closed part of a face of the cell as the right-hand side of the pressure takes it; area 0 if there is none.
  ClosedPart operator()(int axis, int outward) const {
    const Vec3 to_face = 0.5 * outward * Vec3::Unit(axis);
    for (std::size_t n = flow_; n < flows_.size() && flows_[n].cell == cell_; ++n) {
      const BodyFlow& flow = flows_[n];
      if (flow.axis != axis || flow.outward != outward) continue;
      const Vec3 middle = to_face + Vec3(flow.middle[0], flow.middle[1], flow.middle[2]);
      return {flow.body, static_cast<double>(flow.covered), middle};
    }
    const int stride = Shape::stride(axis);
    const bool in_next = outward > 0 && cell_ / stride % Shape::n(axis) + 1 == Shape::n(axis);
    const LocalIndex slot = in_next ? layout_.neighbours(b_)[direction_index(axis == 0, axis == 1, axis == 2)] : b_;
    const int face = outward < 0 ? cell_ : in_next ? cell_ - (Shape::n(axis) - 1) * stride : cell_ + stride;
    const double closed = 1.0 - static_cast<double>(solids_.open_fraction()[axis].block(slot)[face]);
    const Vec3i above = outward < 0 ? at_ : Vec3i(at_ + Vec3i::Unit(axis));
    if (closed <= 0.0 || lies_on_wall(domain_, above, axis)) return {-1, 0.0, to_face};
    int solid = slot < layout_.n_blocks() ? solids_.body_at_face(slot, axis, face) : -1;
    if (solid < 0)
      solid = nearest_to(to_face);
    else if (outward > 0)  // beyond a periodic side the face is known at the other end of the domain
      solid = copy_of_body(solids_.bodies(), solid, periods_between(domain_, above));
    return {solid, closed, to_face, closed == 1.0 ? to_thin_wall(solid, outward * Vec3::Unit(axis)) : 0.0};
  }

 private:
  double to_thin_wall(int solid, const Vec3& out) const {
    const CellPlace beyond = cell_near<Shape>(layout_, b_, Shape::place(cell_) + out.cast<int>());
    if (solids_.is_solid().block(beyond.slot)[beyond.cell] != 0) return 0.0;
    if (!has_fractions(solids_.bodies()[static_cast<std::size_t>(solid)])) return 0.0;
    const auto distance = [&shape = *solids_.shapes()[static_cast<std::size_t>(solid)]](const Vec3& x) {
      return shape.signed_distance(x);
    };
    return wall_beyond_face(distance, center(), out, domain_.dx());
  }
  int nearest_to(const Vec3& from_center) const {
    const Vec3 x = center() + domain_.dx() * from_center;
    return static_cast<int>(near_.nearest(x, any_body).body);
  }

  const SolidFields& solids_;
  const NearBodies near_;
  const BlockLayout& layout_;
  const Domain& domain_;
  const std::vector<BodyFlow>& flows_;
  const LocalIndex b_;
  std::size_t flow_ = 0;  ///< first flow of the cell
  int cell_ = 0;
  Vec3i at_ = Vec3i::Zero();  ///< coordinates of the cell
};

}  // namespace freshet
