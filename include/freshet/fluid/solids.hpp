// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/field.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// A rigid obstacle.
struct SolidBody {
  std::shared_ptr<const Shape> shape;
  Slip slip = Slip::free_slip;
};

constexpr std::uint8_t free_slip_solid = 1;
constexpr std::uint8_t no_slip_solid = 2;

/// What solids are to the grid, on owned and ghost blocks: cells whose centre lies in a solid are solid (voxel solids).
///
/// Domain walls are solids too: faces on them have open fraction 0. Faces towards cells beyond an open face are open.
class SolidFields {
 public:
  /// Fill all fields for a layout. Parallel: local (shapes are analytic, so ghosts are computed, not exchanged); OpenMP
  void reset(const BlockLayout& layout, const std::vector<SolidBody>& bodies);

  const FaceField<float>& open_fraction() const { return open_fraction_; }  ///< 0 closed .. 1 open; background 0
  const FaceField<float>& velocity() const { return velocity_; }            ///< of the solid, normal to the face [m/s]
  /// 0 open, free_slip_solid or no_slip_solid; cells beyond walls count as free_slip_solid (see apply_domain_faces)
  const CellField<std::uint8_t>& is_solid() const { return is_solid_; }
  /// Lower bound of the distance from any cell of an owned block to a body [cells]: motion skips blocks far from
  /// solids.
  float nearest(LocalIndex owned_block) const { return nearest_[static_cast<std::size_t>(owned_block)]; }
  bool has_closed_face(LocalIndex owned_block) const {
    return has_closed_face_[static_cast<std::size_t>(owned_block)] != 0;
  }
  const std::vector<SolidBody>& bodies() const { return bodies_; }
  bool any_no_slip() const { return any_no_slip_; }

 private:
  std::vector<SolidBody> bodies_;
  bool any_no_slip_ = false;
  CellField<std::uint8_t> is_solid_;
  FaceField<float> open_fraction_;
  FaceField<float> velocity_;
  std::vector<float> nearest_;
  std::vector<std::uint8_t> has_closed_face_;
};

}  // namespace freshet
