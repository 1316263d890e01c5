// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/geometry/mesh_shape.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

/// What must hold for any bytes that are given as a mesh.
namespace freshet::fuzz {

/// A property does not hold.
struct MeshFinding : std::logic_error {
  using std::logic_error::logic_error;
};

inline void require_of_mesh(bool holds, const std::string& what) {
  if (!holds) throw MeshFinding(what);
}

inline void require_sound(const TriangleMesh& mesh) {
  const auto n = static_cast<std::int32_t>(mesh.points.size());
  for (const Vec3& x : mesh.points)
    require_of_mesh(x.cwiseAbs().maxCoeff() <= farthest_coordinate, "a coordinate out of range");
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t corner : t) require_of_mesh(corner >= 0 && corner < n, "a corner that is no point");
}

/// Distances are numbers, and their magnitudes change by no more than the way.
inline void require_distances(const TriangleMesh& mesh) {
  const MeshShape shape(mesh);
  const Box box = shape.bounds();
  const Vec3 extent = box.upper - box.lower;
  require_of_mesh(extent.minCoeff() >= 0.0, "bounds upside down");
  Vec3 last = box.lower - extent;
  double before = shape.signed_distance(last);
  for (int i = 0; i < 16; ++i) {
    const Vec3 x = box.lower - 0.5 * extent + 2.0 * extent.cwiseProduct(Vec3(i % 3, i % 5 * 0.5, i % 7 / 3.0)) / 2.0;
    const double distance = shape.signed_distance(x);
    require_of_mesh(std::isfinite(distance), "a distance that is no number");
    constexpr double rounding = 1e-7;  // coordinates of 1e30 and edges of 1 may meet in one mesh
    require_of_mesh(
        std::abs(std::abs(distance) - std::abs(before)) <= (x - last).norm() + rounding * (x.norm() + last.norm()),
        "a distance that jumps");
    last = x;
    before = distance;
  }
}

/// The first byte says which of the formats the others are given as.
///
/// Errors: MeshFinding; whatever but InputError the readers throw is a finding too
inline void check_mesh(std::string_view bytes) {
  constexpr const char* names[] = {"m.obj", "m.stl", "m.ply"};
  if (bytes.empty()) return;
  const std::string name = names[static_cast<unsigned char>(bytes[0]) % 3];
  try {
    TriangleMesh mesh = parse_mesh(bytes.substr(1), name);
    require_sound(mesh);
    close_mesh(mesh, name);
    require_sound(mesh);
    constexpr std::size_t most_triangles = 500;  // distances take longer than all the rest
    if (mesh.triangles.size() <= most_triangles) require_distances(mesh);
  } catch (const InputError& error) {
    const std::string message = error.what();
    require_of_mesh(message.starts_with(name + ":"), "a message without its file: " + message);
    require_of_mesh(std::all_of(message.begin(), message.end(), [](char c) { return c >= 0x20 && c <= 0x7e; }),
                    "a message that is no plain text: " + message);
  }
}

}  // namespace freshet::fuzz
