// SPDX-License-Identifier: Apache-2.0
#include "binary.hpp"
#include "mesh_builder.hpp"
#include "mesh_text.hpp"

#include <fmt/format.h>

/// Stereolithography .stl, ASCII or binary. Each triangle has corners of its own; close_mesh() welds them.
namespace freshet {
namespace {

constexpr std::size_t header_bytes = 84;    // 80 of text, then the number of triangles
constexpr std::size_t triangle_bytes = 50;  // normal, three corners, two bytes of attributes
constexpr std::size_t corners_offset = 12;  // behind the normal

/// Length that the header of a binary file implies. [bytes]
std::size_t promised_bytes(std::string_view bytes) {
  return header_bytes + triangle_bytes * std::size_t{read_binary<std::uint32_t>(bytes, 80, std::endian::little)};
}

/// Whether a file is text. Many binary files begin with "solid" too; their size or NUL bytes give them away.
bool is_text(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || !lower_case(bytes.substr(first, 5)).starts_with("solid")) return false;
  if (bytes.size() >= header_bytes && promised_bytes(bytes) == bytes.size()) return false;
  return bytes.substr(0, 1024).find('\0') == std::string_view::npos;
}

void add_triangle(MeshBuilder& builder, const std::array<Vec3, 3>& corners, const std::string& name,
                  std::int64_t place) {
  const std::int64_t first = builder.n_points();
  for (const Vec3& corner : corners) builder.add_point(corner, name);
  builder.add_polygon({first, first + 1, first + 2}, place);
}

TriangleMesh read_binary_stl(std::string_view bytes, const std::string& name) {
  if (bytes.size() < header_bytes)
    refuse_mesh(name + ":byte " + std::to_string(bytes.size()), "the file ends within its header",
                "a binary .stl has 84 bytes before its triangles, and a text begins with 'solid'", "Give a whole file");
  if (promised_bytes(bytes) > bytes.size())
    refuse_mesh(name + ":byte 80", fmt::format("{} triangles", (promised_bytes(bytes) - header_bytes) / triangle_bytes),
                fmt::format("the file has room for {}", (bytes.size() - header_bytes) / triangle_bytes),
                "Give a whole file");
  MeshBuilder builder;
  for (std::size_t at = header_bytes; at < promised_bytes(bytes); at += triangle_bytes) {
    std::array<Vec3, 3> corners;
    for (std::size_t n = 0; n < 9; ++n) {
      const std::size_t where = at + corners_offset + 4 * n;
      const double x = read_binary<float>(bytes, where, std::endian::little);
      if (!(std::abs(x) <= farthest_coordinate)) check_coordinate(x, name + ":byte " + std::to_string(where));
      corners[n / 3][static_cast<int>(n % 3)] = x;
    }
    add_triangle(builder, corners, name, static_cast<std::int64_t>(at));
  }
  return builder.finish(name + ":byte ");
}

/// Between `facet` and `endfacet` stand three times `vertex x y z`; the name behind `solid` may be anything.
class TextReader {
 public:
  TextReader(std::string_view bytes, const std::string& name) : text_(bytes, name), name_(name) {}

  TriangleMesh read() {
    while (text_.next_line()) {
      const std::string kind = lower_case(text_.word());
      if (kind.empty() || kind == "solid" || kind == "endsolid") continue;
      if (kind != "facet")
        text_.refuse("'" + printable(kind) + "' where a facet belongs", "a text .stl is a list of facets",
                     "Mend the mesh");
      read_facet();
    }
    return builder_.finish(name_ + ":");
  }

 private:
  void expect(const char* word) {
    const std::string_view found = text_.word_across_lines();
    if (lower_case(found) == word) return;
    text_.refuse(found.empty() ? "the file ends within a facet" : "'" + printable(found) + "' within a facet",
                 std::string("'") + word + "' belongs there", "Mend the mesh");
  }

  void read_facet() {
    const std::int64_t line = text_.line();
    expect("normal");
    for (int n = 0; n < 3; ++n) text_.real(text_.word_across_lines());  // the corners give the normal
    expect("outer");
    expect("loop");
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners) {
      expect("vertex");
      for (int axis = 0; axis < 3; ++axis) corner[axis] = text_.coordinate(text_.word_across_lines());
    }
    expect("endloop");
    expect("endfacet");
    add_triangle(builder_, corners, name_, line);
  }

  MeshText text_;
  const std::string& name_;
  MeshBuilder builder_;
};

}  // namespace

TriangleMesh read_stl(std::string_view bytes, const std::string& name) {
  return is_text(bytes) ? TextReader(bytes, name).read() : read_binary_stl(bytes, name);
}

}  // namespace freshet
