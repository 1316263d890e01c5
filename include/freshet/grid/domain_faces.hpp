// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/layout.hpp"

namespace freshet {

/// The velocity at the centre of a face: the other components are means of their four nearest faces.
template <class Shape, int pad>
Vec3 velocity_at_face(const FaceTile<double, Shape, pad>& u, int d, const Vec3i& face) {
  const auto stride = [&u](int axis) { return axis < Shape::dim ? u.extents.stride(axis) : 0; };
  const int here = u.extents.at(face);
  Vec3 result = Vec3::Zero();
  for (int e = 0; e < Shape::dim; ++e) {
    const double* component = u[e] + here;
    result[e] =
        e == d
            ? component[0]
            : 0.25 * (component[0] + component[stride(e)] + component[-stride(d)] + component[stride(e) - stride(d)]);
  }
  return result;
}

/// Set a tile's velocity component beyond the domain's faces.
///
/// Normal component (component == axis): the face on a wall becomes 0, but keeps its value where liquid may leave the
/// wall; a face beyond a wall gets the mirrored value with opposite sign, one beyond an open face the value at the open
/// face. Tangential components: free slip mirrors the value, an open face repeats it, and no slip mirrors it about the
/// velocity at the wall. That is extrapolated linearly from the two nearest samples and lies between 0 and the nearest:
/// a boundary layer far thinner than a cell must not slow down all particles of a cell. Between two such walls one cell
/// apart it is 0. Beyond an edge of two such walls stands the mean of what the two orders of mirroring give. No value
/// is larger than the one mirrored and the nearest one, so that the largest velocity of the faces bounds the paths of
/// particles also there. Periodic axes need no change.
/// \param[in] first_cell  domain cell of the block's cell (0,0,0)
/// \tparam Number  double or float
/// Source: Bridson 2008, section 4 (solid boundaries)
template <class Shape, class Number>
void apply_domain_faces(const Domain& domain, const Vec3i& first_cell, int component, const TileExtents<Shape>& extents,
                        Number* values);

/// Copy the velocity of the faces in and around a block, with values beyond the domain's sides.
/// \pre ghosts valid to the extents' pad \param[out] values  components one after the other, as in a FaceTile
/// \tparam Number  double or float
template <class Shape, class Number>
void fill_with_sides(const FaceField<double>& velocity, LocalIndex owned_block, const TileExtents<Shape>& extents,
                     Number* values) {
  const BlockLayout& layout = velocity.layout();
  for (int d = 0; d < Shape::dim; ++d) {
    Number* const component = values + d * extents.size();
    fill_tile(velocity[d], owned_block, extents, component);
    if (layout.touches_boundary(owned_block))
      apply_domain_faces(layout.domain(), layout.first_cell(owned_block), d, extents, component);
  }
}
template <class Shape, int pad>
void fill_with_sides(const FaceField<double>& velocity, LocalIndex owned_block, FaceTile<double, Shape, pad>& tile) {
  fill_with_sides(velocity, owned_block, tile.extents, tile.data());
}

}  // namespace freshet
