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
  WallCondition wall = WallCondition::sticky;
};

/// What a face is to the solids: bits of SolidFields::wall().
enum WallBits : std::uint8_t {
  solid_below = 1,   ///< the cell on its low side is solid
  solid_above = 2,   ///< the cell on its high side is solid; with solid_below: the face lies deep in a solid
  may_separate = 4,  ///< liquid may leave this wall
  deep_no_slip = 8,  ///< both cells belong to no-slip solids
  one_solid = solid_below | solid_above
};
inline bool is_wall_face(std::uint8_t bits) {
  return (bits & one_solid) == solid_below || (bits & one_solid) == solid_above;
}

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
  FaceField<float>& velocity() { return velocity_; }                        ///< where sources blow through walls
  /// 0 open, free_slip_solid or no_slip_solid; cells beyond walls count as free_slip_solid (see apply_domain_faces)
  const CellField<std::uint8_t>& is_solid() const { return is_solid_; }
  /// WallBits of each face, owned and ghost; the background's lie between solids.
  const FaceField<std::uint8_t>& wall() const { return wall_; }
  /// Lower bound of the distance from any cell of an owned block to a body [cells]: motion skips blocks far from
  /// solids.
  float nearest(LocalIndex owned_block) const { return nearest_[static_cast<std::size_t>(owned_block)]; }
  bool has_closed_face(LocalIndex block) const {  ///< among those it stores; owned and ghost blocks
    return has_closed_face_[static_cast<std::size_t>(block)] != 0;
  }
  const std::vector<SolidBody>& bodies() const { return bodies_; }
  bool any_no_slip() const { return any_no_slip_; }

 private:
  std::vector<SolidBody> bodies_;
  bool any_no_slip_ = false;
  CellField<std::uint8_t> is_solid_;
  FaceField<float> open_fraction_;
  FaceField<float> velocity_;
  FaceField<std::uint8_t> wall_;
  std::vector<float> nearest_;
  std::vector<std::uint8_t> has_closed_face_;
};

}  // namespace freshet
