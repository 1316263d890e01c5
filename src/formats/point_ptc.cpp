// SPDX-License-Identifier: Apache-2.0
// RenderMan's point clouds: a point has a position, a normal as two 16-bit angles, a radius, and its numbers
// as 32-bit floats.
#include "formats/bytes.hpp"
#include "formats/point_formats.hpp"
#include "freshet/core/floating_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace freshet::formats {
namespace {

constexpr std::string_view magic = "pptc";
constexpr std::uint16_t no_normal = 65535;  ///< value of both angles
constexpr std::array<float, 16> identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

int width_of(const std::string& type) {
  if (type == "float") return 1;
  if (type == "matrix") return 16;
  return type == "vector" || type == "normal" || type == "point" || type == "color" ? 3 : 0;
}

class PtcReader : public PointReader {
 public:
  explicit PtcReader(const std::string& path) : input_(path) {
    std::array<char, 4> start{};
    input_.bytes(start.data(), start.size());
    if (std::string_view(start.data(), 4) != magic)
      input_.refuse("it does not begin with pptc", "it is of another kind");
    const auto version = input_.little<std::int32_t>();
    if (version < 0 || version > 2) input_.refuse(fmt::format("it has version {}", version), "0, 1 and 2 are known");
    const WithoutTraps suspended;  // the number may be NaN or overflow
    const auto n = input_.little<double>();
    if (!(n >= 0.0 && n < 1e15)) input_.refuse("the number of points is senseless", "the file is damaged");
    left_ = static_cast<std::int64_t>(n);
    // bounding box; since version 1 four numbers, since 2 the largest radius and 32 more; two matrices; picture size
    const int skipped = 6 + (version >= 1 ? 4 : 0) + (version >= 2 ? 33 : 0) + 32 + 3;
    input_.seek(input_.at() + 4 * skipped);
    const auto n_attributes = input_.little<std::int32_t>();
    const auto n_numbers = input_.little<std::int32_t>();
    if (n_attributes < 0 || n_attributes > most_attributes)
      input_.refuse("the number of attributes is senseless", "the file is damaged");
    int found = 0;
    for (std::int32_t a = 0; a < n_attributes; ++a) found += read_attribute();
    if (found != n_numbers) input_.refuse("the attributes do not add up", "the file is damaged");
    if (version >= 1) input_.seek(input_.at() + 8);
    input_.expect_points(left_, 20 + 4 * found);
  }

  void read(std::int64_t n, PointCloud& cloud) override {
    n = std::min(n, left_);
    cloud.attributes = attributes_;
    resize_points(cloud, n);
    for (std::size_t p = 0; p < static_cast<std::size_t>(n); ++p) {
      for (std::size_t d = 0; d < 3; ++d) cloud.positions[3 * p + d] = input_.little<float>();
      input_.little<std::uint32_t>();  // normal
      cloud.radius = input_.little<float>();
      for (PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i) attribute.reals[i] = input_.little<float>();
      }
    }
    left_ -= n;
  }

 private:
  int read_attribute() {
    const std::string line = input_.text_until('\n');  // for example "float tag"
    const std::size_t end = std::min(line.find(' '), line.size());
    const int width = width_of(line.substr(0, end));
    if (width == 0)
      input_.refuse("an attribute has an unknown type", "float, vector, normal, point, color and matrix are known");
    const std::size_t name = line.find_first_not_of(' ', end);
    attributes_.push_back({name == std::string::npos ? "" : line.substr(name), width, false, {}, {}});
    return width;
  }

  PointInput input_;
  std::vector<PointAttribute> attributes_;
  std::int64_t left_ = 0;
};

std::string head_of(const PointCloud& cloud) {
  std::array<float, 6> box;
  for (std::size_t d = 0; d < 3; ++d) {
    box[d] = std::numeric_limits<float>::max();
    box[d + 3] = std::numeric_limits<float>::lowest();
  }
  for (std::size_t i = 0; i < cloud.positions.size(); ++i) {
    box[i % 3] = std::min(box[i % 3], cloud.positions[i]);
    box[i % 3 + 3] = std::max(box[i % 3 + 3], cloud.positions[i]);
  }
  if (cloud.positions.empty()) box.fill(0.0F);
  std::string bytes(magic);
  put(bytes, std::int32_t{0});  // version
  put(bytes, static_cast<double>(cloud.size()));
  for (const float x : box) put(bytes, x);
  for (int matrix = 0; matrix < 2; ++matrix)  // from world to eye, and from eye to screen
    for (const float x : identity) put(bytes, x);
  for (const float x : {640.0F, 480.0F, 1.0F}) put(bytes, x);  // size of a picture, which the format requires
  std::int32_t width = 0;
  std::string names;
  for (const PointAttribute& attribute : cloud.attributes) {
    width += attribute.components;
    const char* type = attribute.components == 1 ? "float" : attribute.name == "color" ? "color" : "vector";
    names += fmt::format("{} {}\n", type, attribute.name);
  }
  put(bytes, static_cast<std::int32_t>(cloud.attributes.size()));
  put(bytes, width);
  return bytes + names;
}

}  // namespace

void write_ptc(const PointCloud& given, AtomicFile& file) {
  const PointCloud cloud = with_narrow_attributes(given);
  file.write(head_of(cloud));
  write_pieces(cloud.size(), file, [&](std::int64_t first, std::int64_t last, std::string& bytes) {
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      for (std::size_t d = 0; d < 3; ++d) put(bytes, cloud.positions[3 * p + d]);
      put(bytes, no_normal);
      put(bytes, no_normal);
      put(bytes, cloud.radius);
      for (const PointAttribute& attribute : cloud.attributes) {
        const auto width = static_cast<std::size_t>(attribute.components);
        for (std::size_t i = p * width; i < (p + 1) * width; ++i)
          put(bytes, attribute.integer ? static_cast<float>(attribute.integers[i]) : attribute.reals[i]);
      }
    }
  });
}

std::unique_ptr<PointReader> open_ptc(const std::string& path) {
  return std::make_unique<PtcReader>(path);
}

}  // namespace freshet::formats
