// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace freshet::meshing {

/// Corner c of a cube stands at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + m runs along axis a from corner edge_corner[e].
constexpr int n_cube_edges = 12;
extern const std::array<int, n_cube_edges> edge_corner;

/// The triangles of a cube by the numbers of its edges. Numbers from 12 on are vertices in the cube, means of loops.
struct CubeTriangles {
  std::vector<std::array<std::int8_t, 3>> triangles;  ///< counter-clockwise as seen from the positive side
  std::vector<std::vector<std::int8_t>> centers;      ///< for each vertex in the cube, the edges of the loop around it
};

/// Find the triangles of a cube from the values at its eight corners.
///
/// The surface crosses an edge if exactly one of its ends is negative. On a face with one negative end of each diagonal
/// the two segments follow from the saddle of the bilinear interpolation (asymptotic decider, Nielson & Hamann 1991):
/// the face's negative corners are joined if the product of their values is larger than that of the other two.
const CubeTriangles& cube_triangles(const std::array<float, 8>& values);

/// Find the table's entry for signs and decisions: bit c of `negative` is set if corner c is negative, bit f of
/// `joined` if the negative corners of face f = 2 axis + side are joined. For tests.
const CubeTriangles& cube_triangles(int negative, int joined);

}  // namespace freshet::meshing
