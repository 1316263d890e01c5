// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/triangle_mesh.hpp"
#include "mesh_reader.hpp"
#include "mesh_repair.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace freshet {
namespace {

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

/// Merge points of equal coordinates, and leave out points that no triangle has.
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

/// Twice the vector area of a triangle. [m^2]
Vec3 area_vector(const TriangleMesh& mesh, const Triangle& t) {
  const Vec3& a = mesh.points[static_cast<std::size_t>(t[0])];
  return (mesh.points[static_cast<std::size_t>(t[1])] - a).cross(mesh.points[static_cast<std::size_t>(t[2])] - a);
}

/// Whether a triangle is a point or a line up to rounding.
bool has_no_area(const TriangleMesh& mesh, const Triangle& t) {
  constexpr double least_height = 1e-12;  // height over the longest edge: a few thousand times the rounding of its area
  double longest2 = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 edge =
        mesh.points[static_cast<std::size_t>(t[(i + 1) % 3])] - mesh.points[static_cast<std::size_t>(t[i])];
    longest2 = std::max(longest2, edge.squaredNorm());
  }
  return !(area_vector(mesh, t).norm() > least_height * longest2);
}

/// Close each loop of the boundary by one cone, whose inner sides cancel.
void close_holes(TriangleMesh& mesh, const std::vector<OpenEdge>& open, MeshRepairs& repairs) {
  if (open.empty()) return;
  for (const Triangle& t : mesh.triangles) repairs.own_area += area_vector(mesh, t).norm() / 2.0;
  for (const std::vector<std::int32_t>& loop : boundary_loops(mesh, open)) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t point : loop) sum += mesh.points[static_cast<std::size_t>(point)];
    const auto top = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.emplace_back(sum / static_cast<double>(loop.size()));
    double area = 0.0, perimeter = 0.0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      mesh.triangles.push_back({loop[(i + 1) % loop.size()], loop[i], top});
      area += area_vector(mesh, mesh.triangles.back()).norm() / 2.0;
      perimeter += (mesh.points[static_cast<std::size_t>(loop[(i + 1) % loop.size()])] -
                    mesh.points[static_cast<std::size_t>(loop[i])])
                       .norm();
    }
    repairs.cap_area += area;
    if (perimeter > 0.0) repairs.widest_hole = std::max(repairs.widest_hole, 4.0 * area / perimeter);
    repairs.open_edges += static_cast<std::int64_t>(loop.size());
    ++repairs.holes;
  }
}

/// Turn triangles that show their other side, which have edges that both triangles run along in one direction. \return
/// the open edges afterwards
std::vector<OpenEdge> open_edges_of_one_side(TriangleMesh& mesh, MeshRepairs& repairs) {
  std::vector<OpenEdge> open = find_open_edges(mesh);
  if (std::ranges::none_of(open, [](const OpenEdge& edge) { return edge.times == 2; })) return open;
  const std::int64_t n_turned = turn_to_neighbours(mesh);
  repairs.turned += n_turned;
  return n_turned > 0 ? find_open_edges(mesh) : open;
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
  double bound = 0.0;  // upper bound of the volume that so much surface encloses
  for (const Triangle& t : mesh.triangles) {
    const Vec3 area = area_vector(mesh, t) / 2.0;
    const Vec3 from_middle = mesh.points[static_cast<std::size_t>(t[0])] - middle;
    volume[static_cast<std::size_t>(groups.find(t[0]))] += area.dot(from_middle) / 3.0;
    bound += area.norm() * from_middle.norm() / 3.0;
  }
  double sum = 0.0;
  for (const double part : volume) sum += std::abs(part);
  constexpr double rounding = 1e-12;  // rounding of sums of millions of terms of either sign
  return sum > rounding * bound;
}

}  // namespace

MeshRepairs close_mesh(TriangleMesh& mesh, const std::string& name) {
  MeshRepairs repairs;
  const std::size_t n_given = mesh.triangles.size();
  weld_points(mesh);
  std::erase_if(mesh.triangles, has_repeated_corner);
  std::vector<OpenEdge> open = open_edges_of_one_side(mesh, repairs);
  repairs.stitched = stitch_cracks(mesh, open);
  if (repairs.stitched > 0) {
    weld_points(mesh);  // leaves out points that have no triangle any more
    open = open_edges_of_one_side(mesh, repairs);
  }
  const auto flat = std::count_if(mesh.triangles.begin(), mesh.triangles.end(),
                                  [&](const Triangle& t) { return has_no_area(mesh, t); });
  repairs.without_area = static_cast<std::int64_t>(n_given - mesh.triangles.size()) + flat;
  // Triangles without area still join their neighbours here: leaving them out first would tear the mesh open.
  close_holes(mesh, open, repairs);
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
