// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/types.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "freshet/parallel/sparse_exchange.hpp"
#include "mesh_owners.hpp"

#include <Eigen/Geometry>
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
  for (const Parcel<T>& parcel : exchange(comm, out))  // parcels come in order of rank
    values.insert(values.end(), parcel.items.begin(), parcel.items.end());
}

using Triangle = std::array<std::size_t, 3>;

/// Mark the vertices on edges that have one triangle: such an edge is a side in one direction only.
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

/// Edge collapses on the triangles of one rank.
class Decimation {
 public:
  /// \param[in] locked  vertices that stay; those on open edges stay as well
  Decimation(std::vector<Vec3> x, std::vector<Triangle> triangles, const std::vector<bool>& locked)
      : x_(std::move(x)),
        triangles_(std::move(triangles)),
        alive_(triangles_.size(), true),
        around_(x_.size()),
        locked_(on_open_edges(triangles_, x_.size())),
        version_(x_.size(), 0),
        quadric_(x_.size(), Eigen::Matrix4d::Zero()) {
    for (std::size_t v = 0; v < x_.size(); ++v)
      if (locked[v]) locked_[v] = true;
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

  const std::vector<Vec3>& positions() const { return x_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  bool is_left(std::size_t t) const { return alive_[t]; }

 private:
  struct Offer {
    double cost;
    std::size_t a, b;
    std::int64_t version;
    Vec3 x;
    bool operator<(const Offer& other) const {  // the cheapest offer is on top
      return cost != other.cost ? cost > other.cost : std::pair(a, b) > std::pair(other.a, other.b);
    }
  };

  Eigen::Matrix4d plane(const Triangle& t) const {
    const Vec3 area = 0.5 * (x_[t[1]] - x_[t[0]]).cross(x_[t[2]] - x_[t[0]]);
    const double size = area.norm();
    if (size <= 0.0) return Eigen::Matrix4d::Zero();
    const Vec3 normal = area / size;
    const Eigen::Vector4d p(normal.x(), normal.y(), normal.z(), -area.dot(x_[t[0]]) / size);
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
    // where the surface is flat, shorter edges go first
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
    if (common.size() != 2 || a.size() + b.size() < 8) return false;  // with fewer neighbours a tetrahedron would fold
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

  /// Merge vertex b into a. \return number of triangles removed
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
  std::vector<std::int64_t> version_;  ///< number of collapses at each vertex: it tells which offers are stale
  std::vector<Eigen::Matrix4d> quadric_;
  std::priority_queue<Offer> queue_;
};

/// Decimates a mesh that is spread over ranks: first the interior of each rank, then the seams between ranks.
class SpreadDecimation {
 public:
  SpreadDecimation(const Communicator& comm, double part, SurfaceMesh& mesh)
      : comm_(comm),
        part_(part),
        wanted_(static_cast<GlobalIndex>(part * static_cast<double>(mesh.n_triangles))),
        mesh_(mesh),
        owners_(comm, mesh) {}

  void run() {
    find_shared();
    decimate_own();
    if (comm_.size() > 1) decimate_seams();
    mesh_.n_triangles = comm_.sum(static_cast<GlobalIndex>(mesh_.triangles.size()));
    set_normals();
    remove_unused_vertices(comm_, mesh_);
  }

 private:
  using Point = std::array<float, 3>;

  /// Mark the vertices that triangles of several ranks name.
  void find_shared() {
    std::vector<std::int64_t> n_ranks(owners_.n_places(), 0);
    for (const auto& t : mesh_.triangles)
      for (const std::int64_t v : t) n_ranks[owners_.place(v)] = 1;
    const auto n_own = static_cast<std::size_t>(owners_.n_own());
    const std::vector<std::int64_t> remote(n_ranks.size() - n_own, 1);
    n_ranks.resize(n_own);
    for (const auto& [v, count] : owners_.send_to_owners(remote))
      n_ranks[static_cast<std::size_t>(v - owners_.first())] += count;
    const std::vector<std::int64_t> of_remote = owners_.fetch(n_ranks);
    n_ranks.insert(n_ranks.end(), of_remote.begin(), of_remote.end());
    for (const std::int64_t n : n_ranks) shared_.push_back(n > 1);
  }

  std::vector<Vec3> all_positions() const {
    std::vector<Vec3> x;
    for (const Point& p : mesh_.positions) x.emplace_back(p[0], p[1], p[2]);
    for (const Point& p : owners_.fetch(mesh_.positions)) x.emplace_back(p[0], p[1], p[2]);
    return x;
  }
  static Point to_point(const Vec3& x) {
    return {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])};
  }
  Triangle places_of(const std::array<std::int64_t, 3>& t) const {
    return {owners_.place(t[0]), owners_.place(t[1]), owners_.place(t[2])};
  }
  std::int64_t number_of(std::size_t place) const {
    const auto n_own = static_cast<std::size_t>(owners_.n_own());
    return place < n_own ? owners_.first() + static_cast<std::int64_t>(place) : owners_.remote()[place - n_own];
  }

  /// Collapse edges between vertices that only triangles of this rank name.
  void decimate_own() {
    std::vector<Triangle> triangles;
    for (const auto& t : mesh_.triangles) triangles.push_back(places_of(t));
    const auto at_seam = std::count_if(triangles.begin(), triangles.end(), [&](const Triangle& t) {
      return shared_[t[0]] || shared_[t[1]] || shared_[t[2]];
    });
    const double n_inside = static_cast<double>(triangles.size()) - static_cast<double>(at_seam);
    const auto wanted = static_cast<std::size_t>(at_seam) + static_cast<std::size_t>(part_ * n_inside);
    Decimation decimation(all_positions(), std::move(triangles), shared_);
    decimation.run(wanted);
    const auto n_own = static_cast<std::size_t>(owners_.n_own());
    std::vector<Point> remote;
    for (std::size_t p = n_own; p < owners_.n_places(); ++p) remote.push_back(to_point(decimation.positions()[p]));
    // own vertices that only other ranks name have not moved here; shared vertices have not moved on any rank
    for (std::size_t p = 0; p < n_own; ++p) mesh_.positions[p] = to_point(decimation.positions()[p]);
    for (const auto& [v, x] : owners_.send_to_owners(remote))
      mesh_.positions[static_cast<std::size_t>(v - owners_.first())] = x;
    mesh_.triangles.clear();
    for (std::size_t t = 0; t < decimation.triangles().size(); ++t)
      if (decimation.is_left(t)) {
        const Triangle& places = decimation.triangles()[t];
        mesh_.triangles.push_back({number_of(places[0]), number_of(places[1]), number_of(places[2])});
      }
  }

  struct SeamTriangle {
    std::array<std::int64_t, 3> vertices;
    std::array<Point, 3> x;
    std::array<std::int32_t, 3> stays;  ///< whether triangles outside the seam's band name the vertex
  };
  struct Moved {
    std::int64_t vertex;
    Point x;
  };

  /// Collapse edges in a band of a few rings of triangles along the seams, on rank 0. The bands lie along lines on the
  /// surface, so they are few beside the triangles of a large mesh.
  void decimate_seams() {
    constexpr int rings = 4;
    std::vector<bool> in_band = shared_;
    std::vector<Triangle> triangles;
    for (const auto& t : mesh_.triangles) triangles.push_back(places_of(t));
    const auto touches = [&](const Triangle& t) { return in_band[t[0]] || in_band[t[1]] || in_band[t[2]]; };
    for (int ring = 1; ring < rings; ++ring) {
      std::vector<bool> larger = in_band;
      for (const Triangle& t : triangles)
        if (touches(t)) larger[t[0]] = larger[t[1]] = larger[t[2]] = true;
      in_band.swap(larger);
    }
    std::vector<std::int32_t> stays(owners_.n_places(), 0);
    for (const Triangle& t : triangles)
      if (!touches(t)) stays[t[0]] = stays[t[1]] = stays[t[2]] = 1;
    const std::vector<Vec3> x = all_positions();
    std::vector<Parcel<SeamTriangle>> out(1);
    std::size_t kept = 0;
    for (std::size_t m = 0; m < triangles.size(); ++m) {
      const Triangle& t = triangles[m];
      if (touches(t))
        out[0].items.push_back({mesh_.triangles[m],
                                {to_point(x[t[0]]), to_point(x[t[1]]), to_point(x[t[2]])},
                                {stays[t[0]], stays[t[1]], stays[t[2]]}});
      else
        mesh_.triangles[kept++] = mesh_.triangles[m];
    }
    mesh_.triangles.resize(kept);
    const auto n_beyond = comm_.sum(static_cast<GlobalIndex>(kept));
    if (out[0].items.empty()) out.clear();
    const std::vector<Parcel<SeamTriangle>> seams = exchange(comm_, out);
    std::vector<Parcel<std::array<std::int64_t, 3>>> back;
    std::vector<Parcel<Moved>> moved;
    if (comm_.is_root()) join_seams(seams, std::max(wanted_ - n_beyond, GlobalIndex{0}), back, moved);
    for (const auto& parcel : exchange(comm_, back))
      mesh_.triangles.insert(mesh_.triangles.end(), parcel.items.begin(), parcel.items.end());
    for (const Parcel<Moved>& parcel : exchange(comm_, moved))
      for (const Moved& item : parcel.items)
        mesh_.positions[static_cast<std::size_t>(item.vertex - owners_.first())] = item.x;
  }

  /// Decimate the bands of all ranks: the triangles that are left go back to the rank from which they came, the new
  /// positions to the owners of the vertices.
  void join_seams(const std::vector<Parcel<SeamTriangle>>& seams, GlobalIndex wanted,
                  std::vector<Parcel<std::array<std::int64_t, 3>>>& back, std::vector<Parcel<Moved>>& moved) const {
    std::vector<std::int64_t> numbers;
    for (const Parcel<SeamTriangle>& parcel : seams)
      for (const SeamTriangle& t : parcel.items) numbers.insert(numbers.end(), t.vertices.begin(), t.vertices.end());
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<Vec3> x(numbers.size());
    std::vector<bool> stays(numbers.size(), false);
    std::vector<Triangle> triangles;
    for (const Parcel<SeamTriangle>& parcel : seams)
      for (const SeamTriangle& t : parcel.items) {
        Triangle& places = triangles.emplace_back();
        for (std::size_t m = 0; m < 3; ++m) {
          const auto found = std::lower_bound(numbers.begin(), numbers.end(), t.vertices[m]);
          places[m] = static_cast<std::size_t>(found - numbers.begin());
          x[places[m]] = Vec3(t.x[m][0], t.x[m][1], t.x[m][2]);
          if (t.stays[m] != 0) stays[places[m]] = true;
        }
      }
    Decimation decimation(std::move(x), std::move(triangles), stays);
    decimation.run(static_cast<std::size_t>(wanted));
    std::size_t t = 0;
    for (const Parcel<SeamTriangle>& parcel : seams) {
      back.push_back({parcel.rank, {}});
      for (std::size_t m = 0; m < parcel.items.size(); ++m, ++t) {
        const Triangle& places = decimation.triangles()[t];
        if (decimation.is_left(t))
          back.back().items.push_back({numbers[places[0]], numbers[places[1]], numbers[places[2]]});
      }
    }
    for (std::size_t v = 0; v < numbers.size(); ++v) {  // the numbers of one owner follow each other
      const int rank = owners_.owner(numbers[v]);
      if (moved.empty() || moved.back().rank != rank) moved.push_back({rank, {}});
      moved.back().items.push_back({numbers[v], to_point(decimation.positions()[v])});
    }
  }

  /// Set the normals of vertices: the directions of the sums of their triangles' vector areas.
  void set_normals() {
    if (comm_.all(mesh_.normals.empty())) return;
    const meshing::MeshOwners owners(comm_, mesh_);
    std::vector<Vec3> x;
    for (const Point& p : mesh_.positions) x.emplace_back(p[0], p[1], p[2]);
    for (const Point& p : owners.fetch(mesh_.positions)) x.emplace_back(p[0], p[1], p[2]);
    std::vector<std::array<double, 3>> areas(x.size(), std::array<double, 3>{});
    for (const auto& t : mesh_.triangles) {
      const Triangle places = {owners.place(t[0]), owners.place(t[1]), owners.place(t[2])};
      const Vec3 area = (x[places[1]] - x[places[0]]).cross(x[places[2]] - x[places[0]]);
      for (const std::size_t v : places)
        for (std::size_t d = 0; d < 3; ++d) areas[v][d] += area[static_cast<int>(d)];
    }
    const auto n_own = static_cast<std::ptrdiff_t>(owners.n_own());
    const std::vector<std::array<double, 3>> remote(areas.begin() + n_own, areas.end());
    for (const auto& [v, area] : owners.send_to_owners(remote))
      for (std::size_t d = 0; d < 3; ++d) areas[static_cast<std::size_t>(v - owners.first())][d] += area[d];
    for (std::size_t v = 0; v < mesh_.normals.size(); ++v) {
      const Vec3 area(areas[v][0], areas[v][1], areas[v][2]);
      if (area.norm() > 0.0) mesh_.normals[v] = to_point(area.normalized());
    }
  }

  const Communicator& comm_;
  double part_;
  GlobalIndex wanted_;  ///< number of triangles of all ranks that shall be left
  SurfaceMesh& mesh_;
  meshing::MeshOwners owners_;  ///< owners of the vertices before anything is collapsed
  std::vector<bool> shared_;    ///< for each place, whether triangles of several ranks name the vertex
};

}  // namespace

void gather_mesh(const Communicator& comm, SurfaceMesh& mesh) {
  gather(comm, mesh.positions);
  gather(comm, mesh.normals);
  gather(comm, mesh.triangles);
  for (SurfaceMesh::Attribute& a : mesh.attributes) gather(comm, a.values);
  mesh.first_vertex = comm.is_root() ? 0 : mesh.n_vertices;
}

void decimate_mesh(const Communicator& comm, double part, SurfaceMesh& mesh) {
  SpreadDecimation(comm, part, mesh).run();
}

}  // namespace freshet
