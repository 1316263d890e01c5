// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// A closed surface of triangles that is spread over the ranks: each rank holds some of the vertices and some of the
/// triangles, and a triangle names its vertices by their numbers over all ranks. Rank r holds the vertices
/// first_vertex ... first_vertex + positions.size() - 1; the ranks follow each other without gaps.
struct SurfaceMesh {
  /// Numbers at the vertices, which have the name of a particle attribute.
  struct Attribute {
    std::string name;           ///< "velocity", "tag", "color" or a name of the user's
    int components = 1;         ///< 1, 2 or 3
    bool integer = false;       ///< whether files that tell integers from reals write integers
    std::vector<float> values;  ///< components for each vertex of this rank, one vertex after the other
  };

  std::vector<std::array<float, 3>> positions;         ///< places of this rank's vertices [m]
  std::vector<std::array<float, 3>> normals;           ///< unit normals out of the liquid, one a vertex; or empty
  std::vector<Attribute> attributes;                   ///< attributes of vertices, in the same order on all ranks
  std::vector<std::array<std::int64_t, 3>> triangles;  ///< counter-clockwise as seen from outside
  std::int64_t first_vertex = 0;                       ///< number over all ranks of positions[0]
  std::int64_t n_vertices = 0;                         ///< number of vertices over all ranks
  std::int64_t n_triangles = 0;                        ///< number of triangles over all ranks
};

}  // namespace freshet
