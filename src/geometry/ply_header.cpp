// SPDX-License-Identifier: Apache-2.0
#include "ply_header.hpp"

#include <algorithm>
#include <array>

namespace freshet {
namespace {

constexpr std::array<const char*, 8> old_names = {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"};
constexpr std::array<const char*, 8> new_names = {"int8",  "uint8",  "int16",   "uint16",
                                                  "int32", "uint32", "float32", "float64"};
constexpr std::size_t most_properties = 1000;  // of one element, and elements of a file

PlyFormat format_of(const MeshText& text, std::string_view word) {
  if (word == "ascii") return PlyFormat::text;
  if (word == "binary_little_endian") return PlyFormat::little_endian;
  if (word == "binary_big_endian") return PlyFormat::big_endian;
  text.refuse("'" + printable(word) + "' is no format of .ply",
              "they are ascii, binary_little_endian and binary_big_endian", "Write the mesh in one of them");
}

PlyType type_of(const MeshText& text, std::string_view word) {
  for (std::size_t i = 0; i < old_names.size(); ++i)
    if (word == old_names[i] || word == new_names[i]) return static_cast<PlyType>(i);
  text.refuse("'" + printable(word) + "' is no type of .ply", "they are char to double, or int8 to float64",
              "Mend the mesh");
}

PlyElement read_element(MeshText& text) {
  PlyElement element;
  element.name = text.word();
  element.count = text.integer(text.word());
  if (element.count < 0)
    text.refuse(std::to_string(element.count) + " elements", "a number of elements is not negative", "Mend the mesh");
  return element;
}

PlyProperty read_property(MeshText& text) {
  PlyProperty property;
  std::string_view type = text.word();
  if (type == "list") {
    property.count_type = type_of(text, text.word());
    if (!is_integer(*property.count_type))
      text.refuse("a list whose length is no integer", "nothing can be counted with it", "Mend the mesh");
    type = text.word();
  }
  property.type = type_of(text, type);
  property.name = text.word();
  return property;
}

}  // namespace

std::size_t bytes_of(PlyType type) {
  constexpr std::array<std::size_t, 8> bytes = {1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

std::size_t PlyElement::least_bytes(PlyFormat format) const {
  std::size_t bytes = 0;
  for (const PlyProperty& property : properties)
    bytes += format == PlyFormat::text ? 1 : bytes_of(property.count_type.value_or(property.type));
  return bytes;
}

int PlyElement::find(const std::string& wanted) const {
  for (std::size_t i = 0; i < properties.size(); ++i)
    if (properties[i].name == wanted) return static_cast<int>(i);
  return -1;
}

PlyHeader read_ply_header(MeshText& text) {
  PlyHeader header;
  if (!text.next_line() || text.word() != "ply")
    refuse_mesh(text.where(), "the file does not begin with 'ply'", "every .ply does", "Give a mesh in that format");
  bool has_format = false;
  while (text.next_line()) {
    const std::string_view kind = text.word();
    if (kind == "end_header") {
      if (!has_format) text.refuse("no line 'format'", "it says how to read the rest", "Mend the mesh");
      return header;
    }
    if (kind == "format") {
      header.format = format_of(text, text.word());
      has_format = true;
    } else if (kind == "element") {
      header.elements.push_back(read_element(text));
    } else if (kind == "property") {
      if (header.elements.empty())
        text.refuse("a property before the first element", "it belongs to none", "Mend the mesh");
      header.elements.back().properties.push_back(read_property(text));
    } else if (kind != "comment" && kind != "obj_info" && !kind.empty()) {
      text.refuse("unknown word '" + printable(kind) + "'", "a header has format, element, property and comment",
                  "Mend the mesh");
    }
    const bool is_long = header.elements.size() > most_properties ||
                         (!header.elements.empty() && header.elements.back().properties.size() > most_properties);
    if (is_long)
      text.refuse("more than " + std::to_string(most_properties) + " elements or properties", "no mesh has so many",
                  "Mend the mesh");
  }
  text.refuse("the file ends within its header", "no line 'end_header'", "Give a whole file");
}

}  // namespace freshet
