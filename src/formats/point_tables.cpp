// SPDX-License-Identifier: Apache-2.0
// Points as PLY, as a text table, and as VTK's PolyData.
#include "formats/bytes.hpp"
#include "formats/mesh_formats.hpp"
#include "formats/point_formats.hpp"
#include "formats/vtk_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet::formats {
namespace {

bool is_color(const PointAttribute& attribute) {
  return attribute.name == "color" && attribute.components == 3 && !attribute.integer;
}

bool needs_double(const PointAttribute& attribute) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  return std::any_of(attribute.integers.begin(), attribute.integers.end(),
                     [](std::int64_t value) { return value > largest || value < -largest; });
}

std::string column_name(const PointAttribute& attribute, int c) {
  if (attribute.components <= 3) return component_name(attribute.name, attribute.components, c);
  return fmt::format("{}_{}", attribute.name, c);
}

/// The PLY type of each number of an attribute.
const char* ply_type(const PointAttribute& attribute) {
  if (is_color(attribute)) return "uchar";
  if (!attribute.integer) return "float";
  return needs_double(attribute) ? "double" : "int";
}

}  // namespace

void write_point_ply(const PointCloud& cloud, AtomicFile& file) {
  std::string head = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by freshet, lengths in metres\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      cloud.size());
  std::vector<char> types;  // for each attribute: f, i, d or c
  for (const PointAttribute& attribute : cloud.attributes) {
    const char* type = ply_type(attribute);
    types.push_back(type[0] == 'u' ? 'c' : type[0]);
    constexpr std::array colors{"red", "green", "blue"};
    for (int c = 0; c < attribute.components; ++c)
      head += fmt::format("property {} {}\n", type,
                          is_color(attribute) ? colors[static_cast<std::size_t>(c)] : column_name(attribute, c));
  }
  file.write(head + "end_header\n");
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) put(bytes, cloud.positions[3 * p + d]);
      for (std::size_t a = 0; a < types.size(); ++a) {
        const PointAttribute& attribute = cloud.attributes[a];
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i) {
          if (types[a] == 'f') put(bytes, attribute.reals[i]);
          if (types[a] == 'c') put(bytes, color_byte(attribute.reals[i]));
          if (types[a] == 'i') put(bytes, static_cast<std::int32_t>(attribute.integers[i]));
          if (types[a] == 'd') put(bytes, static_cast<double>(attribute.integers[i]));
        }
      }
    }
  });
}

void write_csv(const PointCloud& cloud, AtomicFile& file) {
  std::string head = "x,y,z";
  for (const PointAttribute& attribute : cloud.attributes)
    for (int c = 0; c < attribute.components; ++c)
      head += "," + (attribute.name == "velocity" ? std::string("v") + "xyz"[c] : column_name(attribute, c));
  file.write(head + "\n");
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) {
        if (d > 0) bytes += ',';
        put_text(bytes, cloud.positions[3 * p + d]);
      }
      for (const PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i) {
          bytes += ',';
          attribute.integer ? put_text(bytes, attribute.integers[i]) : put_text(bytes, attribute.reals[i]);
        }
      }
      bytes += '\n';
    }
  });
}

void write_point_vtp(const PointCloud& cloud, AtomicFile& file) {
  const std::int64_t n = cloud.size();
  VtkArrays arrays;
  std::string body = fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\">\n<Points>\n", n);
  body += arrays.add("Points", "Float32", 4, 3, n) + "</Points>\n<PointData>\n";
  for (const PointAttribute& attribute : cloud.attributes)
    body += arrays.add(attribute.name, attribute.integer ? "Int64" : "Float32", attribute.integer ? 8 : 4,
                       attribute.components, n);
  body += "</PointData>\n<Verts>\n";
  body += arrays.add("connectivity", "Int64", 8, 1, n);
  body += arrays.add("offsets", "Int64", 8, 1, n);
  body += "</Verts>\n</Piece>\n</PolyData>\n";
  file.write(VtkArrays::head("PolyData", body));
  const auto raw = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  file.write(VtkArrays::prefix(4, 3, n));
  file.write(raw(cloud.positions));
  for (const PointAttribute& attribute : cloud.attributes) {
    file.write(VtkArrays::prefix(attribute.integer ? 8 : 4, attribute.components, n));
    file.write(attribute.integer ? raw(attribute.integers) : raw(attribute.reals));
  }
  for (const std::int64_t start : {0, 1}) {  // each point forms its own cell
    file.write(VtkArrays::prefix(8, 1, n));
    write_pieces(n, file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
      for (std::int64_t p = first; p < last; ++p) put(bytes, start + p);
    });
  }
  file.write(VtkArrays::tail);
}

}  // namespace freshet::formats
