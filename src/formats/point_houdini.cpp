// SPDX-License-Identifier: Apache-2.0
// Houdini's classic geometry of version 5, as text (.geo) and binary (.bgeo, big-endian): points without primitives. A
// point has x, y, z, w and its attributes.
#include "formats/bytes.hpp"
#include "formats/point_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace freshet::formats {
namespace {

enum Type : std::int32_t { real = 0, whole = 1, index = 4, vector = 5 };

/// Pairs of freshet's and Houdini's names, for attributes with a meaning in Houdini.
constexpr std::array<std::pair<const char*, const char*>, 2> names{{{"velocity", "v"}, {"color", "Cd"}}};

std::string name_for_houdini(const std::string& name) {
  for (const auto& [ours, theirs] : names)
    if (name == ours) return theirs;
  return name;
}

std::string name_of_ours(const std::string& name) {
  for (const auto& [ours, theirs] : names)
    if (name == theirs) return ours;
  return name;
}

Type type_of(const PointAttribute& attribute) {
  if (attribute.integer) return whole;
  return attribute.name == "velocity" && attribute.components == 3 ? vector : real;
}

template <class T>
void put_big(std::string& bytes, T value) {
  put(bytes, value);
  std::reverse(bytes.end() - static_cast<std::ptrdiff_t>(sizeof(T)), bytes.end());
}

void put_name(std::string& bytes, const std::string& name) {
  put_big(bytes, static_cast<std::uint16_t>(name.size()));
  bytes += name;
}

/// Call take(attribute, place) for each component of each attribute of a point.
template <class Take>
void for_each_component(PointCloud& cloud, std::size_t point, Take&& take) {
  for (PointAttribute& attribute : cloud.attributes) {
    const auto width = static_cast<std::size_t>(attribute.components);
    for (std::size_t c = 0; c < width; ++c) take(attribute, point * width + c);
  }
}

class GeoReader : public PointReader {
 public:
  explicit GeoReader(const std::string& path) : words_(path) {
    PointInput& input = words_.input();
    const std::string magic = words_.next("PGEOMETRY");
    if (magic.starts_with('['))
      input.refuse("it is Houdini's JSON, not the classic text",
                   "it becomes a .csv table with analysis/convert_particles.py");
    if (magic != "PGEOMETRY" || words_.next("V5") != "V5")
      input.refuse("it does not begin with PGEOMETRY V5", "it is of another kind");
    std::int64_t n_attributes = 0;
    for (std::string word; word != "NAttrib";) {
      word = words_.next("NAttrib");
      const std::int64_t value = words_.integer("the value of " + word);
      if (word == "NPoints") left_ = value;
      if (word == "NPointAttrib") n_attributes = value;
    }
    input.expect_points(left_, 6);
    if (n_attributes < 0 || n_attributes > most_attributes)
      input.refuse("the number of attributes is senseless", "the file is damaged");
    if (n_attributes > 0 && words_.next("PointAttrib") != "PointAttrib")
      input.refuse("PointAttrib is missing", "the header announces it");
    for (std::int64_t a = 0; a < n_attributes; ++a) read_attribute();
  }

  void read(std::int64_t n, PointCloud& cloud) override {
    n = std::min(n, left_);
    cloud.attributes = attributes_;
    resize_points(cloud, n);
    for (std::size_t p = 0; p < static_cast<std::size_t>(n); ++p) {
      for (std::size_t d = 0; d < 3; ++d) cloud.positions[3 * p + d] = words_.real();
      words_.real();  // w
      for_each_component(cloud, p, [&](PointAttribute& attribute, std::size_t at) {
        if (attribute.integer) {
          attribute.integers[at] = words_.integer("a value of " + attribute.name);
        } else {
          attribute.reals[at] = words_.real();
        }
      });
    }
    left_ -= n;
  }

 private:
  void read_attribute() {
    PointAttribute attribute;
    attribute.name = name_of_ours(words_.next("the name of an attribute"));
    const std::int64_t size = words_.integer("the size of an attribute");
    const std::string type = words_.next("the type of an attribute");
    if (size < 1 || size > most_components)
      words_.input().refuse("the size of an attribute is senseless", "the file is damaged");
    attribute.components = static_cast<int>(size);
    attribute.integer = type == "int" || type == "index";
    if (type == "index") {
      const std::int64_t n_texts = words_.integer("the number of texts");
      for (std::int64_t i = 0; i < n_texts; ++i) words_.next("a text");
      attribute.components = 1;
    } else if (type == "int" || type == "float" || type == "vector") {
      for (std::int64_t i = 0; i < size; ++i) words_.real();  // default values
    } else {
      words_.input().refuse("an attribute has the type '" + type + "'", "int, float, vector and index are known");
    }
    attributes_.push_back(attribute);
  }

  PointWords words_;
  std::vector<PointAttribute> attributes_;
  std::int64_t left_ = 0;
};

class BgeoReader : public PointReader {
 public:
  explicit BgeoReader(const std::string& path) : input_(path) {
    std::array<char, 5> magic{};
    input_.bytes(magic.data(), magic.size());
    if (std::string_view(magic.data(), 5) != "BgeoV" || input_.big<std::int32_t>() != 5)
      input_.refuse("it is no classic binary geometry of version 5",
                    "since version 12 Houdini calls it .bhclassic and writes another format under .bgeo");
    left_ = input_.big<std::int32_t>();
    for (int i = 0; i < 3; ++i) input_.big<std::int32_t>();  // numbers of primitives and groups
    const auto n_attributes = input_.big<std::int32_t>();
    for (int i = 0; i < 3; ++i) input_.big<std::int32_t>();  // attributes of vertices, primitives, the whole
    if (n_attributes < 0 || n_attributes > most_attributes)
      input_.refuse("the number of attributes is senseless", "the file is damaged");
    for (std::int32_t a = 0; a < n_attributes; ++a) read_attribute();
    std::int64_t width = 4;
    for (const PointAttribute& attribute : attributes_) width += attribute.components;
    input_.expect_points(left_, 4 * width);
  }

  void read(std::int64_t n, PointCloud& cloud) override {
    n = std::min(n, left_);
    cloud.attributes = attributes_;
    resize_points(cloud, n);
    for (std::size_t p = 0; p < static_cast<std::size_t>(n); ++p) {
      for (std::size_t d = 0; d < 3; ++d) cloud.positions[3 * p + d] = input_.big<float>();
      input_.big<float>();  // w
      for_each_component(cloud, p, [&](PointAttribute& attribute, std::size_t at) {
        if (attribute.integer) {
          attribute.integers[at] = input_.big<std::int32_t>();
        } else {
          attribute.reals[at] = input_.big<float>();
        }
      });
    }
    left_ -= n;
  }

 private:
  std::string read_name() {
    std::string name(input_.big<std::uint16_t>(), '\0');
    input_.bytes(name.data(), name.size());
    return name;
  }

  void read_attribute() {
    PointAttribute attribute;
    attribute.name = name_of_ours(read_name());
    attribute.components = input_.big<std::uint16_t>();
    const auto type = input_.big<std::int32_t>();
    if (attribute.components < 1 || attribute.components > most_components)
      input_.refuse("the size of an attribute is senseless", "the file is damaged");
    attribute.integer = type == whole || type == index;
    if (type == index) {
      const auto n_texts = input_.big<std::int32_t>();
      for (std::int32_t i = 0; i < n_texts; ++i) read_name();
    } else if (type == real || type == whole || type == vector) {
      for (int i = 0; i < attribute.components; ++i) input_.big<std::int32_t>();  // default values
    } else {
      input_.refuse(fmt::format("an attribute has the type {}", type), "0, 1, 4 and 5 are known");
    }
    attributes_.push_back(attribute);
  }

  PointInput input_;
  std::vector<PointAttribute> attributes_;
  std::int64_t left_ = 0;
};

}  // namespace

void write_geo(const PointCloud& cloud, AtomicFile& file) {
  std::string head = fmt::format(
      "PGEOMETRY V5\nNPoints {} NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib {} NVertexAttrib 0 "
      "NPrimAttrib 0 NAttrib 0\n",
      cloud.size(), cloud.attributes.size());
  if (!cloud.attributes.empty()) head += "PointAttrib\n";
  for (const PointAttribute& attribute : cloud.attributes) {
    const Type type = type_of(attribute);
    head += fmt::format("{} {} {}", name_for_houdini(attribute.name), attribute.components,
                        type == whole    ? "int"
                        : type == vector ? "vector"
                                         : "float");
    for (int c = 0; c < attribute.components; ++c) head += " 0";
    head += '\n';
  }
  file.write(head);
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) {
        put_text(bytes, cloud.positions[3 * p + d]);
        bytes += ' ';
      }
      bytes += '1';
      const char* before = " (";
      for (const PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t c = 0; c < width; ++c) {
          bytes += before;
          attribute.integer ? put_text(bytes, attribute.integers[p * width + c])
                            : put_text(bytes, attribute.reals[p * width + c]);
          before = " ";
        }
        before = "\t";
      }
      bytes += cloud.attributes.empty() ? "\n" : ")\n";
    }
  });
  file.write("beginExtra\nendExtra\n");
}

void write_bgeo(const PointCloud& cloud, AtomicFile& file) {
  std::string head = "BgeoV";
  const auto n_attributes = static_cast<std::int32_t>(cloud.attributes.size());
  for (const std::int32_t number : {5, static_cast<std::int32_t>(cloud.size()), 0, 0, 0, n_attributes, 0, 0, 0})
    put_big(head, number);
  for (const PointAttribute& attribute : cloud.attributes) {
    put_name(head, name_for_houdini(attribute.name));
    put_big(head, static_cast<std::uint16_t>(attribute.components));
    put_big(head, static_cast<std::int32_t>(type_of(attribute)));
    for (int c = 0; c < attribute.components; ++c) put_big(head, std::int32_t{0});
  }
  file.write(head);
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) put_big(bytes, cloud.positions[3 * p + d]);
      put_big(bytes, 1.0F);
      for (const PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i)
          attribute.integer ? put_big(bytes, static_cast<std::int32_t>(attribute.integers[i]))
                            : put_big(bytes, attribute.reals[i]);
      }
    }
  });
  file.write(std::string("\x00\xff", 2));  // an empty section of extra data
}

std::unique_ptr<PointReader> open_geo(const std::string& path) {
  return std::make_unique<GeoReader>(path);
}
std::unique_ptr<PointReader> open_bgeo(const std::string& path) {
  return std::make_unique<BgeoReader>(path);
}

}  // namespace freshet::formats
