// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/shape.hpp"

namespace freshet {

/// The part of a cell that lies in a body. Lengths in cells; in 2-D the cell is a square of one cell's thickness.
struct BodyInCell {
  double volume = 0.0;         ///< 0 to 1
  Vec3 moment = Vec3::Zero();  ///< integral of the place over the part, from the centre of the cell

  /// The middle of the part, from the centre of the cell; that centre if the body leaves the cell free.
  Vec3 middle() const { return volume > 0.0 ? Vec3(moment / volume) : Vec3(Vec3::Zero()); }
};

/// Find the part of a cell that lies in a body, however thin or small the body is.
///
/// Lines through the cell along the axis to which the surface is steepest add up what lies inside. They share the part
/// of the cell that the body's bounds reach, so that they miss no small body, and a box along the axes is exact. Along
/// a line the signed distance tells where no surface can be.
/// \param[in] center  of the cell [m] \param[in] dx  size of the cell [m] \param[in] dimension  2 or 3
/// Source: Hart 1996, the bound of sphere tracing
BodyInCell body_in_cell(const Shape& shape, const Vec3& center, double dx, int dimension);

}  // namespace freshet
