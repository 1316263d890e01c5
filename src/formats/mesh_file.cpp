// SPDX-License-Identifier: Apache-2.0
#include "freshet/formats/mesh_file.hpp"

#include "formats/bytes.hpp"
#include "formats/mesh_formats.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/suggest.hpp"
#include "freshet/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace freshet {
namespace {

using formats::put;
using formats::put_text;

constexpr std::array mesh_formats_table {
  MeshFormat{"obj", "Wavefront text: positions, normals, colour", formats::write_obj},
      MeshFormat{"ply", "binary PLY: positions, normals, every attribute", formats::write_ply},
      MeshFormat{"stl", "binary STL: triangles alone", formats::write_stl},
      MeshFormat{"vtp", "VTK PolyData for ParaView: positions, normals, every attribute", formats::write_vtp},
#if FRESHET_OPENVDB
      MeshFormat{"vdb", "OpenVDB level set: the distance itself, no triangles", nullptr},
#endif
};

const SurfaceMesh::Attribute* find_color(const SurfaceMesh& mesh) {
  const auto found = std::find_if(
      mesh.attributes.begin(), mesh.attributes.end(),
      [](const SurfaceMesh::Attribute& attribute) { return attribute.name == "color" && attribute.components == 3; });
  return found == mesh.attributes.end() ? nullptr : &*found;
}

void put_words(std::string& bytes, const char* keyword, const std::array<float, 3>& numbers) {
  bytes += keyword;
  for (const float number : numbers) {
    bytes += ' ';
    put_text(bytes, number);
  }
}

std::string header_of_ply(const SurfaceMesh& mesh, const Communicator& comm) {
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by freshet, lengths in metres\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      mesh.n_vertices);
  if (formats::has_normals(mesh, comm)) text += "property float nx\nproperty float ny\nproperty float nz\n";
  for (const SurfaceMesh::Attribute& attribute : mesh.attributes) {
    if (&attribute == find_color(mesh)) {
      text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
      continue;
    }
    for (int c = 0; c < attribute.components; ++c)
      text += fmt::format("property {} {}\n", attribute.integer ? "int" : "float",
                          formats::component_name(attribute.name, attribute.components, c));
  }
  return text + fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n", mesh.n_triangles);
}

/// Append the values of vertex v in the order of the PLY header.
void put_vertex(std::string& bytes, const SurfaceMesh& mesh, std::size_t v, bool normals,
                const SurfaceMesh::Attribute* color) {
  for (const float x : mesh.positions[v]) put(bytes, x);
  if (normals)
    for (const float n : mesh.normals[v]) put(bytes, n);
  for (const SurfaceMesh::Attribute& attribute : mesh.attributes) {
    const auto width = static_cast<std::size_t>(attribute.components);
    for (std::size_t c = 0; c < width; ++c) {
      const float value = attribute.values[width * v + c];
      if (&attribute == color) {
        put(bytes, formats::color_byte(value));
      } else if (attribute.integer) {
        put(bytes, static_cast<std::int32_t>(value));
      } else {
        put(bytes, value);
      }
    }
  }
}

}  // namespace

namespace formats {

bool has_normals(const SurfaceMesh& mesh, const Communicator& comm) {
  return comm.any(!mesh.normals.empty());
}

std::string component_name(const std::string& name, int components, int c) {
  return components == 1 ? name : fmt::format("{}_{}", name, "xyz"[c]);
}

void expect_room(std::int64_t n, std::int64_t most, const char* what, const char* format) {
  if (n > most)
    throw InputError(fmt::format("the surface has {} {}, but a file of format {} has room for {}. Choose vtp", n, what,
                                 format, most));
}

void write_obj(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm) {
  const bool normals = has_normals(mesh, comm);
  const SurfaceMesh::Attribute* color = find_color(mesh);
  const auto n = static_cast<std::int64_t>(mesh.positions.size());
  file.append_once("# made by freshet, lengths in metres\n");
  file.append(n, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto v = static_cast<std::size_t>(first); v < static_cast<std::size_t>(last); ++v) {
      put_words(bytes, "v", mesh.positions[v]);
      if (color != nullptr)
        put_words(bytes, "", {color->values[3 * v], color->values[3 * v + 1], color->values[3 * v + 2]});
      bytes += '\n';
    }
  });
  file.append(normals ? n : 0, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (std::int64_t v = first; v < last; ++v) {
      put_words(bytes, "vn", mesh.normals[static_cast<std::size_t>(v)]);
      bytes += '\n';
    }
  });
  const auto n_triangles = static_cast<std::int64_t>(mesh.triangles.size());
  file.append(n_triangles, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (std::int64_t t = first; t < last; ++t) {
      bytes += 'f';
      for (const std::int64_t v : mesh.triangles[static_cast<std::size_t>(t)]) {
        bytes += ' ';
        put_text(bytes, v + 1);  // OBJ counts from 1
        if (!normals) continue;
        bytes += "//";
        put_text(bytes, v + 1);
      }
      bytes += '\n';
    }
  });
}

void write_ply(const SurfaceMesh& mesh, OrderedFile& file, const Communicator& comm) {
  expect_room(mesh.n_vertices, std::numeric_limits<std::int32_t>::max(), "vertices", "ply");
  const bool normals = has_normals(mesh, comm);
  const SurfaceMesh::Attribute* color = find_color(mesh);
  file.append_once(header_of_ply(mesh, comm));
  file.append(static_cast<std::int64_t>(mesh.positions.size()),
              [&](std::int64_t first, std::int64_t last, std::string& bytes) {
                for (std::int64_t v = first; v < last; ++v)
                  put_vertex(bytes, mesh, static_cast<std::size_t>(v), normals, color);
              });
  file.append(static_cast<std::int64_t>(mesh.triangles.size()),
              [&](std::int64_t first, std::int64_t last, std::string& bytes) {
                for (std::int64_t t = first; t < last; ++t) {
                  put(bytes, std::uint8_t{3});
                  for (const std::int64_t v : mesh.triangles[static_cast<std::size_t>(t)])
                    put(bytes, static_cast<std::int32_t>(v));
                }
              });
}

}  // namespace formats

std::span<const MeshFormat> mesh_formats() {
  return mesh_formats_table;
}

const MeshFormat& find_mesh_format(std::string_view ending) {
  if (ending.starts_with('.')) ending.remove_prefix(1);
  const std::string name = lower_case(ending);
  std::vector<std::string> known;
  for (const MeshFormat& format : mesh_formats_table) {
    if (name == format.ending) return format;
    known.emplace_back(format.ending);
  }
  throw InputError(fmt::format("no format of surfaces has the name \"{}\" (there are {}). {}", printable(name),
                               fmt::join(known, ", "), suggest_word(name, known)));
}

void write_surface_mesh(const SurfaceMesh& mesh, const std::string& path, const Communicator& comm) {
  FRESHET_EXPECT(mesh.normals.empty() || mesh.normals.size() == mesh.positions.size());
  const MeshFormat& format = find_mesh_format(std::filesystem::path(path).extension().string());
  FRESHET_EXPECT(format.write != nullptr);
  OrderedFile file(comm, path);
  format.write(mesh, file, comm);
  file.commit();
}

}  // namespace freshet
