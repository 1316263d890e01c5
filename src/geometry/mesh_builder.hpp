// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/triangle_mesh.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// Collects what a reader of meshes finds. `where` is the place in the file, for messages.
class MeshBuilder {
 public:
  void add_point(const Vec3& x, const std::string& name);
  /// A polygon of at least three corners, cut into triangles once all points are known.
  /// \param[in] line  where it stands; a number of a line or of a byte
  void add_polygon(const std::vector<std::int64_t>& corners, std::int64_t line);

  std::int64_t n_points() const { return static_cast<std::int64_t>(mesh_.points.size()); }
  /// \param[in] place  "<name>:" or "<name>:byte ", in front of a line
  /// Errors: InputError for a corner that is no point, and for meshes beyond most_mesh_points, most_mesh_triangles
  TriangleMesh finish(const std::string& place);

 private:
  TriangleMesh mesh_;
  std::vector<std::int32_t> corners_;   ///< of all polygons
  std::vector<std::int64_t> outliers_;  ///< corners that no 32-bit number holds
  struct Polygon {
    std::int64_t line;
    std::uint32_t n_corners;
  };
  std::vector<Polygon> polygons_;
};

// The formats; each takes any bytes, with errors as parse_mesh() says.
TriangleMesh read_obj(std::string_view bytes, const std::string& name);
TriangleMesh read_stl(std::string_view bytes, const std::string& name);
TriangleMesh read_ply(std::string_view bytes, const std::string& name);

}  // namespace freshet
