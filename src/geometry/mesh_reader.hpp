// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/core/text.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Helpers that the readers of mesh formats share.
namespace freshet {

/// Throw InputError "<where>: <problem> (<why>). <remedy>".
[[noreturn]] void refuse_mesh(const std::string& where, const std::string& problem, const std::string& why,
                              const std::string& remedy = "Mend the mesh");

/// A number of type T at a byte. \pre  at + sizeof(T) <= bytes.size()
template <class T>
T read_binary(std::string_view bytes, std::size_t at, std::endian order) {
  FRESHET_EXPECT(bytes.size() >= sizeof(T) && at <= bytes.size() - sizeof(T));
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data() + at, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  return std::bit_cast<T>(raw);
}

/// Walks through a text line by line, and through a line word by word.
class MeshText {
 public:
  MeshText(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// Go to the next line. A line that ends in a backslash continues in the next one. \return false behind the last line
  bool next_line();
  /// The next word of the line; empty behind its last word.
  std::string_view word();
  /// The next word of this line or of later lines; empty at the end of the text.
  std::string_view word_across_lines();

  std::int64_t integer(std::string_view word) const;
  double real(std::string_view word) const;  ///< any number, also "nan" and "inf"

  std::int64_t line() const { return line_; }
  std::size_t behind_line() const { return end_; }  ///< index of the byte where the next line begins
  [[noreturn]] void refuse(const std::string& problem, const std::string& why,
                           const std::string& remedy = "Mend the mesh") const {
    refuse_mesh(name_ + ":" + std::to_string(line_), problem, why, remedy);
  }

 private:
  std::pair<std::size_t, std::size_t> find_end(std::size_t begin);

  std::string_view bytes_;
  const std::string& name_;
  bool returns_alone_ = false;  ///< whether lines end with carriage returns alone
  std::size_t at_ = 0;          ///< index of the next byte to read in the line
  std::size_t end_ = 0;         ///< index of the byte behind the line and its line end
  std::int64_t line_ = 0;       ///< number of the line, counted from 1; that of its first part if it is continued
  std::int64_t next_line_ = 1;
};

/// Collects a mesh as it is read. A place in the file is the number of a line, or of a byte in a binary file.
class MeshBuilder {
 public:
  /// \param[in] place_mark  text between the file's name and the number of a place: ":" or ":byte "
  MeshBuilder(const std::string& name, const char* place_mark) : place_(name + place_mark) {}

  void add_point(const Vec3& x, std::int64_t place);
  /// Add a polygon of at least three corners. It is cut into triangles once all points are known.
  void add_polygon(std::span<const std::int64_t> corners, std::int64_t place);

  std::int64_t n_points() const { return static_cast<std::int64_t>(mesh_.points.size()); }
  [[noreturn]] void refuse(std::int64_t place, const std::string& problem, const std::string& why,
                           const std::string& remedy = "Mend the mesh") const {
    refuse_mesh(place_ + std::to_string(place), problem, why, remedy);
  }
  /// Errors: InputError for a corner that is no point, and for meshes beyond most_mesh_points, most_mesh_triangles
  TriangleMesh finish();

 private:
  struct Polygon {
    std::int64_t place;
    std::uint32_t n_corners;
  };
  std::string place_;  ///< the file's name and place_mark
  TriangleMesh mesh_;
  std::vector<std::int32_t> corners_;  ///< corners of all polygons, one polygon after the other
  std::vector<Polygon> polygons_;
};

// The readers of formats other than .obj take any bytes; their errors are those of parse_mesh().
TriangleMesh read_stl(std::string_view bytes, const std::string& name);
TriangleMesh read_ply(std::string_view bytes, const std::string& name);
/// Whether the bytes have the length that the header of a binary .stl implies.
bool is_binary_stl(std::string_view bytes);

}  // namespace freshet
