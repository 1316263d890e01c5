// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mesh_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The header of a .ply file (Turk 1994): elements, each with its properties in order.
namespace freshet {

enum class PlyFormat { text, little_endian, big_endian };
enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr bool is_integer(PlyType type) {
  return type < PlyType::float32;
}
std::size_t bytes_of(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;         ///< of the value, or of a list's entries
  std::optional<PlyType> count_type = {};  ///< of a list's length; nothing: no list
};

struct PlyElement {
  std::string name;
  std::int64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Fewest bytes that one of them has in a file.
  std::size_t least_bytes(PlyFormat format) const;
  /// The place of a property; -1 if there is none of that name.
  int find(const std::string& name) const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::text;
  std::vector<PlyElement> elements;
};

/// Read up to and with the line `end_header`. Errors: InputError
PlyHeader read_ply_header(MeshText& text);

}  // namespace freshet
