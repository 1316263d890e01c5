// SPDX-License-Identifier: Apache-2.0
#include "mesh_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

/// Stanford polygons .ply (Turk 1994): a header that lists elements, each with its properties in order, and then their
/// values. The points are the element `vertex` with x, y, z, the faces the element `face` with a list vertex_indices
/// (or vertex_index). Other elements are ignored.
namespace freshet {
namespace {

enum class PlyFormat { text, little_endian, big_endian };
enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::array<std::array<std::string_view, 2>, 8> type_names = {{{"char", "int8"},
                                                                        {"uchar", "uint8"},
                                                                        {"short", "int16"},
                                                                        {"ushort", "uint16"},
                                                                        {"int", "int32"},
                                                                        {"uint", "uint32"},
                                                                        {"float", "float32"},
                                                                        {"double", "float64"}}};
constexpr std::array<std::size_t, 8> type_bytes = {1, 1, 2, 2, 4, 4, 4, 8};
constexpr std::size_t most_properties = 1000;  // most elements of a file, and properties of an element

bool is_integer(PlyType type) {
  return type < PlyType::float32;
}

struct PlyProperty {
  std::string name;
  PlyType type;                       ///< type of the value, or of a list's entries
  std::optional<PlyType> count_type;  ///< type of a list's length; nothing if the property is no list
};

struct PlyElement {
  std::string name;
  std::int64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Index of a property; -1 if none has this name.
  int find(const std::string& wanted) const {
    const auto found = std::ranges::find(properties, wanted, &PlyProperty::name);
    return found == properties.end() ? -1 : static_cast<int>(found - properties.begin());
  }
};

struct PlyHeader {
  PlyFormat format = PlyFormat::text;
  std::vector<PlyElement> elements;
};

PlyFormat format_of(const MeshText& text, std::string_view word) {
  if (word == "ascii") return PlyFormat::text;
  if (word == "binary_little_endian") return PlyFormat::little_endian;
  if (word == "binary_big_endian") return PlyFormat::big_endian;
  text.refuse("'" + printable(word) + "' is not a format of .ply",
              "they are ascii, binary_little_endian and binary_big_endian", "Write the mesh in one of them");
}

PlyType type_of(const MeshText& text, std::string_view word) {
  for (std::size_t i = 0; i < type_names.size(); ++i)
    if (word == type_names[i][0] || word == type_names[i][1]) return static_cast<PlyType>(i);
  text.refuse("'" + printable(word) + "' is not a type of .ply", "they are char to double, or int8 to float64");
}

PlyElement read_element(MeshText& text) {
  PlyElement element;
  element.name = text.word();
  element.count = text.integer(text.word());
  if (element.count < 0) text.refuse(fmt::format("{} elements", element.count), "a number of elements is not negative");
  return element;
}

PlyProperty read_property(MeshText& text) {
  std::string_view type = text.word();
  std::optional<PlyType> count_type;
  if (type == "list") {
    count_type = type_of(text, text.word());
    if (!is_integer(*count_type))
      text.refuse("the length of a list is not an integer", "nothing can be counted with it");
    type = text.word();
  }
  const PlyType its_type = type_of(text, type);
  return {std::string(text.word()), its_type, count_type};
}

/// Read the header, up to and with the line `end_header`.
PlyHeader read_header(MeshText& text) {
  PlyHeader header;
  if (!text.next_line() || text.word() != "ply")
    text.refuse("the file does not begin with 'ply'", "every .ply does", "Give a mesh in that format");
  bool has_format = false;
  while (text.next_line()) {
    const std::string_view kind = text.word();
    if (kind == "end_header") {
      if (!has_format) text.refuse("the line 'format' is missing", "it says how to read the rest");
      return header;
    }
    if (kind == "format") {
      header.format = format_of(text, text.word());
      has_format = true;
    } else if (kind == "element") {
      header.elements.push_back(read_element(text));
    } else if (kind == "property") {
      if (header.elements.empty()) text.refuse("a property before the first element", "it belongs to no element");
      header.elements.back().properties.push_back(read_property(text));
    } else if (kind != "comment" && kind != "obj_info" && !kind.empty()) {
      text.refuse("unknown word '" + printable(kind) + "'", "a header has format, element, property and comment");
    }
    const bool is_long = header.elements.size() > most_properties ||
                         (!header.elements.empty() && header.elements.back().properties.size() > most_properties);
    if (is_long)
      text.refuse(fmt::format("more than {} elements or properties", most_properties), "no mesh has so many");
  }
  text.refuse("the file ends within its header", "the line 'end_header' is missing", "Give a whole file");
}

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& name)
      : text_(bytes, name),
        bytes_(bytes),
        header_(read_header(text_)),
        at_(text_.behind_line()),
        builder_(name, is_text() ? ":" : ":byte ") {}

  TriangleMesh read() {
    for (const PlyElement& element : header_.elements) {
      check_size(element);
      if (element.name == "vertex") {
        read_points(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else if (!element.properties.empty()) {
        for (std::int64_t i = 0; i < element.count; ++i)
          for (const PlyProperty& property : element.properties) skip(property);
      }
    }
    return builder_.finish();
  }

 private:
  bool is_text() const { return header_.format == PlyFormat::text; }
  std::int64_t place() const { return is_text() ? text_.line() : static_cast<std::int64_t>(at_); }
  [[noreturn]] void refuse(const std::string& problem, const std::string& why,
                           const std::string& remedy = "Mend the mesh") const {
    builder_.refuse(place(), problem, why, remedy);
  }

  template <class T>
  double take() {
    if (bytes_.size() - at_ < sizeof(T))
      refuse("the file ends where numbers belong", "its header promises more", "Give a whole file");
    at_ += sizeof(T);
    const bool is_little = header_.format == PlyFormat::little_endian;
    return read_binary<T>(bytes_, at_ - sizeof(T), is_little ? std::endian::little : std::endian::big);
  }

  /// Read the next number. Every integer type of .ply fits in a double.
  double number(PlyType type) {
    if (is_text()) return text_.real(text_.word_across_lines());
    switch (type) {
      case PlyType::int8:
        return take<std::int8_t>();
      case PlyType::uint8:
        return take<std::uint8_t>();
      case PlyType::int16:
        return take<std::int16_t>();
      case PlyType::uint16:
        return take<std::uint16_t>();
      case PlyType::int32:
        return take<std::int32_t>();
      case PlyType::uint32:
        return take<std::uint32_t>();
      case PlyType::float32:
        return take<float>();
      case PlyType::float64:
        return take<double>();
    }
    return 0.0;
  }

  std::int64_t integer(PlyType type) {
    constexpr double largest = 1e15;  // a double holds every integer below 1e15
    const double x = number(type);
    if (!(std::abs(x) <= largest) || x != std::floor(x))
      refuse(fmt::format("{} is not an integer", x), "an integer belongs there");
    return static_cast<std::int64_t>(x);
  }

  std::int64_t list_length(const PlyProperty& property) {
    const std::int64_t n = integer(*property.count_type);
    if (n < 0 || static_cast<std::uint64_t>(n) > bytes_.size())
      refuse(fmt::format("a list of {} entries", n), fmt::format("the file has {} bytes", bytes_.size()));
    return n;
  }

  void skip(const PlyProperty& property) {
    const std::int64_t n = property.count_type ? list_length(property) : 1;
    for (std::int64_t i = 0; i < n; ++i) number(property.type);
  }

  /// Check that the elements that the header announces fit into the file.
  void check_size(const PlyElement& element) const {
    std::size_t least = 0;
    for (const PlyProperty& property : element.properties)
      least += is_text() ? 1 : type_bytes[static_cast<std::size_t>(property.count_type.value_or(property.type))];
    if (least == 0 || static_cast<std::uint64_t>(element.count) <= bytes_.size() / least) return;
    refuse(fmt::format("{} elements '{}'", element.count, printable(element.name)),
           fmt::format("the file has {} bytes", bytes_.size()));
  }

  void read_points(const PlyElement& element) {
    const std::array<int, 3> axes = {element.find("x"), element.find("y"), element.find("z")};
    for (const int axis : axes)
      if (axis < 0 || element.properties[static_cast<std::size_t>(axis)].count_type)
        refuse("the vertices lack a property x, y or z", "their position is unknown");
    for (std::int64_t i = 0; i < element.count; ++i) {
      Vec3 x = Vec3::Zero();
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const auto axis = std::ranges::find(axes, static_cast<int>(p)) - axes.begin();
        if (axis == 3) {
          skip(element.properties[p]);
        } else {
          x[axis] = number(element.properties[p].type);
        }
      }
      builder_.add_point(x, place());
    }
  }

  void read_faces(const PlyElement& element) {
    const int found = std::max(element.find("vertex_indices"), element.find("vertex_index"));
    const PlyProperty* const list = found < 0 ? nullptr : &element.properties[static_cast<std::size_t>(found)];
    if (!list || !list->count_type || !is_integer(list->type))
      refuse("the faces lack a list of integers vertex_indices", "their corners are unknown");
    std::vector<std::int64_t> corners;
    for (std::int64_t i = 0; i < element.count; ++i)
      for (const PlyProperty& property : element.properties) {
        if (&property != list) {
          skip(property);
          continue;
        }
        corners.resize(static_cast<std::size_t>(list_length(property)));
        if (corners.size() < 3)
          refuse(fmt::format("a face has {} corners", corners.size()), "a face needs at least three");
        const std::int64_t its_place = place();
        for (std::int64_t& corner : corners) corner = integer(property.type);
        builder_.add_polygon(corners, its_place);
      }
  }

  MeshText text_;
  std::string_view bytes_;
  PlyHeader header_;
  std::size_t at_;  ///< index of the next number's first byte in a binary file
  MeshBuilder builder_;
};

}  // namespace

TriangleMesh read_ply(std::string_view bytes, const std::string& name) {
  return PlyReader(bytes, name).read();
}

}  // namespace freshet
