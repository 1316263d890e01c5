// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace freshet::meshing {

/// Corner c of a cube stands at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + m runs along axis a from corner edge_corner[e].
constexpr int n_cube_edges = 12;
extern const std::array<int, n_cube_edges> edge_corner;

/// The triangles of a cube, by its edges. Numbers from 12 on are the cube's own vertices: the means of loops.
struct CubeTriangles {
  std::vector<std::array<std::int8_t, 3>> triangles;  ///< counter-clockwise as seen from the positive side
  std::vector<std::vector<std::int8_t>> centers;      ///< edges of the loop around each vertex of the cube's own
};

/// The triangles for a cube's eight values.
///
/// The surface crosses an edge if exactly one of its ends is negative. On a face with one negative end of each diagonal
/// the two segments follow from the saddle of the bilinear interpolation (asymptotic decider, Nielson & Hamann 1991):
/// the face's negative corners are joined if the product of their values is larger than that of the other two.
const CubeTriangles& cube_triangles(const std::array<float, 8>& values);

/// The entry of the table for signs and decisions: bit c of `negative` tells the sign of corner c, bit f of `joined`
/// whether the negative corners of face f = 2 axis + side are joined. For tests.
const CubeTriangles& cube_triangles(int negative, int joined);

}  // namespace freshet::meshing
