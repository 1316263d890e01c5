// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "mesh_reader.hpp"
#include "mesh_repair.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace freshet {
namespace {

std::string_view without_plus(std::string_view word) {
  return word.starts_with('+') ? word.substr(1) : word;
}

/// The index, from 0, of the point of a corner in an .obj.
std::int64_t corner_of(const MeshText& text, std::string_view word, std::int64_t n_points) {
  const std::int64_t index = text.integer(word.substr(0, word.find('/')));
  if (index == 0) text.refuse("a face has point 0", "points are counted from 1, or backwards from -1");
  if (index < -n_points)
    text.refuse(fmt::format("a face has point {}", index),
                fmt::format("there are {} points before this line", n_points));
  return index > 0 ? index - 1 : n_points + index;
}

/// Wavefront .obj: lines `v x y z` and `f a b c ...`, where a corner is `v`, `v/t`, `v//n` or `v/t/n`, counted from 1,
/// or backwards from -1. Other lines are ignored.
TriangleMesh read_obj(std::string_view bytes, const std::string& name) {
  MeshText text(bytes, name);
  MeshBuilder builder(name, ":");
  std::vector<std::int64_t> corners;
  while (text.next_line()) {
    const std::string_view kind = text.word();
    if (kind == "v") {
      Vec3 x;
      for (int axis = 0; axis < 3; ++axis) x[axis] = text.real(text.word());
      builder.add_point(x, text.line());
    } else if (kind == "f") {
      corners.clear();
      for (std::string_view word = text.word(); !word.empty() && word[0] != '#'; word = text.word())
        corners.push_back(corner_of(text, word, builder.n_points()));
      if (corners.size() < 3)
        text.refuse(fmt::format("a face has {} corners", corners.size()), "a face needs at least three");
      builder.add_polygon(corners, text.line());
    }
  }
  return builder.finish();
}

}  // namespace

void refuse_mesh(const std::string& where, const std::string& problem, const std::string& why,
                 const std::string& remedy) {
  throw InputError(where + ": " + problem + " (" + why + "). " + remedy);
}

/// The end of the line that begins at a byte, and the begin of the next line. A carriage return ends a line, alone or
/// with a line feed behind it. If a carriage return alone ends the first line, it does so in all lines.
std::pair<std::size_t, std::size_t> MeshText::find_end(std::size_t begin) {
  const std::size_t end = std::min(bytes_.find_first_of("\r\n", begin), bytes_.size());
  if (end == bytes_.size()) return {end, end};
  const bool is_pair = bytes_[end] == '\r' && end + 1 < bytes_.size() && bytes_[end + 1] == '\n';
  if (line_ == 0) returns_alone_ = bytes_[end] == '\r' && !is_pair;
  return {end, end + (is_pair && !returns_alone_ ? 2 : 1)};
}

bool MeshText::next_line() {
  if (end_ >= bytes_.size()) return false;
  at_ = end_;
  std::size_t last = 0;  // index behind the line's last character
  const std::int64_t first_line = next_line_;
  do {
    std::tie(last, end_) = find_end(end_);
    line_ = first_line;
    ++next_line_;
  } while (last > at_ && bytes_[last - 1] == '\\' && end_ < bytes_.size());
  return true;
}

std::string_view MeshText::word() {
  const auto is_gap = [this](std::size_t i) {
    if (std::string_view(" \t\r\n\v\f").find(bytes_[i]) != std::string_view::npos) return true;
    return bytes_[i] == '\\' && i + 1 < end_ && (bytes_[i + 1] == '\n' || bytes_[i + 1] == '\r');
  };
  while (at_ < end_ && is_gap(at_)) ++at_;
  const std::size_t begin = at_;
  while (at_ < end_ && !is_gap(at_)) ++at_;
  return bytes_.substr(begin, at_ - begin);
}

std::string_view MeshText::word_across_lines() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty() || !next_line()) return found;
  }
}

double MeshText::real(std::string_view word) const {
  if (const auto value = number_in<double>(without_plus(word))) return *value;
  if (word.empty()) refuse("a number is missing at the end of the line", "the mesh is cut off or damaged");
  refuse("'" + printable(word) + "' is not a number", "a number belongs there");
}

std::int64_t MeshText::integer(std::string_view word) const {
  if (const auto value = number_in<std::int64_t>(without_plus(word))) return *value;
  refuse("'" + printable(word) + "' is not an integer", "an integer belongs there");
}

void MeshBuilder::add_point(const Vec3& x, std::int64_t place) {
  if (mesh_.points.size() == most_mesh_points)
    refuse(place, "the mesh has too many points", fmt::format("at most {} are legal", most_mesh_points), "Simplify it");
  for (const double coordinate : x)
    if (!(std::abs(coordinate) <= farthest_coordinate))
      refuse(place,
             std::isfinite(coordinate) ? fmt::format("a coordinate is {:g}", coordinate)
                                       : "a coordinate is not a finite number",
             fmt::format("coordinates reach from -{0:g} to {0:g}", farthest_coordinate));
  mesh_.points.push_back(x);
}

void MeshBuilder::add_polygon(std::span<const std::int64_t> corners, std::int64_t place) {
  for (const std::int64_t corner : corners) {
    if (corner < 0 || corner >= static_cast<std::int64_t>(most_mesh_points))
      refuse(place, fmt::format("a face has point {}, counted from 0", corner),
             fmt::format("a mesh has at most {} points", most_mesh_points));
    corners_.push_back(static_cast<std::int32_t>(corner));
  }
  polygons_.push_back({place, static_cast<std::uint32_t>(corners.size())});
}

TriangleMesh MeshBuilder::finish() {
  std::size_t first = 0;
  for (const Polygon& polygon : polygons_) {
    const std::span<const std::int32_t> corners(corners_.data() + first, polygon.n_corners);
    first += polygon.n_corners;
    for (const std::int32_t corner : corners)
      if (corner >= n_points())
        refuse(polygon.place, fmt::format("a face has point {}, counted from 0", corner),
               fmt::format("the mesh has {} points", n_points()));
    if (mesh_.triangles.size() + polygon.n_corners > most_mesh_triangles)
      refuse(polygon.place, "the mesh has too many triangles", fmt::format("at most {} are legal", most_mesh_triangles),
             "Simplify it");
    cut_polygon(corners, mesh_.points, mesh_.triangles);
  }
  return std::move(mesh_);
}

TriangleMesh parse_mesh(std::string_view bytes, const std::string& name) {
  // A binary .stl may begin with any bytes, which count for its length.
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark) && !is_binary_stl(bytes)) bytes.remove_prefix(byte_order_mark.size());
  const WithoutTraps suspended;  // numbers that overflow here are refused afterwards
  const std::size_t dot = name.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : lower_case(name.substr(dot));
  if (ending == ".obj") return read_obj(bytes, name);
  if (ending == ".stl") return read_stl(bytes, name);
  if (ending == ".ply") return read_ply(bytes, name);
  throw InputError(name +
                   ": unknown kind of mesh (its name does not end in .obj, .stl or .ply). Convert it to one of them");
}

}  // namespace freshet
