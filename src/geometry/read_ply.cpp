// SPDX-License-Identifier: Apache-2.0
#include "binary.hpp"
#include "mesh_builder.hpp"
#include "ply_header.hpp"

#include <fmt/format.h>

/// Stanford polygons .ply: the points are the element `vertex` with x, y, z, the faces the element `face` with a list
/// vertex_indices (or vertex_index). Other elements are ignored.
namespace freshet {
namespace {

/// Numbers behind the header of a text file. A missing number is found when it is read.
class TextValues {
 public:
  TextValues(MeshText& text, std::string_view) : text_(text) {}
  double real(PlyType) { return text_.real(text_.word_across_lines()); }
  std::int64_t integer(PlyType) { return text_.integer(text_.word_across_lines()); }
  void skip(PlyType, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) text_.real(text_.word_across_lines());
  }
  std::int64_t place() const { return text_.line(); }
  static const char* place_name() { return ":"; }

 private:
  MeshText& text_;
};

/// Numbers behind the header of a binary file.
template <std::endian order>
class BinaryValues {
 public:
  BinaryValues(MeshText& text, std::string_view bytes) : text_(text), bytes_(bytes), at_(text.behind_line()) {}

  double real(PlyType type) {
    switch (type) {
      case PlyType::float32:
        return next<float>();
      case PlyType::float64:
        return next<double>();
      default:
        return static_cast<double>(integer(type));
    }
  }
  /// \pre  is_integer(type)
  std::int64_t integer(PlyType type) {
    switch (type) {
      case PlyType::int8:
        return next<std::int8_t>();
      case PlyType::uint8:
        return next<std::uint8_t>();
      case PlyType::int16:
        return next<std::int16_t>();
      case PlyType::uint16:
        return next<std::uint16_t>();
      case PlyType::int32:
        return next<std::int32_t>();
      default:
        return next<std::uint32_t>();
    }
  }
  void skip(PlyType type, std::int64_t n) {
    need(bytes_of(type), n);
    at_ += bytes_of(type) * static_cast<std::size_t>(n);
  }
  std::int64_t place() const { return static_cast<std::int64_t>(at_); }
  static const char* place_name() { return ":byte "; }

 private:
  void need(std::size_t size, std::int64_t n) const {
    if (static_cast<std::size_t>(n) <= (bytes_.size() - at_) / size) return;
    refuse_mesh(text_.name() + ":byte " + std::to_string(at_), "the file ends where numbers belong",
                "its header promises more", "Give a whole file");
  }
  template <class T>
  T next() {
    need(sizeof(T), 1);
    at_ += sizeof(T);
    return read_binary<T>(bytes_, at_ - sizeof(T), order);
  }

  const MeshText& text_;
  std::string_view bytes_;
  std::size_t at_;
};

template <class Values>
class PlyReader {
 public:
  PlyReader(MeshText& text, std::string_view bytes, const PlyHeader& header)
      : text_(text), bytes_(bytes), values_(text, bytes), header_(header) {}

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
    return builder_.finish(text_.name() + Values::place_name());
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const {
    refuse_mesh(text_.name() + Values::place_name() + std::to_string(values_.place()), problem, why, "Mend the mesh");
  }

  /// Check that the elements which the header announces fit into the file.
  void check_size(const PlyElement& element) const {
    const std::size_t least = std::max<std::size_t>(element.least_bytes(header_.format), 1);
    if (element.properties.empty() || static_cast<std::uint64_t>(element.count) <= bytes_.size() / least) return;
    refuse(fmt::format("{} elements '{}'", element.count, printable(element.name)),
           fmt::format("the file has {} bytes", bytes_.size()));
  }

  std::int64_t list_length(const PlyProperty& property) {
    const std::int64_t n = values_.integer(*property.count_type);
    if (n < 0 || static_cast<std::uint64_t>(n) > bytes_.size()) {
      refuse(fmt::format("a list of {} entries", n), fmt::format("the file has {} bytes", bytes_.size()));
    }
    return n;
  }

  void skip(const PlyProperty& property) {
    values_.skip(property.type, property.count_type ? list_length(property) : 1);
  }

  void read_points(const PlyElement& element) {
    const std::array<int, 3> axes = {element.find("x"), element.find("y"), element.find("z")};
    for (const int axis : axes)
      if (axis < 0 || element.properties[static_cast<std::size_t>(axis)].count_type)
        refuse("the vertices lack a property x, y or z", "they have no place");
    for (std::int64_t i = 0; i < element.count; ++i) {
      Vec3 x = Vec3::Zero();
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        int axis = 0;
        while (axis < 3 && axes[static_cast<std::size_t>(axis)] != static_cast<int>(p)) ++axis;
        if (axis == 3) {
          skip(property);
          continue;
        }
        x[axis] = values_.real(property.type);
        if (!(std::abs(x[axis]) <= farthest_coordinate))
          check_coordinate(x[axis], text_.name() + Values::place_name() + std::to_string(values_.place()));
      }
      builder_.add_point(x, text_.name());
    }
  }

  void read_faces(const PlyElement& element) {
    int corners = element.find("vertex_indices");
    if (corners < 0) corners = element.find("vertex_index");
    const PlyProperty* const list = corners < 0 ? nullptr : &element.properties[static_cast<std::size_t>(corners)];
    if (!list || !list->count_type || !is_integer(list->type))
      refuse("the faces lack a list of integers vertex_indices", "they have no corners");
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < element.count; ++i) {
      const std::int64_t place = values_.place();
      for (const PlyProperty& property : element.properties) {
        if (&property != list) {
          skip(property);
          continue;
        }
        const std::int64_t n = list_length(property);
        if (n < 3) refuse(fmt::format("a face of {} corners", n), "it takes three");
        numbers.clear();
        for (std::int64_t k = 0; k < n; ++k) numbers.push_back(values_.integer(property.type));
        builder_.add_polygon(numbers, std::max<std::int64_t>(place, values_.place() * is_text));
      }
    }
  }

  static constexpr std::int64_t is_text = std::is_same_v<Values, TextValues> ? 1 : 0;

  MeshText& text_;
  std::string_view bytes_;
  Values values_;
  const PlyHeader& header_;
  MeshBuilder builder_;
};

}  // namespace

TriangleMesh read_ply(std::string_view bytes, const std::string& name) {
  MeshText text(bytes, name);
  const PlyHeader header = read_ply_header(text);
  switch (header.format) {
    case PlyFormat::text:
      return PlyReader<TextValues>(text, bytes, header).read();
    case PlyFormat::little_endian:
      return PlyReader<BinaryValues<std::endian::little>>(text, bytes, header).read();
    case PlyFormat::big_endian:
      return PlyReader<BinaryValues<std::endian::big>>(text, bytes, header).read();
  }
  return {};
}

}  // namespace freshet
