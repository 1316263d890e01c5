// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "mesh_repair.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace freshet {
namespace {

/// A set of points no two of which are within a width of each other, stored by cells of that width.
class Representatives {
 public:
  Representatives(const std::vector<Vec3>& points, const Vec3& lower, double width)
      : points_(points), lower_(lower), width_(width) {}

  /// The nearest point of the set within the width. If there is none, `point` is added and returned.
  std::int32_t find_or_add(std::int32_t point) {
    const Vec3& x = at(point);
    const Vec3 cell = ((x - lower_) / width_).array().floor();
    std::int32_t nearest = point;
    double least = width_ * width_;
    for (int n = 0; n < 27; ++n) {
      const auto found = cells_.find(key_of(cell + Vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
      if (found == cells_.end()) continue;
      for (const std::int32_t other : found->second) {
        const double distance2 = (at(other) - x).squaredNorm();
        if (distance2 > least || (distance2 == least && nearest != point)) continue;
        least = distance2;
        nearest = other;
      }
    }
    if (nearest == point) cells_[key_of(cell)].push_back(point);
    return nearest;
  }

 private:
  const Vec3& at(std::int32_t point) const { return points_[static_cast<std::size_t>(point)]; }
  /// Two cells may have the same key: distances decide.
  static std::uint64_t key_of(const Vec3& cell) {
    std::uint64_t key = 0;
    for (int d = 0; d < 3; ++d) key = key << 21 ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(cell[d]) + 1);
    return key;
  }

  const std::vector<Vec3>& points_;
  Vec3 lower_;
  double width_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> cells_;
};

/// Length of the shortest open edge at each point; infinite where there is none. [m]
std::vector<double> shortest_edges(const TriangleMesh& mesh, const std::vector<OpenEdge>& open) {
  std::vector<double> shortest(mesh.points.size(), std::numeric_limits<double>::infinity());
  for (const OpenEdge& edge : open) {
    const auto a = static_cast<std::size_t>(edge.from);
    const auto b = static_cast<std::size_t>(edge.to);
    const double length = (mesh.points[a] - mesh.points[b]).norm();
    shortest[a] = std::min(shortest[a], length);
    shortest[b] = std::min(shortest[b], length);
  }
  return shortest;
}

/// Join points of open edges no shorter than `least_edge` that are within the width of each other. \return their number
std::int64_t join_points(TriangleMesh& mesh, const std::vector<OpenEdge>& open, const Vec3& lower, double width,
                         double least_edge) {
  std::vector<std::int32_t> number(mesh.points.size());
  std::iota(number.begin(), number.end(), 0);
  Representatives representatives(mesh.points, lower, width);
  std::int64_t n_joined = 0;
  const std::vector<double> shortest = shortest_edges(mesh, open);
  for (std::size_t point = 0; point < number.size(); ++point) {
    if (shortest[point] < least_edge || shortest[point] == std::numeric_limits<double>::infinity()) continue;
    const std::int32_t to = representatives.find_or_add(number[point]);
    if (to != number[point]) ++n_joined;
    number[point] = to;
  }
  if (n_joined > 0)
    for (Triangle& triangle : mesh.triangles)
      for (std::int32_t& corner : triangle) corner = number[static_cast<std::size_t>(corner)];
  return n_joined;
}

/// A walk along open edges that takes each edge as often as it is open.
class BoundaryWalk {
 public:
  BoundaryWalk(const TriangleMesh& mesh, const std::vector<OpenEdge>& open)
      : mesh_(mesh), begin_(mesh.points.size() + 2) {
    for (const OpenEdge& edge : open) begin_[static_cast<std::size_t>(edge.from) + 2] += n_times(edge);
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    to_.resize(begin_.back());
    for (const OpenEdge& edge : open)
      for (std::size_t n = 0; n < n_times(edge); ++n) to_[begin_[static_cast<std::size_t>(edge.from) + 1]++] = edge.to;
    left_.resize(mesh.points.size());
    for (std::size_t point = 0; point < left_.size(); ++point) left_[point] = begin_[point + 1] - begin_[point];
    place_.assign(mesh.points.size(), nowhere);
  }

  std::vector<std::vector<std::int32_t>> loops() {
    for (std::size_t start = 0; start < left_.size(); ++start)
      while (left_[start] > 0) walk_from(static_cast<std::int32_t>(start));
    return std::move(loops_);
  }

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  static std::size_t n_times(const OpenEdge& edge) { return static_cast<std::size_t>(edge.times); }
  const Vec3& at(std::int32_t point) const { return mesh_.points[static_cast<std::size_t>(point)]; }

  /// Follow open edges from a point and cut off each loop. As many edges enter a point as leave it, so the path ends at
  /// the point `start`.
  void walk_from(std::int32_t start) {
    path_.assign(1, start);
    place_[static_cast<std::size_t>(start)] = 0;
    while (left_[static_cast<std::size_t>(path_.back())] > 0) {
      const std::int32_t next = take_edge();
      std::size_t& place = place_[static_cast<std::size_t>(next)];
      if (place == nowhere) {
        place = path_.size();
        path_.push_back(next);
        continue;
      }
      const auto first = path_.begin() + static_cast<std::ptrdiff_t>(place);
      loops_.emplace_back(first, path_.end());
      for (auto point = first + 1; point != path_.end(); ++point) place_[static_cast<std::size_t>(*point)] = nowhere;
      path_.erase(first + 1, path_.end());
    }
    FRESHET_ENSURE(path_.size() == 1);
    place_[static_cast<std::size_t>(start)] = nowhere;
  }

  /// Take the edge with the sharpest turn, so that along a seam of slivers each sliver becomes a loop of its own.
  std::int32_t take_edge() {
    const std::int32_t here = path_.back();
    const std::size_t first = begin_[static_cast<std::size_t>(here)];
    std::size_t& left = left_[static_cast<std::size_t>(here)];
    std::size_t best = 0;
    if (path_.size() > 1) {
      const Vec3 back = (at(path_[path_.size() - 2]) - at(here)).normalized();
      double largest = -2.0;
      constexpr std::size_t most = 64;  // edges tried: fewer meet at a point of a seam, but a point may have millions
      for (std::size_t i = 0; i < std::min(left, most); ++i) {
        const double cosine = back.dot((at(to_[first + i]) - at(here)).normalized());
        if (cosine <= largest) continue;
        largest = cosine;
        best = i;
      }
    }
    const std::int32_t next = to_[first + best];
    to_[first + best] = to_[first + --left];
    return next;
  }

  const TriangleMesh& mesh_;
  std::vector<std::size_t> begin_;  ///< by point: index of its first edge in to_
  std::vector<std::int32_t> to_;
  std::vector<std::size_t> left_;   ///< by point: number of edges that have not been taken
  std::vector<std::int32_t> path_;  ///< points of the path, each once
  std::vector<std::size_t> place_;  ///< by point: index in path_
  std::vector<std::vector<std::int32_t>> loops_;
};

}  // namespace

std::vector<OpenEdge> find_open_edges(const TriangleMesh& mesh) {
  struct HalfEdge {
    std::int32_t upper;
    std::int32_t sign;  ///< 1 if the edge goes from the lower point to the upper one, else -1
  };
  std::vector<std::size_t> begin(mesh.points.size() + 2, 0);
  const auto for_each_edge = [&](auto&& f) {
    for (const Triangle& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) f(t[i], t[(i + 1) % 3]);
  };
  for_each_edge([&](std::int32_t a, std::int32_t b) { ++begin[static_cast<std::size_t>(std::min(a, b)) + 2]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<HalfEdge> edges(begin.back());
  for_each_edge([&](std::int32_t a, std::int32_t b) {
    edges[begin[static_cast<std::size_t>(std::min(a, b)) + 1]++] = {std::max(a, b), a < b ? 1 : -1};
  });
  std::vector<OpenEdge> open;
  for (std::size_t lower = 0; lower < mesh.points.size(); ++lower) {
    const auto first = edges.begin() + static_cast<std::ptrdiff_t>(begin[lower]);
    const auto last = edges.begin() + static_cast<std::ptrdiff_t>(begin[lower + 1]);
    std::sort(first, last, [](const HalfEdge& a, const HalfEdge& b) { return a.upper < b.upper; });
    for (auto edge = first; edge != last;) {
      const std::int32_t upper = edge->upper;
      std::int32_t net = 0;
      for (; edge != last && edge->upper == upper; ++edge) net += edge->sign;
      const auto low = static_cast<std::int32_t>(lower);
      if (net > 0) open.push_back({low, upper, net});
      if (net < 0) open.push_back({upper, low, -net});
    }
  }
  return open;
}

std::vector<std::vector<std::int32_t>> boundary_loops(const TriangleMesh& mesh, const std::vector<OpenEdge>& open) {
  return BoundaryWalk(mesh, open).loops();
}

std::int64_t stitch_cracks(TriangleMesh& mesh, std::vector<OpenEdge>& open) {
  if (open.empty()) return 0;
  Eigen::AlignedBox3d box;
  for (const Vec3& x : mesh.points) box.extend(x);
  const double extent = box.sizes().maxCoeff();
  constexpr double as_rounding = 1e-6;  // share of the extent: rounding of 32-bit numbers and of printed digits
  constexpr double edge_over_width = 4.0;
  std::int64_t n_joined = 0;
  for (const double share : {as_rounding, 1e-5, 1e-4, 1e-3}) {
    const double width = share * extent;
    if (!(width > std::numeric_limits<double>::min())) continue;  // the mesh is too small to be divided
    const std::int64_t n =
        join_points(mesh, open, box.min(), width, share == as_rounding ? 0.0 : edge_over_width * width);
    if (n == 0) continue;
    n_joined += n;
    std::erase_if(mesh.triangles, has_repeated_corner);
    open = find_open_edges(mesh);
    if (open.empty()) break;
  }
  return n_joined;
}

}  // namespace freshet
