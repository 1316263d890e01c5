// SPDX-License-Identifier: Apache-2.0
#include "meshing/cube_table.hpp"
#include "support/ball_particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace freshet {
namespace {

using namespace meshing;

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

/// Which of a cube's corners, of the same sign, are joined, as a set for each corner.
class Joined {
 public:
  Joined() {
    for (std::size_t c = 0; c < 8; ++c) set_[c] = static_cast<int>(c);
  }
  void join(int a, int b) {
    const int from = set_[static_cast<std::size_t>(a)], to = set_[static_cast<std::size_t>(b)];
    for (int& set : set_)
      if (set == from) set = to;
  }
  bool joins(int a, int b) const { return set_[static_cast<std::size_t>(a)] == set_[static_cast<std::size_t>(b)]; }
  std::size_t count() const { return std::set<int>(set_.begin(), set_.end()).size(); }

 private:
  std::array<int, 8> set_{};
};

/// Corners that are joined by edges of the cube and on its faces, where the sign of the bilinear function at its saddle
/// decides: it is found here by a division, in the table without one.
Joined joined_on_faces(const std::array<float, 8>& v) {
  Joined joined;
  const auto value = [&](int c) { return static_cast<double>(v[static_cast<std::size_t>(c)]); };
  for (int c = 0; c < 8; ++c)
    for (int d = 0; d < 3; ++d)
      if ((value(c) < 0.0) == (value(c ^ 1 << d) < 0.0)) joined.join(c, c ^ 1 << d);
  for (int d = 0; d < 3; ++d)
    for (int side = 0; side < 2; ++side) {
      const int e = 1 << (d + 1) % 3, f = 1 << (d + 2) % 3, a = side << d;
      const double saddle = (value(a) * value(a | e | f) - value(a | e) * value(a | f)) /
                            (value(a) + value(a | e | f) - value(a | e) - value(a | f));
      const bool is_ambiguous = (value(a) < 0.0) == (value(a | e | f) < 0.0) &&
                                (value(a | e) < 0.0) == (value(a | f) < 0.0) &&
                                (value(a) < 0.0) != (value(a | e) < 0.0);
      if (!is_ambiguous) continue;
      if ((saddle < 0.0) == (value(a) < 0.0)) joined.join(a, a | e | f);
      if ((saddle < 0.0) == (value(a | e) < 0.0)) joined.join(a | e, a | f);
    }
  return joined;
}

/// Corners that are joined along lines of a fine lattice in the cube, on which the trilinear function has one sign:
/// they are joined, whatever lies between the lines.
Joined joined_inside(const std::array<float, 8>& v) {
  constexpr int n = 17;
  std::vector<int> set(n * n * n);
  std::vector<bool> negative(n * n * n);
  const auto at = [](int i, int j, int k) { return static_cast<std::size_t>(i + n * (j + n * k)); };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int c = 0; c < 8; ++c)
          sum += static_cast<double>(v[static_cast<std::size_t>(c)]) * ((c & 1) != 0 ? i : n - 1 - i) *
                 ((c & 2) != 0 ? j : n - 1 - j) * ((c & 4) != 0 ? k : n - 1 - k);
        negative[at(i, j, k)] = sum < 0.0;
        set[at(i, j, k)] = static_cast<int>(at(i, j, k));
      }
  const auto find = [&](int m) {
    while (set[static_cast<std::size_t>(m)] != m)
      m = set[static_cast<std::size_t>(m)] = set[static_cast<std::size_t>(set[static_cast<std::size_t>(m)])];
    return m;
  };
  const auto join = [&](std::size_t a, std::size_t b) {
    if (negative[a] == negative[b])
      set[static_cast<std::size_t>(find(static_cast<int>(a)))] = find(static_cast<int>(b));
  };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (i > 0) join(at(i, j, k), at(i - 1, j, k));
        if (j > 0) join(at(i, j, k), at(i, j - 1, k));
        if (k > 0) join(at(i, j, k), at(i, j, k - 1));
      }
  Joined joined;
  const auto corner = [&](int c) {
    return find(static_cast<int>(at((c & 1) != 0 ? n - 1 : 0, (c & 2) != 0 ? n - 1 : 0, (c & 4) != 0 ? n - 1 : 0)));
  };
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < a; ++b)
      if (corner(a) == corner(b)) joined.join(a, b);
  return joined;
}

/// Number of discs in a cube.
std::size_t count_discs(const CubeTriangles& cube) {
  std::map<int, int> set;
  for (const auto& t : cube.triangles)
    for (const int v : t) set.emplace(v, v);
  for (const auto& t : cube.triangles)
    for (const int v : {t[1], t[2]}) {
      const int from = set[v], to = set[t[0]];
      for (auto& [vertex, label] : set)
        if (label == from) label = to;
    }
  std::set<int> labels;
  for (const auto& [vertex, label] : set) labels.insert(label);
  return labels.size();
}

TEST(CubeTable, corners_are_joined_on_faces_as_the_interpolation_joins_them_and_by_no_tunnel) {
  // Chernyaev's cases 4, 6, 7, 10, 12 and 13, and the same with signs turned, can have tunnels; others cannot.
  int tunnels = 0, tunnels_between_two_on_a_face = 0, tunnels_across = 0;
  for (int negative = 1; negative < 255; ++negative)
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      std::array<float, 8> values{};
      for (std::size_t c = 0; c < 8; ++c) {  // the sizes span two decades
        const auto size =
            static_cast<float>(std::pow(10.0, -2.0 * test::hashed(seed, static_cast<std::uint64_t>(negative), c)));
        values[c] = (negative >> c & 1) != 0 ? -size : size;
      }
      const Joined on_faces = joined_on_faces(values);
      // k discs cut the cube into k + 1 pieces, and each piece holds corners: so the discs join what the faces join
      ASSERT_EQ(count_discs(cube_triangles(values)) + 1, on_faces.count()) << negative << " " << seed;
      const Joined inside = joined_inside(values);
      bool has_tunnel = false;
      for (int a = 0; a < 8; ++a)
        for (int b = 0; b < a; ++b) has_tunnel = has_tunnel || (inside.joins(a, b) && !on_faces.joins(a, b));
      if (!has_tunnel) continue;
      ++tunnels;
      const bool positive_is_fewer = std::popcount(static_cast<unsigned>(negative)) > 4;
      const auto few = static_cast<unsigned>(positive_is_fewer ? 255 - negative : negative);
      if (std::popcount(few) != 2) continue;
      const int low = std::countr_zero(few), high = std::bit_width(few) - 1;
      ++(std::popcount(static_cast<unsigned>(low ^ high)) == 3 ? tunnels_across : tunnels_between_two_on_a_face);
    }
  EXPECT_GT(tunnels, 50);  // the rule is put to the test: interpolation has tunnels, the discs have none
  EXPECT_GT(tunnels_across, 0) << "case 4";
  EXPECT_EQ(tunnels_between_two_on_a_face, 0) << "case 3";
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
