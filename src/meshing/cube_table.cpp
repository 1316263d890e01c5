// SPDX-License-Identifier: Apache-2.0
#include "cube_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace freshet::meshing {
namespace {

constexpr int bit(int axis) {
  return 1 << axis;
}

/// The corners of face 2 d + side, counter-clockwise as seen from outside the cube.
std::array<int, 4> face_corners(int face) {
  const int d = face / 2, e = (d + 1) % 3, f = (d + 2) % 3;
  const int base = face % 2 != 0 ? bit(d) : 0;
  std::array<int, 4> corners{base, base | bit(e), base | bit(e) | bit(f), base | bit(f)};
  if (face % 2 == 0) std::swap(corners[1], corners[3]);
  return corners;
}

int edge_between(int a, int b) {
  const int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
  const int low = std::min(a, b);
  for (int m = 0; m < 4; ++m)
    if (edge_corner[static_cast<std::size_t>(4 * axis + m)] == low) return 4 * axis + m;
  return -1;
}

/// The two faces that an edge lies on, as bits.
int faces_of(int edge) {
  const int axis = edge / 4, corner = edge_corner[static_cast<std::size_t>(edge)];
  int faces = 0;
  for (int d = 0; d < 3; ++d)
    if (d != axis) faces |= 1 << (2 * d + ((corner & bit(d)) != 0 ? 1 : 0));
  return faces;
}

bool is_negative(int negative, int corner) {
  return (negative >> corner & 1) != 0;
}

bool is_ambiguous(int negative, const std::array<int, 4>& c) {
  return is_negative(negative, c[0]) == is_negative(negative, c[2]) &&
         is_negative(negative, c[1]) == is_negative(negative, c[3]) &&
         is_negative(negative, c[0]) != is_negative(negative, c[1]);
}

/// For each cut edge, the edge that follows it in its loop.
std::array<int, n_cube_edges> follow_faces(int negative, int joined) {
  std::array<int, n_cube_edges> next;
  next.fill(-1);
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> c = face_corners(face);
    std::array<int, 4> edge{};  // edge m runs from corner m to the next one
    for (std::size_t m = 0; m < 4; ++m) edge[m] = edge_between(c[m], c[(m + 1) % 4]);
    const bool cuts_off_positive = is_ambiguous(negative, c) && (joined >> face & 1) != 0;
    for (std::size_t m = 0; m < 4; ++m) {
      if (!is_negative(negative, c[m]) || is_negative(negative, c[(m + 1) % 4])) continue;
      // Edge m leaves the liquid. The segment ends on the next cut edge if it goes around the positive corners, on the
      // cut edge before if it goes around the negative ones.
      std::size_t end = m;
      do {
        end = cuts_off_positive ? (end + 1) % 4 : (end + 3) % 4;
      } while (is_negative(negative, c[end]) == is_negative(negative, c[(end + 1) % 4]));
      next[static_cast<std::size_t>(edge[end])] = edge[m];
    }
  }
  return next;
}

/// Cut a loop into triangles by diagonals that all lie inside the cube.
/// \return false if the loop cannot be cut so
bool triangulate(const std::vector<std::int8_t>& loop, std::vector<std::array<std::int8_t, 3>>& triangles) {
  const std::size_t n = loop.size();
  constexpr int impossible = 1000;
  std::array<std::array<int, n_cube_edges>, n_cube_edges> cost{};
  std::array<std::array<std::size_t, n_cube_edges>, n_cube_edges> split{};
  const auto is_legal = [&](std::size_t a, std::size_t b) {  // a side, or a diagonal in the cube
    return b == a + 1 || (a == 0 && b == n - 1) || (faces_of(loop[a]) & faces_of(loop[b])) == 0;
  };
  for (std::size_t length = 2; length < n; ++length)
    for (std::size_t a = 0; a + length < n; ++a) {
      const std::size_t b = a + length;
      cost[a][b] = impossible;
      if (!is_legal(a, b)) continue;
      for (std::size_t m = a + 1; m < b; ++m) {
        const int fan = static_cast<int>(std::max(m - a, b - m));  // prefers halves to slivers
        const int sum = cost[a][m] + cost[m][b] + fan;
        if (sum < cost[a][b]) {
          cost[a][b] = sum;
          split[a][b] = m;
        }
      }
    }
  if (cost[0][n - 1] >= impossible) return false;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (b < a + 2) continue;
    const std::size_t m = split[a][b];
    triangles.push_back({loop[a], loop[m], loop[b]});
    open.emplace_back(a, m);
    open.emplace_back(m, b);
  }
  return true;
}

CubeTriangles make_entry(int negative, int joined) {
  CubeTriangles entry;
  std::array<int, n_cube_edges> next = follow_faces(negative, joined);
  for (int first = 0; first < n_cube_edges; ++first) {
    std::vector<std::int8_t> loop;
    for (int edge = first; next[static_cast<std::size_t>(edge)] >= 0;) {
      loop.push_back(static_cast<std::int8_t>(edge));
      edge = std::exchange(next[static_cast<std::size_t>(edge)], -1);
    }
    if (loop.empty() || triangulate(loop, entry.triangles)) continue;
    const auto center = static_cast<std::int8_t>(n_cube_edges + entry.centers.size());
    for (std::size_t m = 0; m < loop.size(); ++m)
      entry.triangles.push_back({loop[m], loop[(m + 1) % loop.size()], center});
    entry.centers.push_back(std::move(loop));
  }
  return entry;
}

/// All entries, and the number of the entry for signs and decisions. Decisions on unambiguous faces have no effect.
struct Table {
  std::vector<CubeTriangles> entries;
  std::array<int, 256> ambiguous{};  ///< for each pattern of signs, one bit for each ambiguous face
  std::vector<int> entry_of = std::vector<int>(256 * 64, -1);
  std::array<std::array<int, 4>, 6> corners{};

  Table() {
    for (int face = 0; face < 6; ++face) corners[static_cast<std::size_t>(face)] = face_corners(face);
    for (int negative = 0; negative < 256; ++negative) {
      int& faces = ambiguous[static_cast<std::size_t>(negative)];
      for (int face = 0; face < 6; ++face)
        if (is_ambiguous(negative, corners[static_cast<std::size_t>(face)])) faces |= 1 << face;
      for (int joined = 0; joined < 64; ++joined) {
        if ((joined & ~faces) != 0) continue;
        entry_of[static_cast<std::size_t>(64 * negative + joined)] = static_cast<int>(entries.size());
        entries.push_back(make_entry(negative, joined));
      }
    }
  }
};

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

const std::array<int, n_cube_edges> edge_corner = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

const CubeTriangles& cube_triangles(int negative, int joined) {
  const int faces = table().ambiguous[static_cast<std::size_t>(negative)];
  return table()
      .entries[static_cast<std::size_t>(table().entry_of[static_cast<std::size_t>(64 * negative + (joined & faces))])];
}

const CubeTriangles& cube_triangles(const std::array<float, 8>& values) {
  const Table& all = table();
  int negative = 0;
  for (int c = 0; c < 8; ++c) negative |= (values[static_cast<std::size_t>(c)] < 0.0F ? 1 : 0) << c;
  int joined = 0;
  const int faces = all.ambiguous[static_cast<std::size_t>(negative)];
  for (int face = 0; faces >> face != 0; ++face) {
    if ((faces >> face & 1) == 0) continue;
    const std::array<int, 4>& c = all.corners[static_cast<std::size_t>(face)];
    const auto value = [&](std::size_t m) { return static_cast<double>(values[static_cast<std::size_t>(c[m])]); };
    const double even = value(0) * value(2), odd = value(1) * value(3);  // exact: a product of two factors of 24 bits
    const bool even_is_negative = is_negative(negative, c[0]);
    if (even_is_negative ? even > odd : odd > even) joined |= 1 << face;
  }
  return all.entries[static_cast<std::size_t>(all.entry_of[static_cast<std::size_t>(64 * negative + joined)])];
}

}  // namespace freshet::meshing
