// SPDX-License-Identifier: Apache-2.0
// Smoothing on all ranks. Each rank moves its own vertices and knows the triangles around them. Before each half round
// it fetches the positions of other ranks' vertices that these triangles name.
#include "freshet/core/exact_sum.hpp"
#include "freshet/core/types.hpp"
#include "freshet/meshing/mesh_tools.hpp"
#include "mesh_owners.hpp"

#include <Eigen/Geometry>

#include <map>

namespace freshet {
namespace {

using meshing::MeshOwners;
using Place = std::array<double, 3>;

/// A triangle and its number over all ranks.
struct Numbered {
  std::int64_t number;
  std::array<std::int64_t, 3> vertices;
};

/// Gather the triangles around this rank's vertices, in the order of their numbers over all ranks: so sums around a
/// vertex have the same bits on any number of ranks. Collective
SurfaceMesh triangles_around(const Communicator& comm, const SurfaceMesh& mesh) {
  const MeshOwners owners(comm, mesh);
  std::int64_t number = comm.exclusive_sum(static_cast<GlobalIndex>(mesh.triangles.size()));
  std::vector<Numbered> here;
  std::map<int, std::vector<Numbered>> away;
  for (const auto& t : mesh.triangles) {
    const Numbered triangle{number++, t};
    std::array<int, 3> ranks{};
    for (std::size_t m = 0; m < 3; ++m) ranks[m] = owners.owner(t[m]);
    std::sort(ranks.begin(), ranks.end());
    const auto end = std::unique(ranks.begin(), ranks.end());
    for (auto rank = ranks.begin(); rank != end; ++rank)
      (*rank == comm.rank() ? here : away[*rank]).push_back(triangle);
  }
  std::vector<Parcel<Numbered>> out;
  for (auto& [rank, triangles] : away) out.push_back({rank, std::move(triangles)});
  for (const Parcel<Numbered>& parcel : exchange(comm, out))
    here.insert(here.end(), parcel.items.begin(), parcel.items.end());
  std::sort(here.begin(), here.end(), [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  SurfaceMesh around;
  around.positions = mesh.positions;
  around.first_vertex = mesh.first_vertex;
  around.n_vertices = mesh.n_vertices;
  for (const Numbered& triangle : here) around.triangles.push_back(triangle.vertices);
  return around;
}

class Smoothing {
 public:
  Smoothing(const Communicator& comm, const SurfaceMesh& mesh)
      : comm_(comm), owners_(comm, mesh), n_own_(mesh.positions.size()) {
    for (const auto& t : mesh.triangles) {
      triangles_.push_back({owners_.place(t[0]), owners_.place(t[1]), owners_.place(t[2])});
      is_first_.push_back(owners_.owns(std::min({t[0], t[1], t[2]})));
    }
    for (const auto& x : mesh.positions) x_.push_back({x[0], x[1], x[2]});
    fetch();
    std::vector<Place> origin;
    if (comm.is_root()) origin.push_back(x_.front());  // rank 0 has the first vertices unless no rank has any
    comm.broadcast(origin);
    origin_ = to_vec(origin.front());
    lock_open_edges();
  }

  /// Move each vertex by a part of the way to the mean of its neighbours.
  void step(double part) {
    std::vector<Vec3> sum(n_own_, Vec3::Zero());
    std::vector<int> n(n_own_, 0);
    for (const auto& t : triangles_)  // in a closed mesh the loop visits each neighbour once
      for (std::size_t m = 0; m < 3; ++m) {
        if (t[m] >= n_own_) continue;
        sum[t[m]] += to_vec(x_[t[(m + 1) % 3]]);
        ++n[t[m]];
      }
    for (std::size_t v = 0; v < n_own_; ++v)
      if (n[v] > 0 && !locked_[v]) add(part * (sum[v] / n[v] - to_vec(x_[v])), x_[v]);
    fetch();
  }

  /// Move vertices along their normals until the mesh encloses a volume (Newton's method).
  void restore(double wanted) {
    for (int round = 0; round < 3; ++round) {
      const std::vector<Vec3> areas = vector_areas();
      ExactSum here;
      for (std::size_t v = 0; v < n_own_; ++v)
        if (!locked_[v]) here.add(areas[v].norm());
      const double area = comm_.sum(here);
      if (!(area > 0.0)) return;
      const double offset = (wanted - volume()) / area;
      for (std::size_t v = 0; v < n_own_; ++v)
        if (!locked_[v] && areas[v].norm() > 0.0) add(offset * areas[v].normalized(), x_[v]);
      fetch();
    }
  }

  double volume() const {
    ExactSum here;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (!is_first_[t]) continue;  // each triangle counts on one rank
      const Vec3 a = to_vec(x_[triangles_[t][0]]) - origin_, b = to_vec(x_[triangles_[t][1]]) - origin_,
                 c = to_vec(x_[triangles_[t][2]]) - origin_;
      here.add(a.dot(b.cross(c)) / 6.0);
    }
    return comm_.sum(here);
  }

  void write_to(SurfaceMesh& mesh) const {
    const std::vector<Vec3> areas = vector_areas();
    for (std::size_t v = 0; v < n_own_; ++v)
      for (std::size_t d = 0; d < 3; ++d) {
        mesh.positions[v][d] = static_cast<float>(x_[v][d]);
        if (!mesh.normals.empty() && areas[v].norm() > 0.0)
          mesh.normals[v][d] = static_cast<float>(areas[v].normalized()[static_cast<int>(d)]);
      }
  }

 private:
  static Vec3 to_vec(const Place& x) { return {x[0], x[1], x[2]}; }
  static void add(const Vec3& displacement, Place& x) {
    for (std::size_t d = 0; d < 3; ++d) x[d] += displacement[static_cast<int>(d)];
  }

  /// Fetch the positions of other ranks' vertices. Collective
  void fetch() {
    x_.resize(n_own_);
    const std::vector<Place> remote = owners_.fetch(x_);
    x_.insert(x_.end(), remote.begin(), remote.end());
  }

  /// Lock vertices on edges with one triangle: they lie on walls.
  void lock_open_edges() {
    std::vector<std::array<std::size_t, 2>> sides;
    for (const auto& t : triangles_)
      for (std::size_t m = 0; m < 3; ++m) sides.push_back({t[m], t[(m + 1) % 3]});
    std::sort(sides.begin(), sides.end());
    locked_.assign(n_own_, false);
    for (const auto& [a, b] : sides) {
      if (a >= n_own_ && b >= n_own_) continue;  // not all triangles of such an edge are on this rank
      if (std::binary_search(sides.begin(), sides.end(), std::array<std::size_t, 2>{b, a})) continue;
      for (const std::size_t v : {a, b})
        if (v < n_own_) locked_[v] = true;
    }
  }

  /// Vector area of each own vertex: a third of each triangle around it. [m^2]
  std::vector<Vec3> vector_areas() const {
    std::vector<Vec3> areas(n_own_, Vec3::Zero());
    for (const auto& t : triangles_) {
      const Vec3 a = to_vec(x_[t[0]]);
      const Vec3 third = (to_vec(x_[t[1]]) - a).cross(to_vec(x_[t[2]]) - a) / 6.0;
      for (const std::size_t v : t)
        if (v < n_own_) areas[v] += third;
    }
    return areas;
  }

  const Communicator& comm_;
  MeshOwners owners_;
  std::size_t n_own_;
  std::vector<Place> x_;                               ///< positions of own vertices, then of others' named here
  std::vector<std::array<std::size_t, 3>> triangles_;  ///< triangles around this rank's vertices, as places in x_
  std::vector<bool> is_first_;                         ///< whether this rank counts the triangle
  std::vector<bool> locked_;
  Vec3 origin_ = Vec3::Zero();
};

}  // namespace

void smooth_mesh(const Communicator& comm, int rounds, SurfaceMesh& mesh) {
  if (mesh.n_vertices == 0) return;
  Smoothing smoothing(comm, triangles_around(comm, mesh));
  const double volume = smoothing.volume();
  constexpr double inwards = 0.5, outwards = -0.53;
  for (int round = 0; round < rounds; ++round) {
    smoothing.step(inwards);
    smoothing.step(outwards);
  }
  smoothing.restore(volume);
  smoothing.write_to(mesh);
}

}  // namespace freshet
