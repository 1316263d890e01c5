// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// A cell of liquid and the closed parts of its faces.
struct ClosedCell {
  Vec3 center;                 ///< position of the centre [m]
  double closed[3][2] = {};    ///< closed part of each face, by axis and side (0 low, 1 high)
  bool is_on_wall[3][2] = {};  ///< whether a face lies on a wall of the domain, which closes all of it
  bool is_stair[3][2] = {};    ///< whether a wall thinner than a cell closes all of a face towards a cell that is open
  bool any_closed() const;
  bool any_on_wall() const;
};

/// The part of the surface in a cell that one body, or one wall of the domain, owns.
struct SurfaceInCell {
  int owner = 0;             ///< index of the body, or wall_number()
  Vec3 area = Vec3::Zero();  ///< area vector, out of the liquid [cells^2]
  Vec3 size = Vec3::Zero();  ///< sum of the components' magnitudes over its pieces [cells^2]
  Vec3 first[3] = {};        ///< integral of the position, from the centre, over each component of `area` [cells^3]
  Vec3 place[3] = {};        ///< mean position of each component, relative to the centre [cells]
};

/// Number a wall of the domain; the number is negative.
constexpr int wall_number(int axis, int side) {
  return -1 - (2 * axis + side);
}

/// Find the bodies whose surfaces may pass through a block, or close faces in it.
std::vector<int> bodies_near_block(const SolidFields& solids, const BlockLayout& layout, LocalIndex block);

/// Divides the surface in a cell among several bodies, or bodies and walls.
///
/// Rays along the axes pass from the cell's low to its high faces. Where a ray leaves or enters the union of the
/// bodies, its part of the cross-section belongs to the body whose surface it meets there; surfaces inside another body
/// do not count. For each axis the parts are then scaled so that their sum agrees with the faces,
///   sum_m A_m = (closed part of the high face) - (closed part of the low face),
/// the area of the surface on which the projection applies the pressure. Bodies of whole cells and walls own the whole
/// faces that bodies of open fractions leave them.
class SharedCells {
 public:
  /// \param[in] near  bodies that bodies_near_block() finds
  SharedCells(const SolidFields& solids, const Domain& domain, std::vector<int> near);

  /// Whether more than one body or wall may own a part of the surface in the cell.
  bool is_shared(const ClosedCell& cell);
  /// Find the owners' parts of the surface. \pre is_shared(cell) was the last call of is_shared()
  const std::vector<SurfaceInCell>& surfaces(const ClosedCell& cell);

 private:
  static constexpr int n_rays = 4;  ///< number of rays along each axis of a face, and of steps of a ray
  const Shape& shape(int body) const { return *solids_.shapes()[static_cast<std::size_t>(body)]; }
  bool corners_differ(const Vec3& center);
  void cast_rays(const ClosedCell& cell, int axis);
  void measure(const Vec3& x, std::vector<double>& distances) const;
  int body_met(const std::vector<double>& outside, const std::vector<double>& inside) const;
  int owner_of_face(const ClosedCell& cell, int axis, int side) const;
  void add(int owner, int axis, double part, const Vec3& x);
  void scale(const ClosedCell& cell, int axis);
  void share_blunt_edge(const ClosedCell& cell, int axis, double missing);

  const SolidFields& solids_;
  const Domain domain_;
  const std::vector<int> in_block_;
  std::vector<int> cut_;                       ///< bodies of open fractions near the cell
  std::vector<int> voxels_;                    ///< bodies of whole cells near the cell
  std::vector<double> start_, before_, here_;  ///< distances of cut_'s bodies on a ray [m]
  std::vector<double> changes_;                ///< change of each distance from low to high faces, summed over rays [m]
  std::vector<SurfaceInCell> surfaces_;
};

/// Find the body that a straight way meets first, of those that contain its end; if none does, the body nearest to the
/// end. \param[out] distance  signed distance of the end from that body [m]
int body_on_the_way(const SolidFields& solids, const Vec3& from, const Vec3& to, double& distance);

}  // namespace freshet
