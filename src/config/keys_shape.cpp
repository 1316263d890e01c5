// SPDX-License-Identifier: Apache-2.0
// The keys of a shape.
#include "key_tables.hpp"
#include "targets.hpp"

#include <algorithm>

namespace freshet::config {
namespace {

std::vector<Key> transform_keys(TransformParameters& transform) {
  return {
      {"scale", between(transform.scale, 1e-9, 1e9), "",
       "First the shape is scaled by this about the origin of coordinates (in 2-D within the plane)."},
      {"rotate.axis", VectorTarget{&transform.axis, ThirdEntry::zero}, "",
       "Then it is rotated about this direction, of any length; in 2-D that of z."},
      {"rotate.angle", RealTarget{&transform.angle, {}}, "degrees",
       "Angle of that rotation, counter-clockwise seen from the end of the axis."},
      {"rotate.center", VectorTarget{&transform.center, ThirdEntry::zero}, "m",
       "A point that the rotation leaves fixed."},
      {"translate", VectorTarget{&transform.translate, ThirdEntry::zero}, "m", "Then it is moved by this."},
  };
}

}  // namespace

std::vector<Key> keys_of(ShapeParameters& s) {
  using enum ShapeKind;
  const std::vector<ShapeKind> combinations = {union_of, intersection_of, difference_of};
  const std::vector<ShapeKind> with_ends = {cylinder, capsule};
  const auto point = [](Vec3& value) { return VectorTarget{&value, ThirdEntry::middle}; };
  std::vector<Key> keys = {
      {"shape", choice(s.kind, shape_names()), "", "Kind of shape; it says which of the keys below count.", fixed,
       required},
      {"lower", VectorTarget{&s.lower, ThirdEntry::below}, "m", "Low corner.", fixed, required, {box}},
      {"upper", VectorTarget{&s.upper, ThirdEntry::above}, "m", "High corner.", fixed, required, {box}},
      {"center", point(s.center), "m", "Centre.", fixed, required, {sphere, torus}},
      {"start", point(s.start), "m", "Centre of one end: of a cap, or of a capsule's sphere.", fixed, required,
       with_ends},
      {"end", point(s.end), "m", "Centre of the other end.", fixed, required, with_ends},
      {"radius", above(s.radius, 0.0), "m", "Radius.", fixed, required, {sphere, cylinder, capsule}},
      {"point", point(s.point), "m", "A point of the plane.", fixed, required, {half_space}},
      {"normal",
       VectorTarget{&s.normal, ThirdEntry::must_vanish},
       "",
       "Direction out of the shape, of any length.",
       fixed,
       required,
       {half_space}},
      {"axis",
       VectorTarget{&s.axis, ThirdEntry::zero},
       "",
       "Direction of the axis of symmetry, of any length.",
       fixed,
       required,
       {torus}},
      {"major_radius", above(s.major_radius, 0.0), "m", "Radius of the tube's centre line.", fixed, required, {torus}},
      {"minor_radius", above(s.minor_radius, 0.0), "m", "Radius of the tube.", fixed, required, {torus}},
      {"file",
       TextTarget{&s.file},
       "",
       "Triangle mesh (.obj, .stl, .ply), or particles (.csv, .txt, .h5, .geo, .obj), as seen from the case file's "
       "directory.",
       at_restart,
       required,
       {mesh, particles}},
      {"file_hash",
       TextTarget{&s.file_hash},
       "",
       "Hash of that file's bytes; if given, another file is refused.",
       fixed,
       Presence::optional,
       {mesh, particles}},
      {"parts", TablesTarget<ShapeParameters>{&s.parts}, "",
       "The shapes it is made of; a difference is the first without the others.", fixed, required, combinations},
  };
  append(keys, transform_keys(s.transform));
  return keys;
}

bool applies_to(const Key& key, ShapeKind kind) {
  return key.shapes.empty() || std::find(key.shapes.begin(), key.shapes.end(), kind) != key.shapes.end();
}

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"box",   "sphere", "cylinder",     "half_space", "union",    "capsule",
                                                 "torus", "mesh",   "intersection", "difference", "particles"};
  return names;
}

}  // namespace freshet::config
