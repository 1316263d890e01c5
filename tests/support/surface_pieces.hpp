// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/surface_mesh.hpp"
#include "freshet/parallel/communicator.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace freshet::test {

/// A sphere about (1, 2, 3) of radius 0.5 m, divided into `rings` x 2 `rings` patches: closed, with normals, velocity,
/// tag and colour. Each rank holds an equal share of the vertices and of the triangles, so that triangles name vertices
/// of other ranks.
inline SurfaceMesh sphere_in_pieces(const Communicator& comm, int rings = 16) {
  const int around = 2 * rings;
  const std::int64_t n_vertices = std::int64_t{2} + (rings - 1) * around;
  const auto number = [&](int ring, int place) -> std::int64_t {
    if (ring == 0) return 0;
    if (ring == rings) return n_vertices - 1;
    return 1 + (ring - 1) * around + place % around;
  };
  const auto normal_of = [&](std::int64_t v) -> std::array<float, 3> {
    if (v == 0) return {0.0F, 1.0F, 0.0F};
    if (v == n_vertices - 1) return {0.0F, -1.0F, 0.0F};
    const double theta = std::numbers::pi * static_cast<double>((v - 1) / around + 1) / rings;
    const double phi = 2.0 * std::numbers::pi * static_cast<double>((v - 1) % around) / around;
    return {static_cast<float>(std::sin(theta) * std::cos(phi)), static_cast<float>(std::cos(theta)),
            static_cast<float>(std::sin(theta) * std::sin(phi))};
  };
  std::vector<std::array<std::int64_t, 3>> all;
  for (int ring = 0; ring < rings; ++ring)
    for (int place = 0; place < around; ++place) {
      const std::int64_t a = number(ring, place), b = number(ring, place + 1);
      const std::int64_t c = number(ring + 1, place), d = number(ring + 1, place + 1);
      if (ring + 1 < rings) all.push_back({a, d, c});
      if (ring == 0) continue;
      all.push_back({a, b, ring + 1 < rings ? d : c});
    }
  const auto share = [&](std::int64_t n, int rank) { return n * rank / comm.size(); };
  SurfaceMesh mesh;
  mesh.n_vertices = n_vertices;
  mesh.n_triangles = static_cast<std::int64_t>(all.size());
  mesh.first_vertex = share(n_vertices, comm.rank());
  mesh.attributes = {{"velocity", 3, false, {}}, {"tag", 1, true, {}}, {"color", 3, false, {}}};
  for (std::int64_t v = mesh.first_vertex; v < share(n_vertices, comm.rank() + 1); ++v) {
    const auto n = normal_of(v);
    mesh.normals.push_back(n);
    mesh.positions.push_back({1.0F + 0.5F * n[0], 2.0F + 0.5F * n[1], 3.0F + 0.5F * n[2]});
    for (const float x : n) mesh.attributes[0].values.push_back(2.0F * x);
    mesh.attributes[1].values.push_back(static_cast<float>(v % 3));
    for (const float share_of_color : {0.2F, 0.4F, 0.8F}) mesh.attributes[2].values.push_back(share_of_color);
  }
  for (std::int64_t t = share(mesh.n_triangles, comm.rank()); t < share(mesh.n_triangles, comm.rank() + 1); ++t)
    mesh.triangles.push_back(all[static_cast<std::size_t>(t)]);
  return mesh;
}

}  // namespace freshet::test
