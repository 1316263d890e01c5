// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/contracts.hpp"
#include "open_edges.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace freshet {
namespace {

/// Goes along open edges, each of them as often as it is there.
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
  /// `start`.
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
  std::vector<std::size_t> begin_;  ///< of each point's edges in to_
  std::vector<std::int32_t> to_;
  std::vector<std::size_t> left_;   ///< edges of each point that have not been taken
  std::vector<std::int32_t> path_;  ///< points, each once
  std::vector<std::size_t> place_;  ///< of each point in the path
  std::vector<std::vector<std::int32_t>> loops_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> boundary_loops(const TriangleMesh& mesh, const std::vector<OpenEdge>& open) {
  return BoundaryWalk(mesh, open).loops();
}

}  // namespace freshet
