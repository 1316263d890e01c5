// SPDX-License-Identifier: Apache-2.0
#include "triangle_tree.hpp"

#include "freshet/core/contracts.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace freshet {
namespace {

constexpr std::int64_t most_in_leaf = 4;
constexpr int deepest = 48;

std::int64_t first_node(int level) {
  return (std::int64_t{1} << level) - 1;
}

/// A share of a whole, from 0 to 1; 0 if the whole is lost in rounding, as that of a tiny edge far away is.
double share_of(double part, double whole) {
  return whole > 0.0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
}

}  // namespace

TriangleTree::TriangleTree(const TriangleMesh& mesh) {
  FRESHET_EXPECT(!mesh.triangles.empty());
  const auto n = static_cast<std::int64_t>(mesh.triangles.size());
  while (n > most_in_leaf << depth_) ++depth_;
  FRESHET_ASSERT(depth_ < deepest);
  sort_triangles(mesh);
  fit_bounds();
  fit_dipoles();
}

Box TriangleTree::bounds() const {
  const Bounds& b = bounds_.front();
  return {Vec3(b.lower[0], b.lower[1], b.lower[2]), Vec3(b.upper[0], b.upper[1], b.upper[2])};
}

/// Where the triangles of a node begin; those of the last node of a level end where the ones of its successor would.
std::int64_t TriangleTree::first_triangle(std::int64_t node, int level) const {
  return (node - first_node(level)) * n_triangles() >> level;
}

void TriangleTree::sort_triangles(const TriangleMesh& mesh) {
  const auto n = static_cast<std::int64_t>(mesh.triangles.size());
  corners_.resize(static_cast<std::size_t>(n));
  balls_.resize(static_cast<std::size_t>(n));
  std::vector<Vec3> center(static_cast<std::size_t>(n));
  const auto corner = [&](std::int64_t t, std::size_t i) -> const Vec3& {
    return mesh.points[static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(t)][i])];
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t t = 0; t < n; ++t)
    center[static_cast<std::size_t>(t)] = (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0;
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int level = 0; level < depth_; ++level) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t node = first_node(level); node < first_node(level + 1); ++node) {
      const auto begin = order.begin() + first_triangle(node, level);
      const auto middle = order.begin() + first_triangle(2 * node + 2, level + 1);
      const auto end = order.begin() + first_triangle(node + 1, level);
      Vec3 lower = center[static_cast<std::size_t>(*begin)];
      Vec3 upper = lower;
      for (auto t = begin; t != end; ++t) {
        lower = lower.cwiseMin(center[static_cast<std::size_t>(*t)]);
        upper = upper.cwiseMax(center[static_cast<std::size_t>(*t)]);
      }
      int axis = 0;
      (upper - lower).maxCoeff(&axis);
      std::nth_element(begin, middle, end, [&](std::int32_t s, std::int32_t t) {
        const double x_s = center[static_cast<std::size_t>(s)][axis];
        const double x_t = center[static_cast<std::size_t>(t)][axis];
        return x_s < x_t || (x_s == x_t && s < t);
      });
    }
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t t = 0; t < n; ++t) {
    const std::int32_t from = order[static_cast<std::size_t>(t)];
    const Corners corners{corner(from, 0), corner(from, 1), corner(from, 2)};
    const Vec3& middle = center[static_cast<std::size_t>(from)];
    const double radius2 = std::max(
        {(corners.a - middle).squaredNorm(), (corners.b - middle).squaredNorm(), (corners.c - middle).squaredNorm()});
    constexpr double rounding = 1.0 + 1e-12;
    corners_[static_cast<std::size_t>(t)] = corners;
    balls_[static_cast<std::size_t>(t)] = {middle, rounding * std::sqrt(radius2)};
  }
}

void TriangleTree::fit_bounds() {
  bounds_.resize(static_cast<std::size_t>(first_node(depth_ + 1)));
  for (int level = depth_; level >= 0; --level) {
#pragma omp parallel for schedule(static)
    for (std::int64_t node = first_node(level); node < first_node(level + 1); ++node) {
      Bounds& b = bounds_[static_cast<std::size_t>(node)];
      for (int d = 0; d < 3; ++d) {
        if (level < depth_) {
          const Bounds& left = bounds_[static_cast<std::size_t>(2 * node + 1)];
          const Bounds& right = bounds_[static_cast<std::size_t>(2 * node + 2)];
          b.lower[d] = std::min(left.lower[d], right.lower[d]);
          b.upper[d] = std::max(left.upper[d], right.upper[d]);
          continue;
        }
        b.lower[d] = std::numeric_limits<double>::infinity();
        b.upper[d] = -b.lower[d];
        for (std::int64_t t = first_triangle(node, level); t < first_triangle(node + 1, level); ++t) {
          const Corners& c = corners_[static_cast<std::size_t>(t)];
          b.lower[d] = std::min({b.lower[d], c.a[d], c.b[d], c.c[d]});
          b.upper[d] = std::max({b.upper[d], c.a[d], c.b[d], c.c[d]});
        }
      }
    }
  }
}

void TriangleTree::fit_dipoles() {
  dipoles_.resize(bounds_.size());
  std::vector<double> areas(bounds_.size());
  constexpr double accuracy = 2.0;  // the beta of Barill et al. (2018)
  for (int level = depth_; level >= 0; --level) {
#pragma omp parallel for schedule(static)
    for (std::int64_t node = first_node(level); node < first_node(level + 1); ++node) {
      const auto n = static_cast<std::size_t>(node);
      Dipole dipole{Vec3::Zero(), Vec3::Zero(), 0.0};
      double area = 0.0;
      const auto add = [&](const Vec3& vector_area, const Vec3& center, double its_area) {
        dipole.area += vector_area;
        dipole.center += its_area * center;
        area += its_area;
      };
      if (level < depth_) {
        for (const std::size_t child : {2 * n + 1, 2 * n + 2})
          add(dipoles_[child].area, dipoles_[child].center, areas[child]);
      } else {
        for (std::int64_t t = first_triangle(node, level); t < first_triangle(node + 1, level); ++t) {
          const Corners& c = corners_[static_cast<std::size_t>(t)];
          const Vec3 vector_area = (c.b - c.a).cross(c.c - c.a) / 2.0;
          add(vector_area, (c.a + c.b + c.c) / 3.0, vector_area.norm());
        }
      }
      const Bounds& box = bounds_[n];
      for (int d = 0; d < 3; ++d)  // without any area that a number holds, the middle will do
        dipole.center[d] = area > 0.0 ? dipole.center[d] / area : 0.5 * (box.lower[d] + box.upper[d]);
      double reach2 = 0.0;
      for (int d = 0; d < 3; ++d) {
        const double way = std::max(dipole.center[d] - box.lower[d], box.upper[d] - dipole.center[d]);
        reach2 += way * way;
      }
      dipole.reach2 = accuracy * accuracy * reach2;
      dipoles_[n] = dipole;
      areas[n] = area;
    }
  }
}

/// The nearest of its three edges, or of its inside if x stands above it. So rounding cannot lead astray: for a sliver
/// the edges alone are right to its height.
double TriangleTree::distance2(std::int64_t triangle, const Vec3& x) const {
  const Corners& t = corners_[static_cast<std::size_t>(triangle)];
  const Vec3 ab = t.b - t.a;
  const Vec3 ac = t.c - t.a;
  const Vec3 bc = t.c - t.b;
  const Vec3 ax = x - t.a;
  const Vec3 bx = x - t.b;
  const auto to_edge = [](const Vec3& edge, const Vec3& from_start) {
    return (from_start - share_of(edge.dot(from_start), edge.squaredNorm()) * edge).squaredNorm();
  };
  const double to_edges = std::min({to_edge(ab, ax), to_edge(ac, ax), to_edge(bc, bx)});
  const Vec3 normal = ab.cross(ac);
  const double along_b = ax.cross(ac).dot(normal);
  const double along_c = ab.cross(ax).dot(normal);
  const double whole = normal.squaredNorm();
  if (!(along_b > 0.0 && along_c > 0.0 && along_b + along_c < whole)) return to_edges;
  return std::min(to_edges, (ax - along_b / whole * ab - along_c / whole * ac).squaredNorm());
}

NearestTriangle TriangleTree::nearest(const Vec3& x, std::int64_t guess) const {
  struct Visit {
    std::int64_t node;
    double distance2;  ///< to its box
  };
  const auto to_box = [&](std::int64_t node) {
    const Bounds& b = bounds_[static_cast<std::size_t>(node)];
    double sum = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double way = std::max(std::max(b.lower[d] - x[d], x[d] - b.upper[d]), 0.0);
      sum += way * way;
    }
    return sum;
  };
  NearestTriangle best{guess, distance2(guess, x)};
  double distance = std::sqrt(best.distance2);
  const std::int64_t first_leaf = first_node(depth_);
  Visit stack[deepest];
  int size = 0;
  Visit now{0, to_box(0)};
  for (;;) {
    if (now.distance2 < best.distance2) {
      if (now.node < first_leaf) {
        Visit near{2 * now.node + 1, to_box(2 * now.node + 1)};
        Visit far{2 * now.node + 2, to_box(2 * now.node + 2)};
        if (far.distance2 < near.distance2) std::swap(near, far);
        if (far.distance2 < best.distance2) stack[size++] = far;
        now = near;
        continue;
      }
      for (std::int64_t t = first_triangle(now.node, depth_); t < first_triangle(now.node + 1, depth_); ++t) {
        const Ball& ball = balls_[static_cast<std::size_t>(t)];
        const double enough = distance + ball.radius;
        if ((x - ball.center).squaredNorm() >= enough * enough) continue;
        const double its = distance2(t, x);
        if (its >= best.distance2) continue;
        best = {t, its};
        distance = std::sqrt(its);
      }
    }
    if (size == 0) return best;
    now = stack[--size];
  }
}

/// Van Oosterom & Strackee 1983.
double TriangleTree::solid_angle(std::int64_t triangle, const Vec3& x) const {
  const Corners& t = corners_[static_cast<std::size_t>(triangle)];
  const Vec3 a = t.a - x;
  const Vec3 b = t.b - x;
  const Vec3 c = t.c - x;
  const double l_a = a.norm();
  const double l_b = b.norm();
  const double l_c = c.norm();
  const double below = l_a * l_b * l_c + a.dot(b) * l_c + b.dot(c) * l_a + c.dot(a) * l_b;
  const double above = a.dot(b.cross(c));
  return 2.0 * std::atan2(above, below);
}

double TriangleTree::winding_number(const Vec3& x) const {
  double sum = 0.0;  // solid angle
  const std::int64_t first_leaf = first_node(depth_);
  std::int64_t stack[2 * deepest];
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::int64_t node = stack[--size];
    const Dipole& dipole = dipoles_[static_cast<std::size_t>(node)];
    const Vec3 way = dipole.center - x;
    const double r2 = way.squaredNorm();
    if (r2 > dipole.reach2) {
      sum += dipole.area.dot(way) / (r2 * std::sqrt(r2));
    } else if (node < first_leaf) {
      stack[size++] = 2 * node + 2;
      stack[size++] = 2 * node + 1;
    } else {
      for (std::int64_t t = first_triangle(node, depth_); t < first_triangle(node + 1, depth_); ++t)
        sum += solid_angle(t, x);
    }
  }
  return sum / (4.0 * std::numbers::pi);
}

}  // namespace freshet
