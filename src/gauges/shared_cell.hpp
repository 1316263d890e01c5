// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"

#include <vector>

namespace freshet {

/// A cell of liquid and what of its faces is closed.
struct ClosedCell {
  Vec3 center;                 ///< [m]
  double closed[3][2] = {};    ///< part of the face, by axis and side (0 low, 1 high)
  bool is_on_wall[3][2] = {};  ///< the face lies on a wall of the domain, which closes all of it
  bool any_closed() const;
  bool any_on_wall() const;
};

/// What one body, or one wall of the domain, has of the surface in a cell.
struct SurfaceInCell {
  int owner = 0;             ///< index of the body, or wall_number()
  Vec3 area = Vec3::Zero();  ///< vector of the surface, out of the liquid [cells^2]
  Vec3 size = Vec3::Zero();  ///< the same without signs
  Vec3 first[3] = {};        ///< integral of the place x over each component of `area`, x from the centre [cells]
  Vec3 place[3] = {};        ///< mean place of each component, from the centre [cells]
};

/// A negative number for a wall of the domain.
constexpr int wall_number(int axis, int side) {
  return -1 - (2 * axis + side);
}

/// Bodies whose surfaces may pass through a block, or close faces in it.
std::vector<int> bodies_near_block(const SolidFields& solids, const BlockLayout& layout, LocalIndex block);

/// The surfaces in the cells that several bodies, or bodies and walls, share.
///
/// Rays along the axes pass from the cell's low to its high faces. Where a ray leaves or enters the union of the
/// bodies, its part of the cross-section belongs to the body whose surface it meets there, so that what lies inside
/// another body does not count. For each axis the parts are then scaled so that their sum is what the faces say,
///   sum_m A_m = (closed part of the high face) - (closed part of the low face),
/// the area of the surface to which the projection applies the pressure. Bodies of whole cells and walls own whole
/// faces, as far as bodies of open fractions leave them.
class SharedCells {
 public:
  /// \param[in] near  bodies_near_block()
  SharedCells(const SolidFields& solids, const Domain& domain, std::vector<int> near);

  /// Whether more than one body or wall may have a part of the surface in the cell.
  bool is_shared(const ClosedCell& cell);
  /// \pre is_shared(cell), called last
  const std::vector<SurfaceInCell>& surfaces(const ClosedCell& cell);

 private:
  static constexpr int n_rays = 4;  ///< along each axis of a face, and steps of a ray
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
  std::vector<int> voxels_;                    ///< others
  std::vector<double> start_, before_, here_;  ///< distances on a ray, by body of cut_ [m]
  std::vector<double> changes_;                ///< of each distance from the low to the high faces, over all rays [m]
  std::vector<SurfaceInCell> surfaces_;
};

/// The body that a straight way from one point to another enters first, of those that hold its end; without one, the
/// body that is nearest to the end. \param[out] distance  of that body from the end, signed [m]
int body_on_the_way(const SolidFields& solids, const Vec3& from, const Vec3& to, double& distance);

}  // namespace freshet
