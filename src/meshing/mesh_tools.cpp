// SPDX-License-Identifier: Apache-2.0
#include "freshet/meshing/mesh_tools.hpp"

#include "freshet/core/types.hpp"
#include "mesh_owners.hpp"

#include <Eigen/Geometry>

#include <map>
#include <set>
#include <unordered_map>

namespace freshet {

using namespace meshing;

namespace {

using Point = std::array<float, 3>;

Vec3 to_vec(const Point& p) {
  return {p[0], p[1], p[2]};
}

/// A side of a triangle as its vertex with the lower number keeps it.
struct Side {
  std::int64_t low;   ///< number of the vertex with the lower number
  std::int64_t high;  ///< number of the other vertex, plus 1; negative if the triangle runs from it to `low`
};

/// Count the triangles at edges. Every edge belongs to the owner of its vertex with the lower number. Collective
void count_edges(const Communicator& comm, const SurfaceMesh& mesh, const MeshOwners& owners, MeshReport& report) {
  std::map<int, std::vector<Side>> away;
  std::vector<std::uint32_t> begin(static_cast<std::size_t>(owners.n_own()) + 1, 0);
  std::vector<Side> here;
  here.reserve(3 * mesh.triangles.size());
  const auto take = [&](const Side& side) {
    here.push_back(side);
    ++begin[static_cast<std::size_t>(side.low - owners.first()) + 1];
  };
  for (const auto& t : mesh.triangles)
    for (std::size_t m = 0; m < 3; ++m) {
      const std::int64_t a = t[m], b = t[(m + 1) % 3];
      const Side side = a < b ? Side{a, b + 1} : Side{b, -(a + 1)};
      if (owners.owns(side.low))
        take(side);
      else
        away[owners.owner(side.low)].push_back(side);
    }
  std::vector<Parcel<Side>> out;
  for (auto& [rank, sides] : away) out.push_back({rank, std::move(sides)});
  for (const Parcel<Side>& parcel : exchange(comm, out))
    for (const Side& side : parcel.items) take(side);
  for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  std::vector<std::int64_t> sorted(here.size());
  std::vector<std::uint32_t> next(begin);
  for (const Side& side : here) sorted[next[static_cast<std::size_t>(side.low - owners.first())]++] = side.high;
  std::int64_t open = 0, bad = 0;
#pragma omp parallel for reduction(+ : open, bad)
  for (std::int64_t v = 0; v < owners.n_own(); ++v) {
    const auto first = sorted.begin() + begin[static_cast<std::size_t>(v)];
    const auto end = sorted.begin() + begin[static_cast<std::size_t>(v) + 1];
    std::sort(first, end, [](std::int64_t a, std::int64_t b) {
      return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a < b;
    });
    for (auto m = first; m != end;) {
      auto last = m;
      while (last != end && std::abs(*last) == std::abs(*m)) ++last;
      if (last - m == 1)
        ++open;
      else if (last - m != 2 || m[0] == m[1])
        ++bad;
      m = last;
    }
  }
  report.open_edges = comm.sum(open);
  report.bad_edges = comm.sum(bad);
}

std::vector<Point> all_positions(const SurfaceMesh& mesh, const MeshOwners& owners) {
  std::vector<Point> x = mesh.positions;
  const std::vector<Point> remote = owners.fetch(mesh.positions);
  x.insert(x.end(), remote.begin(), remote.end());
  return x;
}

double signed_volume(const std::vector<Point>& x, const MeshOwners& owners, const std::array<std::int64_t, 3>& t,
                     const Vec3& origin) {
  const Vec3 a = to_vec(x[owners.place(t[0])]) - origin, b = to_vec(x[owners.place(t[1])]) - origin,
             c = to_vec(x[owners.place(t[2])]) - origin;
  return a.dot(b.cross(c)) / 6.0;
}

/// The position of vertex 0 over all ranks; volumes are summed relative to it. Collective
Vec3 first_point(const Communicator& comm, const SurfaceMesh& mesh) {
  std::array<double, 3> x{};
  if (mesh.first_vertex == 0 && !mesh.positions.empty())
    for (std::size_t d = 0; d < 3; ++d) x[d] = mesh.positions[0][d];
  comm.sum_in_place(x);
  return {x[0], x[1], x[2]};
}

std::vector<std::int64_t> labels_of(const Communicator& comm, const SurfaceMesh& mesh, const MeshOwners& owners) {
  DisjointSets sets(owners.n_places());
  for (const auto& t : mesh.triangles) {
    sets.join(owners.place(t[0]), owners.place(t[1]));
    sets.join(owners.place(t[1]), owners.place(t[2]));
  }
  // label of a set on this rank: the least number over all ranks of its vertices
  std::vector<std::int64_t> label(owners.n_places(), mesh.n_vertices);
  const auto n_own = static_cast<std::size_t>(owners.n_own());
  for (std::size_t m = 0; m < owners.n_places(); ++m) {
    const std::int64_t v = m < n_own ? owners.first() + static_cast<std::int64_t>(m) : owners.remote()[m - n_own];
    std::int64_t& least = label[sets.find(m)];
    least = std::min(least, v);
  }
  std::vector<std::int64_t> remote_labels;
  for (std::size_t m = n_own; m < owners.n_places(); ++m) remote_labels.push_back(label[sets.find(m)]);
  std::set<std::array<std::int64_t, 2>> links;
  for (const auto& [vertex, theirs] : owners.send_to_owners(remote_labels)) {
    const std::int64_t ours = label[sets.find(owners.place(vertex))];
    if (ours != theirs) links.insert({ours, theirs});
  }
  std::vector<Parcel<std::array<std::int64_t, 2>>> out;
  out.push_back({0, {links.begin(), links.end()}});
  std::map<std::int64_t, std::int64_t> parent;
  const auto find = [&](std::int64_t m) {
    while (parent[m] != m) m = parent[m];
    return m;
  };
  std::vector<std::array<std::int64_t, 2>> renamed;
  for (const auto& parcel : exchange(comm, out))
    for (const auto& link : parcel.items) {
      for (const std::int64_t m : link) parent.try_emplace(m, m);
      const std::int64_t a = find(link[0]), b = find(link[1]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  for (const auto& entry : parent) renamed.push_back({entry.first, find(entry.first)});
  comm.broadcast(renamed);
  std::unordered_map<std::int64_t, std::int64_t> final_label;
  for (const auto& [from, to] : renamed) final_label[from] = to;
  std::vector<std::int64_t> result;
  result.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const std::int64_t mine = label[sets.find(owners.place(t[0]))];
    const auto found = final_label.find(mine);
    result.push_back(found == final_label.end() ? mine : found->second);
  }
  return result;
}

/// Sum the volume of each component on the rank that owns the vertex of its label, and list the ranks that hold it.
std::map<std::int64_t, std::pair<double, std::vector<int>>> component_volumes(const Communicator& comm,
                                                                              const std::vector<std::int64_t>& labels,
                                                                              const SurfaceMesh& mesh,
                                                                              const MeshOwners& owners) {
  const std::vector<Point> x = all_positions(mesh, owners);
  const Vec3 origin = first_point(comm, mesh);
  std::unordered_map<std::int64_t, double> here;
  for (std::size_t t = 0; t < labels.size(); ++t)
    here[labels[t]] += signed_volume(x, owners, mesh.triangles[t], origin);
  struct Part {
    std::int64_t label;
    double volume;
  };
  std::map<int, std::vector<Part>> to;
  for (const auto& [label, volume] : here) to[owners.owner(label)].push_back({label, volume});
  std::vector<Parcel<Part>> out;
  for (auto& [rank, parts] : to) out.push_back({rank, std::move(parts)});
  std::map<std::int64_t, std::pair<double, std::vector<int>>> volumes;
  for (const Parcel<Part>& parcel : exchange(comm, out))
    for (const Part& part : parcel.items) {
      volumes[part.label].first += part.volume;
      volumes[part.label].second.push_back(parcel.rank);
    }
  return volumes;
}

}  // namespace

MeshReport check_mesh(const Communicator& comm, const SurfaceMesh& mesh) {
  const MeshOwners owners(comm, mesh);
  MeshReport report;
  report.vertices = mesh.n_vertices;
  report.faces = mesh.n_triangles;
  count_edges(comm, mesh, owners, report);
  const std::vector<std::int64_t> labels = labels_of(comm, mesh, owners);
  std::set<std::int64_t> own;  // the owner of the vertex of a label counts the component
  for (const std::int64_t label : labels)
    if (owners.owns(label)) own.insert(label);
  report.components = comm.sum(static_cast<GlobalIndex>(own.size()));
  const std::vector<Point> x = all_positions(mesh, owners);
  const Vec3 origin = first_point(comm, mesh);
  std::array<ExactSum, 2> sums;
  for (const auto& t : mesh.triangles) {
    sums[0].add(signed_volume(x, owners, t, origin));
    const Vec3 a = to_vec(x[owners.place(t[0])]);
    sums[1].add(0.5 * (to_vec(x[owners.place(t[1])]) - a).cross(to_vec(x[owners.place(t[2])]) - a).norm());
  }
  comm.sum_in_place(std::span<ExactSum>(sums));
  report.volume = sums[0].round();
  report.area = sums[1].round();
  return report;
}

void remove_unused_vertices(const Communicator& comm, SurfaceMesh& mesh) {
  const MeshOwners owners(comm, mesh);
  const auto n_own = static_cast<std::size_t>(owners.n_own());
  std::vector<std::uint8_t> used(n_own, 0);
  for (const auto& t : mesh.triangles)
    for (const std::int64_t v : t)
      if (owners.owns(v)) used[static_cast<std::size_t>(v - owners.first())] = 1;
  for (const auto& asked : owners.send_to_owners(std::vector<std::int64_t>(owners.remote().size(), 1)))
    used[static_cast<std::size_t>(asked.first - owners.first())] = 1;
  std::int64_t n_used = 0;
  for (const std::uint8_t is : used) n_used += is;
  const std::int64_t first = comm.exclusive_sum(GlobalIndex{n_used});
  std::vector<std::int64_t> number(n_own, -1);
  std::size_t next = 0;
  for (std::size_t v = 0; v < n_own; ++v) {
    if (used[v] == 0) continue;
    number[v] = first + static_cast<std::int64_t>(next);
    mesh.positions[next] = mesh.positions[v];
    if (!mesh.normals.empty()) mesh.normals[next] = mesh.normals[v];
    for (SurfaceMesh::Attribute& a : mesh.attributes) {
      const auto width = static_cast<std::size_t>(a.components);
      std::copy_n(a.values.begin() + static_cast<std::ptrdiff_t>(v * width), width,
                  a.values.begin() + static_cast<std::ptrdiff_t>(next * width));
    }
    ++next;
  }
  const std::vector<std::int64_t> remote = owners.fetch(number);
  for (auto& t : mesh.triangles)
    for (std::int64_t& v : t) v = owners.owns(v) ? number[owners.place(v)] : remote[owners.place(v) - n_own];
  mesh.positions.resize(next);
  if (!mesh.normals.empty()) mesh.normals.resize(next);
  for (SurfaceMesh::Attribute& a : mesh.attributes) a.values.resize(next * static_cast<std::size_t>(a.components));
  mesh.first_vertex = first;
  mesh.n_vertices = comm.sum(GlobalIndex{n_used});
}

std::int64_t remove_small_components(const Communicator& comm, double volume, SurfaceMesh& mesh) {
  const MeshOwners owners(comm, mesh);
  const std::vector<std::int64_t> labels = labels_of(comm, mesh, owners);
  std::map<int, std::vector<std::int64_t>> to;
  std::int64_t n_removed = 0;
  for (const auto& [label, found] : component_volumes(comm, labels, mesh, owners)) {
    if (std::abs(found.first) >= volume) continue;
    ++n_removed;
    for (const int rank : found.second) to[rank].push_back(label);
  }
  std::vector<Parcel<std::int64_t>> out;
  for (auto& [rank, names] : to) out.push_back({rank, std::move(names)});
  std::set<std::int64_t> small;
  for (const Parcel<std::int64_t>& parcel : exchange(comm, out)) small.insert(parcel.items.begin(), parcel.items.end());
  std::size_t kept = 0;
  for (std::size_t t = 0; t < labels.size(); ++t)
    if (small.count(labels[t]) == 0) mesh.triangles[kept++] = mesh.triangles[t];
  mesh.triangles.resize(kept);
  mesh.n_triangles = comm.sum(static_cast<GlobalIndex>(kept));
  remove_unused_vertices(comm, mesh);
  return comm.sum(GlobalIndex{n_removed});
}

}  // namespace freshet
