// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/triangle_mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Append the triangles of a polygon. Ears are cut off one by one (Meisters 1975), as seen along the mean normal, which
/// is right for corners that point inwards. Polygons that cross themselves or have more than 256 corners become fans.
///
/// In both cases the boundary of the triangles is that of the polygon.
/// \pre  at least three corners, all of them indices of points
void cut_polygon(std::span<const std::int32_t> corners, const std::vector<Vec3>& points,
                 std::vector<Triangle>& triangles);

}  // namespace freshet
