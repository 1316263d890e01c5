// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/triangle_mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// A directed edge, with how many more triangles use it than its reverse.
struct OpenEdge {
  std::int32_t from;
  std::int32_t to;
  std::int32_t times;
};

inline bool has_repeated_corner(const Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// Edges whose two directions do not balance, in order of their lower point.
/// \pre  no triangle has a corner twice
std::vector<OpenEdge> find_open_edges(const TriangleMesh& mesh);

/// Cut open edges into closed loops that visit no point twice; a point of a loop stands for the edge to the next point.
///
/// Where several edges meet at a point, the loop takes the sharpest turn; each gap along a seam then becomes a loop of
/// its own.
/// \param[in] open  find_open_edges() of the mesh
std::vector<std::vector<std::int32_t>> boundary_loops(const TriangleMesh& mesh, const std::vector<OpenEdge>& open);

/// Join points of open edges that nearly coincide, such as those on both sides of a crack.
///
/// Widths of 1e-6, 1e-5, 1e-4 and 1e-3 of the mesh's extent are tried one after the other, until no edge is open.
/// Beyond the first, which is about the rounding of coordinates, points are joined only where the open edges are four
/// times as long as the crack is wide: rims of holes stay, however fine. Joined points take the place of the one with
/// the lowest number; triangles that then have a corner twice are left out. A mesh without open edges stays as it is.
/// \param[in,out] open  find_open_edges() of the mesh
/// \pre  points of equal coordinates are one.  \return number of points that were joined to another
std::int64_t stitch_cracks(TriangleMesh& mesh, std::vector<OpenEdge>& open);

/// Turn triangles so that neighbours run along their common edge in opposite directions, as they do around a body.
/// Triangles are no neighbours across an edge that more than two share. Of the two sides of each patch the one with the
/// larger area keeps its triangles; of equal areas the one that encloses a positive volume. Patches with one side only,
/// such as Moebius strips, stay as they are.  \return number of triangles that were turned
std::int64_t turn_to_neighbours(TriangleMesh& mesh);

/// Append the triangles of a polygon. Ears are cut off one by one (Meisters 1975), as seen along the mean normal, which
/// is right for corners that point inwards. Polygons that cross themselves or have more than 256 corners become fans.
///
/// In both cases the boundary of the triangles is that of the polygon.
/// \pre  at least three corners, all of them indices of points
void cut_polygon(std::span<const std::int32_t> corners, const std::vector<Vec3>& points,
                 std::vector<Triangle>& triangles);

}  // namespace freshet
