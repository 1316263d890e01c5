// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/shape_parameters.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace freshet {
namespace {

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"box",   "sphere", "cylinder",     "half_space", "union",    "capsule",
                                                 "torus", "mesh",   "intersection", "difference", "particles"};
  return names;
}

/// Keys that are required, and that only some kinds of shape have.
keys::Keys only_for(const std::vector<ShapeKind>& kinds, keys::Keys rows) {
  for (keys::Key& key : rows) {
    key.presence = keys::required;
    key.kinds.key = "shape";
    for (const ShapeKind kind : kinds) key.kinds.names.push_back(shape_names()[static_cast<std::size_t>(kind)]);
  }
  return rows;
}

keys::Keys keys_of(TransformParameters& transform) {
  using namespace keys;
  return {
      {"scale", number(transform.scale, {1e-9, 1e9}), "",
       "Factor by which the shape is scaled about the origin of coordinates (in 2-D within the plane), before "
       "it is rotated."},
      {"rotate.axis", vector(transform.axis, ThirdEntry::zero), "",
       "Direction, of any length, about which the shape is rotated after scaling; in 2-D about z."},
      {"rotate.angle", number(transform.angle), "degrees",
       "Angle of the shape's rotation, counter-clockwise as seen from the end of rotate.axis."},
      {"rotate.center", vector(transform.center, ThirdEntry::zero), "m",
       "A point that the shape's rotation leaves fixed."},
      {"translate", vector(transform.translate, ThirdEntry::zero), "m",
       "Vector by which the shape is moved after scaling and rotation."},
  };
}

/// The keys that decide where a shape lies: those of its kind.
keys::Keys place_keys(ShapeParameters& s) {
  using namespace keys;
  using enum ShapeKind;
  using enum ThirdEntry;
  const Range<double> radius = keys::above(0.0, 1e100);
  Keys rows;
  const auto add = [&rows](const std::vector<ShapeKind>& kinds, Keys more) {
    append(rows, only_for(kinds, std::move(more)));
  };
  add({box}, {{"lower", vector(s.lower, below), "m", "Low corner."},
              {"upper", vector(s.upper, ThirdEntry::above), "m", "High corner."}});
  add({sphere, torus}, {{"center", vector(s.center, middle), "m", "Centre."}});
  add({cylinder, capsule},
      {{"start", vector(s.start, middle), "m", "Centre of one end: of a cap, or of a capsule's sphere."},
       {"end", vector(s.end, middle), "m", "Centre of the other end."}});
  add({sphere, cylinder, capsule}, {{"radius", number(s.radius, radius), "m", "Radius."}});
  add({half_space}, {{"point", vector(s.point, middle), "m", "A point of the plane."},
                     {"normal", vector(s.normal, must_vanish), "", "Direction out of the shape, of any length."}});
  add({torus},
      {{"axis", vector(s.axis, zero), "", "Direction of the axis of symmetry, of any length."},
       {"major_radius", number(s.major_radius, radius), "m", "Radius of the circle around which the tube runs."},
       {"minor_radius", number(s.minor_radius, radius), "m", "Radius of the tube, at most major_radius."}});
  return rows;
}

keys::Keys file_keys(ShapeParameters& s) {
  using namespace keys;
  using enum ShapeKind;
  Keys rows =
      only_for({mesh, particles},
               {{"file", line(s.file), "",
                 "Triangle mesh (.obj, .stl, .ply), or for a liquid particles (.csv, .h5, .geo, .bgeo, .pda, .pdb, "
                 ".ptc). A relative path starts from the case file's directory."},
                {"file_hash", line(s.file_hash), "",
                 "Hash of the bytes of `file`. If it is given, a file with another hash is refused."}});
  rows.front().change = at_restart;
  rows.back().presence = Presence::optional;
  return rows;
}

keys::Keys parts_keys(ShapeParameters& s) {
  using namespace keys;
  using enum ShapeKind;
  return only_for({union_of, intersection_of, difference_of},
                  {{"parts", tables(s.parts), "",
                    "The shapes that it is made of. A difference is the first of them without the others."}});
}

void check_direction(const Vec3& v, const char* key, const keys::Table& table, const char* remedy) {
  table.require(v.norm() > 0.0, key, "is zero", "it has no direction", remedy);
}

void check_transform(const TransformParameters& transform, const keys::Table& table, int dimension) {
  check_direction(transform.axis, "rotate.axis", table, "Give the axis of the rotation");
  const bool turns_in_plane = transform.axis.x() == 0.0 && transform.axis.y() == 0.0;
  table.require(dimension == 3 || turns_in_plane || transform.angle == 0.0, "rotate.axis", "does not point along z",
                "domain.dimension is 2", "Make it [0, 0, 1], or leave it out");
}

/// Check a shape. Errors: InputError if it encloses nothing, is too large for finite distances, or turns out of the
/// plane of a 2-D case
void check_shape(const ShapeParameters& shape, const keys::Table& table, int dimension) {
  using keys::number_text;
  check_transform(shape.transform, table, dimension);
  check_hash(shape.file_hash, table, "file_hash");
  switch (shape.kind) {
    case ShapeKind::box:
      for (int d = 0; d < 3; ++d)
        table.require(shape.lower[d] < shape.upper[d], "upper",
                      fmt::format("is not above '{}lower' along {}", table.name, "xyz"[d]),
                      number_text(shape.upper[d]) + " <= " + number_text(shape.lower[d]),
                      "Give the low corner, then the high corner");
      break;
    case ShapeKind::cylinder:
      table.require((shape.end - shape.start).norm() > 0.0, "end", "equals '" + table.name + "start'",
                    "the cylinder has no length", "Give the centres of its two caps");
      break;
    case ShapeKind::half_space:
      check_direction(shape.normal, "normal", table, "Give the direction out of the shape");
      break;
    case ShapeKind::torus:
      check_direction(shape.axis, "axis", table, "Give the direction of the axis of symmetry");
      table.require(shape.minor_radius <= shape.major_radius, "minor_radius",
                    "is above '" + table.name + "major_radius'", "the tube would pass through itself",
                    "Make the tube thinner, or its ring wider");
      break;
    case ShapeKind::mesh:
      table.require(!shape.file.empty(), "file", "is empty", "it names a mesh", "Give the path of a mesh");
      break;
    case ShapeKind::particles:
      table.require(table.name.starts_with("liquid.") && std::count(table.name.begin(), table.name.end(), '.') == 2,
                    "shape", "is \"particles\"", "only a [[liquid]] can be made of them", "Choose another shape");
      break;
    case ShapeKind::sphere:    // the range of its key makes the radius positive
    case ShapeKind::capsule:   // without length it is a sphere
    case ShapeKind::union_of:  // each part has been checked
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
}

}  // namespace

keys::Entry entry_of(ShapeParameters& shape) {
  using namespace keys;
  Entry entry;
  entry.keys = {{"shape", choice(shape.kind, shape_names()), "",
                 "Kind of shape, which decides which other keys apply; particles: only for a liquid.", required}};
  append(entry.keys, place_keys(shape));
  append(entry.keys, file_keys(shape));
  append(entry.keys, parts_keys(shape));
  append(entry.keys, keys_of(shape.transform));
  entry.kind = [&shape] { return shape_names()[static_cast<std::size_t>(shape.kind)]; };
  entry.checks.push_back([&shape](const Table& table, int dimension) {
    check_shape(shape, table, dimension);
    shape.where = location(table.value, shape.file.empty() ? "shape" : "file");
  });
  return entry;
}

}  // namespace freshet
