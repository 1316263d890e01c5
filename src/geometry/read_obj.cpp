// SPDX-License-Identifier: Apache-2.0
#include "mesh_builder.hpp"
#include "mesh_text.hpp"

#include <string>
#include <vector>

/// Wavefront .obj: lines `v x y z` and `f a b c ...`, where a corner is `v`, `v/t`, `v//n` or `v/t/n`, counted from 1,
/// or backwards from -1. Other lines are ignored.
namespace freshet {
namespace {

/// The index of a corner's point, counted from 0.
std::int64_t corner_of(const MeshText& text, std::string_view word, std::int64_t n_points) {
  const std::int64_t index = text.integer(word.substr(0, word.find('/')));
  if (index == 0) text.refuse("a face has point 0", "points are counted from 1, or backwards from -1", "Mend the mesh");
  if (index < -n_points)
    text.refuse("a face has point " + std::to_string(index),
                "there are " + std::to_string(n_points) + " points before this line", "Mend the mesh");
  return index > 0 ? index - 1 : n_points + index;
}

}  // namespace

TriangleMesh read_obj(std::string_view bytes, const std::string& name) {
  MeshText text(bytes, name);
  MeshBuilder builder;
  std::vector<std::int64_t> corners;
  while (text.next_line()) {
    const std::string_view kind = text.word();
    if (kind == "v") {
      Vec3 x;
      for (int axis = 0; axis < 3; ++axis) x[axis] = text.coordinate(text.word());
      builder.add_point(x, name);
    } else if (kind == "f") {
      corners.clear();
      for (std::string_view word = text.word(); !word.empty() && word[0] != '#'; word = text.word())
        corners.push_back(corner_of(text, word, builder.n_points()));
      if (corners.size() < 3)
        text.refuse("a face of " + std::to_string(corners.size()) + " corners", "it takes three", "Mend the mesh");
      builder.add_polygon(corners, text.line());
    }
  }
  return builder.finish(name + ":");
}

}  // namespace freshet
