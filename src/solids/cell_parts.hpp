// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/solids/free_way.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace freshet {

/// The part of a cell that counts where walls thinner than it cut it: the one with its centre, or the largest part if a
/// body covers the centre.
///
/// Distances are those at the corners of the cell, or at the nodes of its halves: 3 along each axis. A node belongs to
/// the part of its neighbour unless a body stands between the two. The other parts count as solid: the distances at
/// their nodes become those to the wall's side at the part that counts. No flow on the grid then crosses the wall.
/// Liquid in a part that counts as solid, less than half a cell wide, moves with the faces around it. Lengths in cells.
/// Source: Guendelman, Selle, Losasso & Fedkiw 2005 (faces behind a thin wall are closed); Azevedo, Batty & Oliveira
/// 2016 (the parts of cells)
template <int dim>
class CellParts {
 public:
  static constexpr int n_corners = 1 << dim;
  static constexpr int n_nodes = dim == 3 ? 27 : 9;
  static constexpr double half_diagonal = dim == 3 ? 0.87 : 0.71;
  static constexpr double half_of_face = 0.7072;  ///< at least the distance from a face's middle to its corners
  /// The mean slope of the distance over a cell is 1 but at edges, in thin walls and between bodies.
  static constexpr double least_slope = 0.998;

  /// Whether the distances at a cell's corners tell that no wall cuts it: it lies far from bodies, or the distance is
  /// close to linear. \param[in] corner  x fastest
  static bool is_clear(const double* corner) {
    Vec3 slope = Vec3::Zero();
    double nearest = 2.0 * half_diagonal;
    for (int n = 0; n < n_corners; ++n) {
      nearest = std::min(nearest, std::abs(corner[n]));
      for (int d = 0; d < dim; ++d) slope[d] += (n >> d & 1) != 0 ? corner[n] : -corner[n];
    }
    return nearest > half_diagonal || 2.0 * slope.norm() >= least_slope * n_corners;
  }

  /// Whether the cell's edges join all of its corners that lie outside bodies, as far as the signs there tell.
  static bool are_joined(const double* corner) {
    unsigned outside = 0;
    for (int n = 0; n < n_corners; ++n) outside |= (corner[n] > 0.0 ? 1U : 0U) << n;
    return joined_[outside];
  }

  /// Whether a wall may cut a cell that is not clear. \param[in] corner  distances there, x fastest
  /// \param[in] low  place of the lowest corner. \param[in] distance  function: distance of a point to the nearest body
  template <class Distance>
  static bool may_be_cut(const double* corner, const Vec3& low, const Distance& distance) {
    return !are_joined(corner) || !are_edges_free(corner, low, distance) || !are_faces_free(corner, low, distance);
  }

  /// Find the parts of a cell. \return whether there are several
  template <class Distance>
  bool find(const Vec3& low, const Distance& distance) {
    for (int n = 0; n < n_nodes; ++n) value_[n] = distance(place(low, n));
    int part[n_nodes];
    std::fill_n(part, n_nodes, -1);
    int n_parts = 0, chosen = 0;
    double most = 0.0;
    for (int n = 0; n < n_nodes; ++n) {
      if (part[n] >= 0 || value_[n] <= 0.0) continue;
      const double size = flood(n, n_parts, low, distance, part);
      if (size > most) {
        most = size;
        chosen = n_parts;
      }
      ++n_parts;
    }
    if (n_parts < 2) return false;
    // particles are on the cell's side of a wall if they see its centre, which in the corner of a cup may lie in the
    // smaller part
    if (part[n_nodes / 2] >= 0) chosen = part[n_nodes / 2];
    double behind[n_nodes];
    for (int n = 0; n < n_nodes; ++n)
      behind[n] = part[n] < 0 || part[n] == chosen ? value_[n] : beyond_wall(n, chosen, low, distance, part);
    std::copy_n(behind, n_nodes, value_);
    return true;
  }

  /// Distance at node (i, j, k), 0 .. 2 each; in 2-D k has no effect.
  double node(int i, int j, int k) const { return value_[i + 3 * j + (dim == 3 ? 9 * k : 0)]; }
  double center() const { return value_[n_nodes / 2]; }

 private:
  /// are_joined() by the bits of the corners outside.
  static constexpr auto joined_ = [] {
    std::array<bool, 1U << n_corners> result{};
    for (unsigned outside = 0; outside < result.size(); ++outside) {
      unsigned joined = outside & (~outside + 1U);  // the first corner outside
      for (unsigned before = 0; before != joined;) {
        before = joined;
        for (int n = 0; n < n_corners; ++n)
          for (int d = 0; d < dim; ++d)
            if ((joined >> n & 1U) != 0) joined |= outside & 1U << (n ^ 1 << d);
      }
      result[outside] = joined == outside;
    }
    return result;
  }();
  static constexpr double edge = 0.5;  ///< distance between two nodes

  static Vec3 place(const Vec3& low, int n) { return low + edge * Vec3(n % 3, n / 3 % 3, dim == 3 ? n / 9 : 0); }
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? 3 : 9; }
  static int along(int n, int axis) { return n / stride(axis) % 3; }

  /// Call f(neighbour) for the nodes next to a node.
  template <class Function>
  static void for_each_neighbour(int n, Function&& f) {
    for (int axis = 0; axis < dim; ++axis) {
      if (along(n, axis) > 0) f(n - stride(axis));
      if (along(n, axis) < 2) f(n + stride(axis));
    }
  }

  template <class Distance>
  double way(int from, int to, const Vec3& low, const Distance& distance) const {
    return free_way(distance, {place(low, from), value_[from]}, {place(low, to), value_[to]}, edge, shortest_way);
  }

  static Vec3 corner_place(const Vec3& low, int n) {
    Vec3 x = low;
    for (int d = 0; d < dim; ++d) x[d] += n >> d & 1;
    return x;
  }

  /// Whether edges' midpoints outside bodies belong to the same part as the corners at the edge's ends. An edge from a
  /// corner outside to one inside may pass through a wall first, into a wedge that ends at the other corner.
  template <class Distance>
  static bool are_edges_free(const double* corner, const Vec3& low, const Distance& distance) {
    for (int n = 0; n < n_corners; ++n)
      for (int d = 0; d < dim; ++d) {
        const int next = n | 1 << d;
        if (next == n) continue;
        const int from = corner[n] > 0.0 ? n : next, to = from == n ? next : n;
        const bool both = corner[to] > 0.0;
        const Vec3 start = corner_place(low, from);
        const Vec3 end = both ? corner_place(low, to) : Vec3(0.5 * (start + corner_place(low, to)));
        if (corner[from] > edge && !both) continue;                                       // the first half is free
        if (corner[from] <= 0.0 && std::min(corner[n], corner[next]) <= -edge) continue;  // all of it lies inside
        const double length = both ? 1.0 : edge, there = both ? corner[to] : distance(end);
        if (there <= 0.0) continue;
        if (corner[from] <= 0.0) return false;
        if (free_way(distance, {start, corner[from]}, {end, there}, length, shortest_way) < length) return false;
      }
    return true;
  }

  /// Whether faces' midpoints outside bodies belong to the same part as a corner of the face.
  template <class Distance>
  static bool are_faces_free(const double* corner, const Vec3& low, const Distance& distance) {
    if (dim == 2) return true;  // faces are the cell's edges
    const double half = std::sqrt(0.5);
    for (int d = 0; d < dim; ++d)
      for (const int side : {0, 1 << d}) {
        int around[4];
        for (int n = 0, m = 0; n < n_corners; ++n)
          if ((n & 1 << d) == side) around[m++] = n;
        double lowest = corner[around[0]], highest = corner[around[0]];
        for (const int n : around) {
          lowest = std::min(lowest, corner[n]);
          highest = std::max(highest, corner[n]);
        }
        if (lowest <= -half || highest > half) continue;  // the middle is inside, or free from that corner
        const Vec3 middle = 0.25 * (corner_place(low, around[0]) + corner_place(low, around[1]) +
                                    corner_place(low, around[2]) + corner_place(low, around[3]));
        const double there = distance(middle);
        const auto sees = [&](int n) {
          return corner[n] > 0.0 &&
                 free_way(distance, {corner_place(low, n), corner[n]}, {middle, there}, half, shortest_way) == half;
        };
        if (there > 0.0 && std::none_of(std::begin(around), std::end(around), sees)) return false;
      }
    return true;
  }

  /// Give the nodes that are connected with `first` the number of their part. \return the sum of their distances
  template <class Distance>
  double flood(int first, int number, const Vec3& low, const Distance& distance, int* part) const {
    int open[n_nodes];
    int n_open = 0;
    double size = 0.0;
    const auto take = [&](int n) {
      part[n] = number;
      size += value_[n];
      open[n_open++] = n;
    };
    take(first);
    while (n_open > 0) {
      const int from = open[--n_open];
      for_each_neighbour(from, [&](int to) {
        if (part[to] < 0 && value_[to] > 0.0 && way(from, to, low, distance) == edge) take(to);
      });
    }
    return size;
  }

  /// The distance, negative, of a node behind a wall to the wall's side at the part that counts.
  template <class Distance>
  double beyond_wall(int n, int chosen, const Vec3& low, const Distance& distance, const int* part) const {
    double result = -2.0;
    for_each_neighbour(n, [&](int from) {
      if (part[from] != chosen) return;
      const double to_wall = std::max(way(from, n, low, distance), 1e-9);
      result = std::max(result, -(edge - to_wall) * std::min(1.0, value_[from] / to_wall));
    });
    return result == -2.0 ? -value_[n] : result;
  }

  double value_[n_nodes];
};

}  // namespace freshet
