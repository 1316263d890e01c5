// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// Indices of three points, counter-clockwise as seen from outside.
using Triangle = std::array<std::int32_t, 3>;

struct TriangleMesh {
  std::vector<Vec3> points;  ///< [m]
  std::vector<Triangle> triangles;
};

constexpr double farthest_coordinate = 1e30;          ///< bound of coordinates [m]: the fifth power fits into 64 bits
constexpr std::size_t most_mesh_points = 40'000'000;  ///< points and triangles fit into one MPI message
constexpr std::size_t most_mesh_triangles = 50'000'000;

/// Read a mesh from the bytes of a file. The ending of its name gives the format: .obj, .stl (ASCII or binary) or .ply
/// (ASCII or binary of either byte order). Polygons are cut into triangles; only points and faces are read.
///
/// \param[in] bytes  any bytes
/// \param[in] name   name of the file, also for messages
/// Errors: InputError "<name>:<line>: <problem> (<why>). <what to do>", or "<name>:byte <n>: ..." in binary files
TriangleMesh parse_mesh(std::string_view bytes, const std::string& name);

/// Repairs that close_mesh() has made.
struct MeshRepairs {
  std::int64_t without_area = 0;  ///< triangles without area that were left out
  std::int64_t open_edges = 0;    ///< edges that a triangle has on one side only (counted with multiplicity)
  std::int64_t holes = 0;         ///< loops of open edges, each closed by a cone
  std::int64_t stitched = 0;      ///< points joined to others across cracks
  std::int64_t turned = 0;        ///< triangles that showed their other side
  double widest_hole = 0.0;       ///< largest width of a hole: four times the area over the perimeter, as of a disc [m]
  double cap_area = 0.0;          ///< area of all cones [m^2]
  double own_area = 0.0;          ///< area of the other triangles, if there are cones [m^2]
};

/// Make a mesh enclose a region: weld points that coincide, turn triangles to the side of their neighbours, stitch
/// cracks, close holes, leave out triangles without area.
///
/// Cracks are gaps of at most 1e-3 of the mesh's extent between open edges that are four times as long, and all
/// gaps below 1e-6 of the extent; the points on both sides of a crack are joined. A mesh whose edges all meet keeps
/// its points.
///
/// The boundary of a set of triangles is a set of closed chains of edges. A cone of triangles from the middle of each
/// chain closes it, so that afterwards every point off the mesh has a whole winding number. For few holes this equals
/// the rounded generalized winding number (Jacobson, Kavan & Sorkine-Hornung 2013, section 3); here, however, the sign
/// changes only at triangles, so that a distance to triangles is continuous.
/// \param[in] name  name of the mesh, for messages
/// Errors: InputError if nothing is left, or nothing is enclosed
MeshRepairs close_mesh(TriangleMesh& mesh, const std::string& name);

}  // namespace freshet
