// SPDX-License-Identifier: Apache-2.0
#include "mesh_reader.hpp"

#include <fmt/format.h>

/// Stereolithography .stl, ASCII or binary. Each triangle has corners of its own; close_mesh() welds them.
namespace freshet {
namespace {

constexpr std::size_t header_bytes = 84;    // 80 bytes of text, then the number of triangles
constexpr std::size_t triangle_bytes = 50;  // normal, three corners, two bytes of attributes
constexpr std::size_t corners_offset = 12;  // the corners are behind the normal

/// Length of a binary file that its header implies. [B]
std::size_t promised_bytes(std::string_view bytes) {
  return header_bytes + triangle_bytes * std::size_t{read_binary<std::uint32_t>(bytes, 80, std::endian::little)};
}

/// Whether a file is text. Many binary files begin with "solid" too, but have NUL bytes or the implied length.
bool is_text(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || lower_case(bytes.substr(first, 5)) != "solid") return false;
  if (is_binary_stl(bytes)) return false;
  return bytes.substr(0, 1024).find('\0') == std::string_view::npos;
}

/// Add the triangle of the last three points.
void add_triangle(MeshBuilder& builder, std::int64_t place) {
  const std::int64_t end = builder.n_points();
  builder.add_polygon(std::array{end - 3, end - 2, end - 1}, place);
}

TriangleMesh read_binary_stl(std::string_view bytes, const std::string& name) {
  MeshBuilder builder(name, ":byte ");
  if (bytes.size() < header_bytes)
    builder.refuse(static_cast<std::int64_t>(bytes.size()), "the file ends within its header",
                   "a binary .stl has 84 bytes before its triangles, and a text begins with 'solid'",
                   "Give a whole file");
  if (promised_bytes(bytes) > bytes.size())
    builder.refuse(80, fmt::format("{} triangles", (promised_bytes(bytes) - header_bytes) / triangle_bytes),
                   fmt::format("the file has room for {}", (bytes.size() - header_bytes) / triangle_bytes),
                   "Give a whole file");
  for (std::size_t at = header_bytes; at < promised_bytes(bytes); at += triangle_bytes) {
    for (std::size_t corner = at + corners_offset; corner < at + corners_offset + 36; corner += 12) {
      Vec3 x;
      for (int axis = 0; axis < 3; ++axis)
        x[axis] = read_binary<float>(bytes, corner + 4 * static_cast<std::size_t>(axis), std::endian::little);
      builder.add_point(x, static_cast<std::int64_t>(corner));
    }
    add_triangle(builder, static_cast<std::int64_t>(at));
  }
  return builder.finish();
}

/// Read `vertex x y z` three times between `facet` and `endfacet`; the name behind `solid` may be anything.
TriangleMesh read_text_stl(std::string_view bytes, const std::string& name) {
  MeshText text(bytes, name);
  MeshBuilder builder(name, ":");
  const auto expect = [&](const std::string& word) {
    const std::string_view found = text.word_across_lines();
    if (lower_case(found) == word) return;
    const bool is_parted = word.starts_with("end") && lower_case(found) == "end";  // "end loop" is in use as well
    if (is_parted && lower_case(text.word_across_lines()) == word.substr(3)) return;
    text.refuse(found.empty() ? "the file ends within a facet" : "'" + printable(found) + "' within a facet",
                "'" + word + "' belongs there");
  };
  const auto numbers = [&] {
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = text.real(text.word_across_lines());
    return x;
  };
  while (text.next_line()) {
    const std::string kind = lower_case(text.word());
    if (kind.empty() || kind == "solid" || kind == "endsolid") continue;
    if (kind == "end" && lower_case(text.word()) == "solid") continue;
    if (kind != "facet")
      text.refuse("'" + printable(kind) + "' where a facet belongs", "a text .stl is a list of facets");
    const std::int64_t line = text.line();
    expect("normal");
    numbers();  // the corners give the normal
    expect("outer");
    expect("loop");
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      builder.add_point(numbers(), text.line());
    }
    expect("endloop");
    expect("endfacet");
    add_triangle(builder, line);
  }
  return builder.finish();
}

}  // namespace

bool is_binary_stl(std::string_view bytes) {
  return bytes.size() >= header_bytes && promised_bytes(bytes) == bytes.size();
}

TriangleMesh read_stl(std::string_view bytes, const std::string& name) {
  return is_text(bytes) ? read_text_stl(bytes, name) : read_binary_stl(bytes, name);
}

}  // namespace freshet
