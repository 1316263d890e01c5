// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "mesh_text.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace freshet {
namespace {

/// A directed edge that triangles have so many times more often than the one back.
struct OpenEdge {
  std::int32_t from;
  std::int32_t to;
  std::int32_t times;
};

class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t find(std::int32_t i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(std::int32_t a, std::int32_t b) { parent(std::max(find(a), find(b))) = std::min(find(a), find(b)); }

 private:
  std::int32_t& parent(std::int32_t i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<std::int32_t> parent_;
};

std::uint64_t hash_of(const Vec3& x) {
  std::uint64_t hash = 0;
  for (int axis = 0; axis < 3; ++axis) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x[axis])) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Give points of equal coordinates one number, and leave out those that no triangle has.
void weld_points(TriangleMesh& mesh) {
  constexpr std::int32_t none = -1;
  const std::size_t n_slots = std::bit_ceil(2 * mesh.points.size() + 1);
  std::vector<std::int32_t> slots(n_slots, none);
  std::vector<Vec3> points;
  std::vector<std::int32_t> number(mesh.points.size(), none);
  const auto weld = [&](std::int32_t old) {
    const Vec3 x = mesh.points[static_cast<std::size_t>(old)] + Vec3::Zero();  // -0 becomes 0
    std::size_t slot = hash_of(x) & (n_slots - 1);
    while (slots[slot] != none && points[static_cast<std::size_t>(slots[slot])] != x) slot = (slot + 1) & (n_slots - 1);
    if (slots[slot] == none) {
      slots[slot] = static_cast<std::int32_t>(points.size());
      points.push_back(x);
    }
    return slots[slot];
  };
  for (Triangle& triangle : mesh.triangles)
    for (std::int32_t& corner : triangle) {
      std::int32_t& now = number[static_cast<std::size_t>(corner)];
      if (now == none) now = weld(corner);
      corner = now;
    }
  mesh.points = std::move(points);
}

bool has_repeated_corner(const Triangle& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// Twice the vector area. [m^2]
Vec3 area_vector(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3& a = mesh.points[static_cast<std::size_t>(t[0])];
  return (mesh.points[static_cast<std::size_t>(t[1])] - a).cross(mesh.points[static_cast<std::size_t>(t[2])] - a);
}

/// Whether it is a point or a line as far as rounding tells.
bool has_no_area(const TriangleMesh& mesh, const Triangle& t) {
  constexpr double least_height = 1e-12;  // over the longest edge: a few thousand times the rounding of its area
  double longest2 = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 edge =
        mesh.points[static_cast<std::size_t>(t[(i + 1) % 3])] - mesh.points[static_cast<std::size_t>(t[i])];
    longest2 = std::max(longest2, edge.squaredNorm());
  }
  return !(area_vector(mesh, t).norm() > least_height * longest2);
}

/// Edges whose two directions do not balance, by their lower point.
std::vector<OpenEdge> find_open_edges(const TriangleMesh& mesh) {
  struct HalfEdge {
    std::int32_t upper;
    std::int32_t sign;  ///< 1: from the lower point to the upper one
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

/// One cone for each connected part of the boundary: as many edges enter each of its points as leave it, so the sides
/// of the cone's triangles cancel.
void close_holes(TriangleMesh& mesh, MeshRepairs& repairs) {
  const std::vector<OpenEdge> open = find_open_edges(mesh);
  if (open.empty()) return;
  Groups groups(mesh.points.size());
  for (const OpenEdge& edge : open) groups.join(edge.from, edge.to);
  std::vector<Vec3> sum(mesh.points.size(), Vec3::Zero());
  std::vector<double> n_edges(mesh.points.size(), 0.0);
  for (const OpenEdge& edge : open) {
    const auto group = static_cast<std::size_t>(groups.find(edge.from));
    sum[group] += edge.times * mesh.points[static_cast<std::size_t>(edge.from)];
    n_edges[group] += edge.times;
  }
  std::vector<std::int32_t> apex(mesh.points.size(), -1);
  for (std::size_t group = 0; group < apex.size(); ++group) {
    if (n_edges[group] == 0.0) continue;
    apex[group] = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.push_back(sum[group] / n_edges[group]);
    ++repairs.holes;
  }
  for (const OpenEdge& edge : open) {
    const std::int32_t top = apex[static_cast<std::size_t>(groups.find(edge.from))];
    for (std::int32_t n = 0; n < edge.times; ++n) mesh.triangles.push_back({edge.to, edge.from, top});
    repairs.open_edges += edge.times;
  }
}

/// Whether any connected part of the closed mesh has a volume.
bool encloses_volume(const TriangleMesh& mesh) {
  Groups groups(mesh.points.size());
  for (const Triangle& t : mesh.triangles) {
    groups.join(t[0], t[1]);
    groups.join(t[1], t[2]);
  }
  const Vec3 middle = mesh.points.front();
  std::vector<double> volume(mesh.points.size(), 0.0);
  double bound = 0.0;  // of the volume that so much surface could enclose
  for (const Triangle& t : mesh.triangles) {
    const Vec3 area = area_vector(mesh, t) / 2.0;
    const Vec3 from_middle = mesh.points[static_cast<std::size_t>(t[0])] - middle;
    volume[static_cast<std::size_t>(groups.find(t[0]))] += area.dot(from_middle) / 3.0;
    bound += area.norm() * from_middle.norm() / 3.0;
  }
  double sum = 0.0;
  for (const double part : volume) sum += std::abs(part);
  constexpr double rounding = 1e-12;  // of sums of millions of terms of either sign
  return sum > rounding * bound;
}

}  // namespace

MeshRepairs close_mesh(TriangleMesh& mesh, const std::string& name) {
  MeshRepairs repairs;
  const std::size_t n_given = mesh.triangles.size();
  weld_points(mesh);
  std::erase_if(mesh.triangles, has_repeated_corner);
  const auto flat = std::count_if(mesh.triangles.begin(), mesh.triangles.end(),
                                  [&](const Triangle& t) { return has_no_area(mesh, t); });
  repairs.without_area = static_cast<std::int64_t>(n_given - mesh.triangles.size()) + flat;
  // Those without area still join their neighbours here: to leave them out first would tear the mesh open.
  close_holes(mesh, repairs);
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return has_no_area(mesh, t); });
  if (mesh.triangles.empty())
    refuse_mesh(name, "the mesh holds no triangle with an area",
                fmt::format("it has {} faces cut into triangles", n_given), "Give a mesh of a body");
  if (!encloses_volume(mesh))
    refuse_mesh(name, "the mesh encloses no volume",
                fmt::format("{} of its edges belong to one triangle only", repairs.open_edges),
                "Give a closed mesh; join the points of triangles that should touch");
  return repairs;
}

}  // namespace freshet
