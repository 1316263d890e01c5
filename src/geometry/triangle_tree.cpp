// SPDX-License-Identifier: Apache-2.0
#include "triangle_tree.hpp"

#include "freshet/core/contracts.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace freshet {
namespace {

constexpr std::int64_t most_in_leaf = group_size;
constexpr int deepest = 48;
constexpr int stride = 3;  // levels that a search goes down at once: 2^3 lanes

std::int64_t first_node(int level) {
  return (std::int64_t{1} << level) - 1;
}

Disc disc_around(std::span<const Corners> triangles) {
  Eigen::AlignedBox3d box;
  Vec3 area = Vec3::Zero();
  for (const Corners& t : triangles) {
    box.extend(t.a).extend(t.b).extend(t.c);
    area += (t.b - t.a).cross(t.c - t.a);
  }
  const double length = area.norm();
  Disc disc{0.5 * (box.min() + box.max()), Vec3::Zero(), 0.0, 0.0};
  if (length > 0.0) disc.normal = area / length;
  double thickness = 0.0;
  double radius2 = 0.0;
  for (const Corners& t : triangles)
    for (const Vec3* corner : {&t.a, &t.b, &t.c}) {
      const Vec3 way = *corner - disc.center;
      const double along = way.dot(disc.normal);
      thickness = std::max(thickness, std::abs(along));
      radius2 = std::max(radius2, way.squaredNorm() - along * along);
    }
  constexpr double rounding = 1e-7;  // relative to the disc's size: root of the rounding of a difference of squares
  const double radius = std::sqrt(radius2);
  disc.radius = radius + rounding * (radius + thickness);
  disc.thickness = thickness + rounding * (radius + thickness);
  return disc;
}

/// The solid angle of a triangle seen from x. Source: Van Oosterom & Strackee 1983
double solid_angle(const Corners& t, const Vec3& x) {
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

}  // namespace

TriangleTree::TriangleTree(const TriangleMesh& mesh) : n_triangles_(static_cast<std::int64_t>(mesh.triangles.size())) {
  FRESHET_EXPECT(!mesh.triangles.empty());
  while (n_triangles_ > most_in_leaf << depth_) ++depth_;
  FRESHET_ASSERT(depth_ < deepest);
  const std::vector<Corners> triangles = sorted_triangles(mesh);
  fill_leaves(triangles);
  fit_bounds();
  fit_dipoles();
  fit_discs(triangles);
}

Box TriangleTree::bounds() const {
  return {bounds_.front().min(), bounds_.front().max()};
}

/// Index of the first triangle of a node. The triangles of a node end where those of the next node of its level begin.
std::int64_t TriangleTree::first_triangle(std::int64_t node, int level) const {
  return (node - first_node(level)) * n_triangles_ >> level;
}

int TriangleTree::n_in_leaf(std::int64_t leaf) const {
  const std::int64_t node = first_node(depth_) + leaf;
  return static_cast<int>(first_triangle(node + 1, depth_) - first_triangle(node, depth_));
}

/// The triangles in the order of the leaves.
std::vector<Corners> TriangleTree::sorted_triangles(const TriangleMesh& mesh) const {
  const std::int64_t n = n_triangles_;
  struct Item {
    Vec3 center;
    std::int32_t triangle;
  };
  const auto corner = [&](std::int32_t t, std::size_t i) -> const Vec3& {
    return mesh.points[static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(t)][i])];
  };
  std::vector<Item> items(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < n; ++m) {
    const auto t = static_cast<std::int32_t>(m);
    const Vec3 center = (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0;
    items[static_cast<std::size_t>(m)] = {center, t};
  }
  for (int level = 0; level < depth_; ++level) {
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t node = first_node(level); node < first_node(level + 1); ++node) {
      const auto begin = items.begin() + first_triangle(node, level);
      const auto middle = items.begin() + first_triangle(2 * node + 2, level + 1);
      const auto end = items.begin() + first_triangle(node + 1, level);
      Eigen::AlignedBox3d box;
      for (auto item = begin; item != end; ++item) box.extend(item->center);
      int axis = 0;
      box.sizes().maxCoeff(&axis);
      std::nth_element(begin, middle, end, [axis](const Item& a, const Item& b) {
        return a.center[axis] < b.center[axis] || (a.center[axis] == b.center[axis] && a.triangle < b.triangle);
      });
    }
  }
  std::vector<Corners> sorted(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
  for (std::int64_t t = 0; t < n; ++t) {
    const std::int32_t from = items[static_cast<std::size_t>(t)].triangle;
    sorted[static_cast<std::size_t>(t)] = {corner(from, 0), corner(from, 1), corner(from, 2)};
  }
  return sorted;
}

void TriangleTree::fill_leaves(const std::vector<Corners>& triangles) {
  leaves_.resize(std::size_t{1} << depth_);
#pragma omp parallel for schedule(static)
  for (std::int64_t leaf = 0; leaf < std::int64_t{1} << depth_; ++leaf) {
    const std::int64_t first = first_triangle(first_node(depth_) + leaf, depth_);
    const int n = n_in_leaf(leaf);
    for (int lane = 0; lane < group_size; ++lane)
      leaves_[static_cast<std::size_t>(leaf)].set(lane,
                                                  triangles[static_cast<std::size_t>(first + std::min(lane, n - 1))]);
  }
}

void TriangleTree::fit_bounds() {
  bounds_.resize(static_cast<std::size_t>(first_node(depth_ + 1)));
  for (int level = depth_; level >= 0; --level) {
#pragma omp parallel for schedule(static)
    for (std::int64_t node = first_node(level); node < first_node(level + 1); ++node) {
      const auto n = static_cast<std::size_t>(node);
      if (level < depth_) {
        bounds_[n] = bounds_[2 * n + 1].merged(bounds_[2 * n + 2]);
        continue;
      }
      const std::int64_t leaf = node - first_node(level);
      for (int lane = 0; lane < n_in_leaf(leaf); ++lane) {
        const Corners c = leaves_[static_cast<std::size_t>(leaf)].get(lane);
        bounds_[n].extend(c.a).extend(c.b).extend(c.c);
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
        const TriangleGroup& leaf = leaves_[static_cast<std::size_t>(node - first_node(level))];
        for (int lane = 0; lane < n_in_leaf(node - first_node(level)); ++lane) {
          const Corners c = leaf.get(lane);
          const Vec3 vector_area = (c.b - c.a).cross(c.c - c.a) / 2.0;
          add(vector_area, (c.a + c.b + c.c) / 3.0, vector_area.norm());
        }
      }
      const Eigen::AlignedBox3d& box = bounds_[n];
      // If all areas underflow, the middle is good enough.
      dipole.center = area > 0.0 ? Vec3(dipole.center / area) : Vec3(0.5 * (box.min() + box.max()));
      double reach2 = 0.0;
      for (int d = 0; d < 3; ++d) {
        const double way = std::max(dipole.center[d] - box.min()[d], box.max()[d] - dipole.center[d]);
        reach2 += way * way;
      }
      dipole.reach2 = accuracy * accuracy * reach2;
      dipoles_[n] = dipole;
      areas[n] = area;
    }
  }
}

/// Make discs around the nodes of the levels that a search visits: the leaves' level less multiples of the stride.
void TriangleTree::fit_discs(const std::vector<Corners>& triangles) {
  const int top = depth_ % stride;
  if (depth_ >= stride) discs_.resize(static_cast<std::size_t>(first_node(depth_ - stride + 1)));
  for (int level = top + stride; level <= depth_; level += stride) {
#pragma omp parallel for schedule(static)
    for (std::int64_t parent = first_node(level - stride); parent < first_node(level - stride + 1); ++parent)
      for (int lane = 0; lane < group_size; ++lane) {
        const std::int64_t node = group_size * parent + group_size - 1 + lane;
        const auto first = static_cast<std::size_t>(first_triangle(node, level));
        const auto end = static_cast<std::size_t>(first_triangle(node + 1, level));
        discs_[static_cast<std::size_t>(parent)].set(lane,
                                                     disc_around(std::span(triangles).subspan(first, end - first)));
      }
  }
}

NearestTriangle TriangleTree::nearest(const Vec3& x, std::int64_t guess) const {
  struct Visit {
    std::int64_t node;
    double distance2;  ///< squared distance to the node's disc [m^2]
  };
  NearestTriangle best{guess, std::numeric_limits<double>::infinity()};
  const std::int64_t first_leaf = first_node(depth_);
  const auto visit_leaf = [&](std::int64_t leaf) {
    const SquaredDistances distances2 = leaves_[static_cast<std::size_t>(leaf)].distances2(x);
    const auto least = std::min_element(distances2.begin(), distances2.end());
    if (*least < best.distance2) best = {group_size * leaf + (least - distances2.begin()), *least};
  };
  visit_leaf(guess / group_size);
  Visit stack[4 + (group_size - 1) * deepest / stride];
  int size = 0;
  const int top = depth_ % stride;
  for (std::int64_t node = first_node(top); node < first_node(top + 1); ++node) stack[size++] = {node, 0.0};
  while (size > 0) {
    const Visit now = stack[--size];
    if (now.distance2 >= best.distance2) continue;
    if (now.node >= first_leaf) {
      if (now.node - first_leaf != guess / group_size) visit_leaf(now.node - first_leaf);
      continue;
    }
    const SquaredDistances distances2 = discs_[static_cast<std::size_t>(now.node)].distances2(x);
    const int before = size;
    for (int lane = 0; lane < group_size; ++lane) {  // the nearest disc ends up on top
      const double its = distances2[static_cast<std::size_t>(lane)];
      if (its >= best.distance2) continue;
      int at = size++;
      for (; at > before && stack[at - 1].distance2 < its; --at) stack[at] = stack[at - 1];
      stack[at] = {group_size * now.node + group_size - 1 + lane, its};
    }
  }
  return best;
}

double TriangleTree::winding_number(const Vec3& x) const {
  double sum = 0.0;  // sum of solid angles
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
      const std::int64_t leaf = node - first_leaf;
      for (int lane = 0; lane < n_in_leaf(leaf); ++lane)
        sum += solid_angle(leaves_[static_cast<std::size_t>(leaf)].get(lane), x);
    }
  }
  return sum / (4.0 * std::numbers::pi);
}

}  // namespace freshet
