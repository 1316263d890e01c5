// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/triangle_mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Append a polygon's triangles: ears cut off one by one (Meisters 1975) as seen along its mean normal, so that corners
/// that point inwards are right; a fan for polygons that cross themselves, and for those of more than 256 corners.
///
/// Either way the triangles have the polygon's edges for their boundary.
/// \pre  at least three corners, all of them numbers of points
void cut_polygon(std::span<const std::int32_t> corners, const std::vector<Vec3>& points,
                 std::vector<Triangle>& triangles);

}  // namespace freshet
