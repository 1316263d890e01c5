// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/types.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "freshet/surface/mesh_tools.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

namespace freshet {
namespace {

template <class T>
void gather(const Communicator& comm, std::vector<T>& values) {
  std::vector<Parcel<T>> out;
  if (!values.empty()) out.push_back({0, std::move(values)});
  values.clear();
  for (const Parcel<T>& parcel : exchange(comm, out))  // in order of rank
    values.insert(values.end(), parcel.items.begin(), parcel.items.end());
}

std::vector<Vec3> positions_of(const SurfaceMesh& mesh) {
  std::vector<Vec3> x;
  for (const auto& p : mesh.positions) x.emplace_back(p[0], p[1], p[2]);
  return x;
}

void set_positions(const std::vector<Vec3>& x, SurfaceMesh& mesh) {
  for (std::size_t v = 0; v < x.size(); ++v)
    for (std::size_t d = 0; d < 3; ++d) mesh.positions[v][d] = static_cast<float>(x[v][static_cast<int>(d)]);
}

using Triangle = std::array<std::size_t, 3>;

std::vector<Triangle> triangles_of(const SurfaceMesh& mesh) {
  std::vector<Triangle> triangles;
  for (const auto& t : mesh.triangles)
    triangles.push_back(
        {static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]), static_cast<std::size_t>(t[2])});
  return triangles;
}

/// Marks the vertices on edges with one triangle: what runs into them along an edge and what leaves them differ.
std::vector<bool> on_open_edges(const std::vector<Triangle>& triangles, std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> sides, open;
  for (const Triangle& t : triangles)
    for (std::size_t m = 0; m < 3; ++m) sides.emplace_back(t[m], t[(m + 1) % 3]);
  std::sort(sides.begin(), sides.end());
  std::vector<bool> marked(n, false);
  for (const auto& [a, b] : sides)
    if (!std::binary_search(sides.begin(), sides.end(), std::pair(b, a))) marked[a] = marked[b] = true;
  return marked;
}

/// Vector areas around each vertex, a third of each triangle. [m^2]
std::vector<Vec3> areas_of(const std::vector<Vec3>& x, const std::vector<Triangle>& triangles) {
  std::vector<Vec3> areas(x.size(), Vec3::Zero());
  for (const Triangle& t : triangles)
    for (const std::size_t v : t) areas[v] += (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]) / 6.0;
  return areas;
}

void set_normals(const std::vector<Vec3>& areas, SurfaceMesh& mesh) {
  for (std::size_t v = 0; v < mesh.normals.size(); ++v)
    if (areas[v].norm() > 0.0)
      for (std::size_t d = 0; d < 3; ++d)
        mesh.normals[v][d] = static_cast<float>(areas[v].normalized()[static_cast<int>(d)]);
}

/// Edge collapses on a mesh of one rank.
class Decimation {
 public:
  explicit Decimation(const SurfaceMesh& mesh)
      : x_(positions_of(mesh)),
        triangles_(triangles_of(mesh)),
        alive_(triangles_.size(), true),
        around_(x_.size()),
        locked_(on_open_edges(triangles_, x_.size())),
        version_(x_.size(), 0),
        quadric_(x_.size(), Eigen::Matrix4d::Zero()) {
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const Eigen::Matrix4d q = plane(triangles_[t]);
      for (const std::size_t v : triangles_[t]) {
        around_[v].push_back(t);
        quadric_[v] += q;
      }
    }
    for (const Triangle& t : triangles_)
      for (std::size_t m = 0; m < 3; ++m)
        if (t[m] < t[(m + 1) % 3]) offer(t[m], t[(m + 1) % 3]);
  }

  void run(std::size_t wanted) {
    std::size_t n = triangles_.size();
    while (n > wanted && !queue_.empty()) {
      const Offer offer = queue_.top();
      queue_.pop();
      if (offer.version != version_[offer.a] + version_[offer.b] || !may_go(offer)) continue;
      n -= collapse(offer);
    }
  }

  void write_to(SurfaceMesh& mesh) const {
    set_positions(x_, mesh);
    mesh.triangles.clear();
    std::vector<Triangle> left;
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      if (alive_[t]) left.push_back(triangles_[t]);
    for (const Triangle& t : left)
      mesh.triangles.push_back(
          {static_cast<std::int64_t>(t[0]), static_cast<std::int64_t>(t[1]), static_cast<std::int64_t>(t[2])});
    set_normals(areas_of(x_, left), mesh);
  }

 private:
  struct Offer {
    double cost;
    std::size_t a, b;
    std::int64_t version;
    Vec3 x;
    bool operator<(const Offer& other) const {  // the cheapest stands on top
      return cost != other.cost ? cost > other.cost : std::pair(a, b) > std::pair(other.a, other.b);
    }
  };

  Eigen::Matrix4d plane(const Triangle& t) const {
    const Vec3 area = 0.5 * (x_[t[1]] - x_[t[0]]).cross(x_[t[2]] - x_[t[0]]);
    const double size = area.norm();
    if (size <= 0.0) return Eigen::Matrix4d::Zero();
    Eigen::Vector4d p;
    p << area / size, -area.dot(x_[t[0]]) / size;
    return size * p * p.transpose();
  }

  void offer(std::size_t a, std::size_t b) {
    if (locked_[a] || locked_[b]) return;
    const Eigen::Matrix4d q = quadric_[a] + quadric_[b];
    const auto cost = [&](const Vec3& x) {
      const Eigen::Vector4d p(x.x(), x.y(), x.z(), 1.0);
      return p.dot(q * p);
    };
    Vec3 best = 0.5 * (x_[a] + x_[b]);
    const double length = (x_[a] - x_[b]).norm();
    const Eigen::Matrix3d m = q.topLeftCorner<3, 3>();
    const double scale = m.trace() / 3.0;
    if (scale > 0.0 && m.determinant() > 1e-3 * scale * scale * scale) {
      const Vec3 optimum = m.inverse() * (-q.topRightCorner<3, 1>());
      if ((optimum - best).norm() < length) best = optimum;
    }
    // on flat ground shorter edges go first
    queue_.push({cost(best) + 1e-6 * scale * length * length, a, b, version_[a] + version_[b], best});
  }

  std::set<std::size_t> neighbours(std::size_t v) const {
    std::set<std::size_t> result;
    for (const std::size_t t : around_[v])
      for (const std::size_t w : triangles_[t])
        if (w != v) result.insert(w);
    return result;
  }

  bool may_go(const Offer& offer) const {
    const std::set<std::size_t> a = neighbours(offer.a), b = neighbours(offer.b);
    if (b.count(offer.a) == 0) return false;
    std::vector<std::size_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    if (common.size() != 2 || a.size() + b.size() < 8) return false;  // fewer: a tetrahedron would fold
    for (const std::size_t v : common)
      if (around_[v].size() <= 3) return false;
    return !turns_over(offer.a, offer.b, offer.x) && !turns_over(offer.b, offer.a, offer.x);
  }

  /// Whether a triangle at a vertex that stays would turn by more than 60 degrees.
  bool turns_over(std::size_t v, std::size_t other, const Vec3& x) const {
    for (const std::size_t t : around_[v]) {
      const Triangle& triangle = triangles_[t];
      if (std::find(triangle.begin(), triangle.end(), other) != triangle.end()) continue;
      std::array<Vec3, 3> p;
      for (std::size_t m = 0; m < 3; ++m) p[m] = triangle[m] == v ? x : x_[triangle[m]];
      const Vec3 after = (p[1] - p[0]).cross(p[2] - p[0]);
      const Vec3 before = (x_[triangle[1]] - x_[triangle[0]]).cross(x_[triangle[2]] - x_[triangle[0]]);
      if (after.dot(before) <= 0.5 * after.norm() * before.norm()) return true;
    }
    return false;
  }

  /// Vertex b becomes a. \return triangles that are gone
  std::size_t collapse(const Offer& offer) {
    const std::size_t a = offer.a, b = offer.b;
    std::size_t gone = 0;
    for (const std::size_t t : around_[b]) {
      Triangle& triangle = triangles_[t];
      if (std::find(triangle.begin(), triangle.end(), a) != triangle.end()) {
        alive_[t] = false;
        ++gone;
        for (const std::size_t v : triangle)
          if (v != b) std::erase(around_[v], t);
      } else {
        std::replace(triangle.begin(), triangle.end(), b, a);
        around_[a].push_back(t);
      }
    }
    around_[b].clear();
    x_[a] = offer.x;
    quadric_[a] += quadric_[b];
    version_[b] = -1'000'000'000;
    ++version_[a];
    for (const std::size_t v : neighbours(a)) this->offer(std::min(a, v), std::max(a, v));
    return gone;
  }

  std::vector<Vec3> x_;
  std::vector<Triangle> triangles_;
  std::vector<bool> alive_;
  std::vector<std::vector<std::size_t>> around_;  ///< the triangles of each vertex
  std::vector<bool> locked_;
  std::vector<std::int64_t> version_;  ///< an offer is stale when those of its ends have changed
  std::vector<Eigen::Matrix4d> quadric_;
  std::priority_queue<Offer> queue_;
};

}  // namespace

void gather_mesh(const Communicator& comm, SurfaceMesh& mesh) {
  gather(comm, mesh.positions);
  gather(comm, mesh.normals);
  gather(comm, mesh.triangles);
  for (SurfaceMesh::Attribute& a : mesh.attributes) gather(comm, a.values);
  mesh.first_vertex = comm.is_root() ? 0 : mesh.n_vertices;
}

double memory_of_decimation(const SurfaceMesh& mesh) {
  double vertex = 0.0;  // attributes, of the mesh and on their journey
  for (const SurfaceMesh::Attribute& a : mesh.attributes) vertex += 8.0 * a.components;
  vertex += 48.0 + 24.0 + 24.0 + 6 * 8.0 + 16.0 + 8.0 + 128.0;  // places and normals, and what Decimation knows of it
  vertex += 2.0 * 3.0 * 64.0;  // three edges are offered for each, and about as often again after collapses
  const double triangle = 48.0 + 24.0;
  return vertex * static_cast<double>(mesh.n_vertices) + triangle * static_cast<double>(mesh.n_triangles);
}

void decimate_mesh(double part, SurfaceMesh& mesh) {
  Decimation decimation(mesh);
  decimation.run(static_cast<std::size_t>(part * static_cast<double>(mesh.triangles.size())));
  decimation.write_to(mesh);
}

}  // namespace freshet
