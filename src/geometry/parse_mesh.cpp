// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "mesh_builder.hpp"
#include "mesh_text.hpp"
#include "polygon.hpp"

#include <fmt/format.h>

#include <limits>

namespace freshet {
namespace {

constexpr std::int32_t outlier = std::numeric_limits<std::int32_t>::min();

/// The ending of a file name, in small letters.
std::string ending_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot);
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

[[noreturn]] void refuse_size(const std::string& where) {
  refuse_mesh(where, "the mesh is too large",
              fmt::format("at most {} points and {} triangles are legal", most_mesh_points, most_mesh_triangles),
              "Simplify it");
}

}  // namespace

void MeshBuilder::add_point(const Vec3& x, const std::string& name) {
  if (mesh_.points.size() == most_mesh_points) refuse_size(name);
  mesh_.points.push_back(x);
}

void MeshBuilder::add_polygon(const std::vector<std::int64_t>& corners, std::int64_t line) {
  for (const std::int64_t corner : corners) {
    const bool fits = corner >= 0 && corner <= std::numeric_limits<std::int32_t>::max();
    corners_.push_back(fits ? static_cast<std::int32_t>(corner) : outlier);
    if (!fits) outliers_.push_back(corner);
  }
  polygons_.push_back({line, static_cast<std::uint32_t>(corners.size())});
}

TriangleMesh MeshBuilder::finish(const std::string& place) {
  std::size_t first = 0;
  for (const Polygon& polygon : polygons_) {
    const std::span<const std::int32_t> corners(corners_.data() + first, polygon.n_corners);
    first += polygon.n_corners;
    const std::string where = place + std::to_string(polygon.line);
    for (const std::int32_t corner : corners) {
      if (corner >= 0 && corner < n_points()) continue;
      const std::int64_t number = corner == outlier ? outliers_.front() : corner;
      refuse_mesh(where, fmt::format("a face has point {}, counted from 0", number),
                  fmt::format("the mesh has {} points", n_points()), "Mend the mesh");
    }
    if (mesh_.triangles.size() + polygon.n_corners > most_mesh_triangles) refuse_size(where);
    cut_polygon(corners, mesh_.points, mesh_.triangles);
  }
  return std::move(mesh_);
}

TriangleMesh parse_mesh(std::string_view bytes, const std::string& name) {
  const WithoutTraps suspended;  // what overflows here is refused afterwards
  const std::string ending = ending_of(name);
  if (ending == ".obj") return read_obj(bytes, name);
  if (ending == ".stl") return read_stl(bytes, name);
  if (ending == ".ply") return read_ply(bytes, name);
  throw InputError(name +
                   ": unknown kind of mesh (its name does not end in .obj, .stl or .ply). Convert it to one of them");
}

}  // namespace freshet
