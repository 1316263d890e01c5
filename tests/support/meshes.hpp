// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/triangle_mesh.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

/// Meshes of simple bodies.
namespace freshet::test {

/// An icosahedron whose triangles are cut in four `n_cuts` times, its points on a sphere: 20 * 4^n triangles.
inline TriangleMesh icosphere(int n_cuts, const Vec3& center = Vec3::Zero(), double radius = 1.0) {
  const double t = (1.0 + std::sqrt(5.0)) / 2.0;
  TriangleMesh mesh;
  mesh.points = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                 {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  mesh.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int cut = 0; cut < n_cuts; ++cut) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [found, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.points.size()));
      if (is_new)
        mesh.points.push_back(
            (mesh.points[static_cast<std::size_t>(a)] + mesh.points[static_cast<std::size_t>(b)]).normalized());
      return found->second;
    };
    std::vector<Triangle> finer;
    for (Vec3& x : mesh.points) x.normalize();
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::int32_t ab = middle(a, b);
      const std::int32_t bc = middle(b, c);
      const std::int32_t ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& x : mesh.points) x = center + radius * x.normalized();
  return mesh;
}

/// A box of twelve triangles.
inline TriangleMesh box_mesh(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner)
    mesh.points.emplace_back(corner & 1 ? upper.x() : lower.x(), corner & 2 ? upper.y() : lower.y(),
                             corner & 4 ? upper.z() : lower.z());
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& more) {
  const auto first = static_cast<std::int32_t>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), more.points.begin(), more.points.end());
  for (const auto& [a, b, c] : more.triangles) mesh.triangles.push_back({a + first, b + first, c + first});
}

inline void turn_inside_out(TriangleMesh& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
}

/// The same as an .obj file.
inline std::string obj_text(const TriangleMesh& mesh) {
  std::string text;
  for (const Vec3& x : mesh.points) text += fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
  for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

}  // namespace freshet::test
