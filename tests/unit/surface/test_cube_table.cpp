// SPDX-License-Identifier: Apache-2.0
#include "support/ball_particles.hpp"
#include "surface/cube_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace freshet {
namespace {

using namespace surface;

using Edge = std::array<int, 2>;

/// The two faces of the cube that an edge lies on, as bits 2 axis + side.
int faces_of(int edge) {
  const int corner = edge_corner[static_cast<std::size_t>(edge)];
  int faces = 0;
  for (int d = 0; d < 3; ++d)
    if (d != edge / 4) faces |= 1 << (2 * d + (corner >> d & 1));
  return faces;
}

TEST(CubeTable, every_cut_edge_lies_on_one_disc_and_no_diagonal_lies_on_a_face) {
  for (int negative = 0; negative < 256; ++negative)
    for (int joined = 0; joined < 64; ++joined) {
      const CubeTriangles& cube = cube_triangles(negative, joined);
      std::map<Edge, int> sides;
      std::set<int> used;
      for (const auto& t : cube.triangles)
        for (std::size_t m = 0; m < 3; ++m) {
          ++sides[{t[m], t[(m + 1) % 3]}];
          if (t[m] < n_cube_edges) used.insert(t[m]);
        }
      for (int edge = 0; edge < n_cube_edges; ++edge) {
        const int low = edge_corner[static_cast<std::size_t>(edge)], high = low | 1 << edge / 4;
        ASSERT_EQ(used.count(edge) == 1, (negative >> low & 1) != (negative >> high & 1));
      }
      std::map<int, int> rim_begins;
      for (const auto& [side, count] : sides) {
        ASSERT_EQ(count, 1);
        const bool is_inner = sides.count({side[1], side[0]}) == 1;
        const bool on_face =
            side[0] < n_cube_edges && side[1] < n_cube_edges && (faces_of(side[0]) & faces_of(side[1])) != 0;
        ASSERT_EQ(is_inner, !on_face) << negative << " " << joined;
        if (!is_inner) ++rim_begins[side[0]];
      }
      for (const int edge : used) ASSERT_EQ(rim_begins[edge], 1);
    }
}

/// Triangles of a lattice of random values with a positive rim. Vertices: 3 node + axis, then the cubes' own.
std::vector<std::array<int, 3>> random_surface(int n, std::uint64_t seed, bool with_ties) {
  std::vector<float> values(static_cast<std::size_t>(n * n * n));
  const auto node = [n](int i, int j, int k) { return i + n * (j + n * k); };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const bool rim = std::min({i, j, k}) == 0 || std::max({i, j, k}) == n - 1;
        const double number = test::hashed(seed, static_cast<std::uint64_t>(node(i, j, k)));
        const double value = with_ties ? std::floor(4.0 * number) - 1.5 : number - 0.5;
        values[static_cast<std::size_t>(node(i, j, k))] = static_cast<float>(rim ? 0.7 : value);
      }
  std::vector<std::array<int, 3>> triangles;
  int next = 3 * n * n * n;
  for (int k = 0; k + 1 < n; ++k)
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        std::array<float, 8> corners{};
        for (int c = 0; c < 8; ++c)
          corners[static_cast<std::size_t>(c)] =
              values[static_cast<std::size_t>(node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)))];
        const CubeTriangles& cube = cube_triangles(corners);
        for (const auto& t : cube.triangles) {
          std::array<int, 3> ids{};
          for (std::size_t m = 0; m < 3; ++m) {
            const int low = t[m] < n_cube_edges ? edge_corner[static_cast<std::size_t>(t[m])] : 0;
            ids[m] = t[m] < n_cube_edges ? 3 * node(i + (low & 1), j + (low >> 1 & 1), k + (low >> 2)) + t[m] / 4
                                         : next + t[m] - n_cube_edges;
          }
          triangles.push_back(ids);
        }
        next += static_cast<int>(cube.centers.size());
      }
  return triangles;
}

TEST(CubeTable, random_values_give_closed_manifolds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<std::array<int, 3>> triangles = random_surface(12, seed, seed % 2 == 1);
    ASSERT_GT(triangles.size(), 1000u);
    std::set<Edge> sides;
    std::map<int, std::map<int, int>> around;  // vertex -> the side opposite to it in each of its triangles
    for (const auto& t : triangles)
      for (std::size_t m = 0; m < 3; ++m) {
        ASSERT_TRUE(sides.insert({t[m], t[(m + 1) % 3]}).second) << "two triangles run along a side in one direction";
        ASSERT_TRUE(around[t[m]].insert({t[(m + 1) % 3], t[(m + 2) % 3]}).second);
      }
    for (const Edge& side : sides) ASSERT_EQ(sides.count({side[1], side[0]}), 1u) << "a side with one triangle";
    for (const auto& [vertex, ring] : around) {  // one cycle: the surface around a vertex is one disc
      std::size_t length = 0;
      const int first = ring.begin()->first;
      int at = first;
      do {
        at = ring.at(at);
        ++length;
      } while (at != first && length <= ring.size());
      ASSERT_EQ(length, ring.size()) << "vertex " << vertex;
    }
  }
}

TEST(CubeTable, a_lone_negative_corner_faces_outwards) {
  const CubeTriangles& cube = cube_triangles(1, 0);  // corner (0, 0, 0)
  ASSERT_EQ(cube.triangles.size(), 1u);
  std::array<std::array<double, 3>, 3> x{};
  for (std::size_t m = 0; m < 3; ++m) x[m][static_cast<std::size_t>(cube.triangles[0][m] / 4)] = 0.5;
  const auto component = [&](std::size_t a, std::size_t b) {
    return (x[1][a] - x[0][a]) * (x[2][b] - x[0][b]) - (x[1][b] - x[0][b]) * (x[2][a] - x[0][a]);
  };
  EXPECT_GT(component(1, 2), 0.0);
  EXPECT_GT(component(2, 0), 0.0);
  EXPECT_GT(component(0, 1), 0.0);
}

}  // namespace
}  // namespace freshet
