// SPDX-License-Identifier: Apache-2.0
#include "formats/mesh_formats.hpp"
#include "formats/vtk_arrays.hpp"

namespace freshet::formats {
namespace {

void append_points(OrderedFile& file, const std::vector<std::array<float, 3>>& points, std::int64_t n) {
  file.append_once(VtkArrays::prefix(4, 3, n));
  file.append(static_cast<std::int64_t>(points.size()), [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(points.data() + first), static_cast<std::size_t>(last - first) * 12);
  });
}

void append_attribute(OrderedFile& file, const SurfaceMesh::Attribute& attribute, std::int64_t n) {
  const std::int64_t width = attribute.components;
  file.append_once(VtkArrays::prefix(4, attribute.components, n));
  file.append(static_cast<std::int64_t>(attribute.values.size()) / width,
              [&](std::int64_t first, std::int64_t last, std::string& bytes) {
                for (std::int64_t i = first * width; i < last * width; ++i) {
                  const float value = attribute.values[static_cast<std::size_t>(i)];
                  attribute.integer ? put(bytes, static_cast<std::int32_t>(value)) : put(bytes, value);
                }
              });
}

std::string head_of(const SurfaceMesh& mesh, bool normals) {
  VtkArrays arrays;
  std::string body = fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfPolys=\"{}\">\n<Points>\n",
                                 mesh.n_vertices, mesh.n_triangles);
  body += arrays.add("Points", "Float32", 4, 3, mesh.n_vertices) + "</Points>\n<PointData";
  body += normals ? " Normals=\"Normals\">\n" : ">\n";
  if (normals) body += arrays.add("Normals", "Float32", 4, 3, mesh.n_vertices);
  for (const SurfaceMesh::Attribute& attribute : mesh.attributes)
    body +=
        arrays.add(attribute.name, attribute.integer ? "Int32" : "Float32", 4, attribute.components, mesh.n_vertices);
  body += "</PointData>\n<Polys>\n";
  body += arrays.add("connectivity", "Int64", 8, 1, 3 * mesh.n_triangles);
  body += arrays.add("offsets", "Int64", 8, 1, mesh.n_triangles);
  body += "</Polys>\n</Piece>\n</PolyData>\n";
  return VtkArrays::head("PolyData", body);
}

}  // namespace

void write_vtp(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm) {
  const bool normals = has_normals(mesh, comm);
  file.append_once(head_of(mesh, normals));
  append_points(file, mesh.positions, mesh.n_vertices);
  if (normals) append_points(file, mesh.normals, mesh.n_vertices);
  for (const SurfaceMesh::Attribute& attribute : mesh.attributes) append_attribute(file, attribute, mesh.n_vertices);
  const auto n = static_cast<std::int64_t>(mesh.triangles.size());
  file.append_once(VtkArrays::prefix(8, 3, mesh.n_triangles));
  file.append(n, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(mesh.triangles.data() + first),
                 static_cast<std::size_t>(last - first) * 24);
  });
  const std::int64_t before = comm.exclusive_sum(GlobalIndex{n});
  file.append_once(VtkArrays::prefix(8, 1, mesh.n_triangles));
  file.append(n, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (std::int64_t t = first; t < last; ++t) put(bytes, 3 * (before + t + 1));
  });
  file.append_once(VtkArrays::tail);
}

}  // namespace freshet::formats
