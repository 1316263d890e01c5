// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>

/// Shapes that enclose nothing or that no distance can be told of.
namespace freshet::config {
namespace {

/// Distances are roots of sums of squares, which must be finite.
void check_reach(const ShapeParameters& shape, const Value& table, const std::string& name) {
  constexpr double farthest = 1e100;
  const auto check = [&](const char* key, double largest) {
    if (largest <= farthest) return;
    fail(location(table, key), fmt::format("'{}{}' is beyond {}", name, key, number_text(farthest)),
         "its square would be beyond 64-bit numbers", "Give it in SI units");
  };
  const auto check_vector = [&](const char* key, const Vec3& v) { check(key, v.cwiseAbs().maxCoeff()); };
  check_vector("lower", shape.lower);
  check_vector("upper", shape.upper);
  check_vector("center", shape.center);
  check_vector("start", shape.start);
  check_vector("end", shape.end);
  check_vector("point", shape.point);
  check_vector("normal", shape.normal);
  check_vector("axis", shape.axis);
  check("radius", shape.radius);
  check("major_radius", shape.major_radius);
  check("minor_radius", shape.minor_radius);
  check_vector("rotate.axis", shape.transform.axis);
  check_vector("rotate.center", shape.transform.center);
  check_vector("translate", shape.transform.translate);
}

void check_transform(const TransformParameters& transform, const Value& table, const std::string& name, int dimension) {
  const std::string key = "'" + name + "rotate.axis'";
  if (transform.axis.norm() == 0.0) {
    fail(location(table, "rotate.axis"), key + " is zero", "it has no direction", "Give the axis of the rotation");
  }
  const bool turns_in_plane = transform.axis.x() == 0.0 && transform.axis.y() == 0.0;
  if (dimension == 3 || turns_in_plane || transform.angle == 0.0) return;
  fail(location(table, "rotate.axis"), key + " does not point along z", "domain.dimension is 2",
       "Make it [0, 0, 1], or leave it out");
}

void check_file(const ShapeParameters& shape, const Value& table, const std::string& name) {
  if (shape.file.empty()) {
    fail(location(table, "file"), "'" + name + "file' is empty", "it names a mesh", "Give the path of a mesh");
  }
  check_hash(shape.file_hash, table, name, "file_hash");
}

}  // namespace

void check_hash(const std::string& hash, const Value& table, const std::string& name, const char* key) {
  const bool is_hash = hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hash.empty() || is_hash) return;
  fail(location(table, key), "'" + name + key + "' is not a hash", "it has 16 digits 0-9 and a-f",
       "Leave it out: the resolved input tells it");
}

void check_shape(const ShapeParameters& shape, const Value& table, const std::string& name, int dimension) {
  check_reach(shape, table, name);
  check_transform(shape.transform, table, name, dimension);
  switch (shape.kind) {
    case ShapeKind::box:
      for (int d = 0; d < 3; ++d) {
        if (shape.lower[d] < shape.upper[d]) continue;
        fail(location(table, "upper"), fmt::format("'{0}upper' is not above '{0}lower' along {1}", name, axis_names[d]),
             number_text(shape.upper[d]) + " <= " + number_text(shape.lower[d]),
             "Give the low corner, then the high corner");
      }
      break;
    case ShapeKind::cylinder:
      if ((shape.end - shape.start).norm() > 0.0) break;
      fail(location(table, "end"), "'" + name + "end' equals '" + name + "start'", "the cylinder has no length",
           "Give the centres of its two caps");
    case ShapeKind::half_space:
      if (shape.normal.norm() > 0.0) break;
      fail(location(table, "normal"), "'" + name + "normal' is zero", "it has no direction",
           "Give the direction out of the shape");
    case ShapeKind::torus:
      if (shape.axis.norm() == 0.0)
        fail(location(table, "axis"), "'" + name + "axis' is zero", "it has no direction",
             "Give the direction of the axis of symmetry");
      if (shape.minor_radius <= shape.major_radius) break;
      fail(location(table, "minor_radius"), fmt::format("'{0}minor_radius' is above '{0}major_radius'", name),
           "the tube would pass through itself", "Make the tube thinner, or its ring wider");
    case ShapeKind::mesh:
      check_file(shape, table, name);
      break;
    case ShapeKind::particles:
      check_hash(shape.file_hash, table, name, "file_hash");
      if (name.rfind("liquid.", 0) == 0 && std::count(name.begin(), name.end(), '.') == 2) break;
      fail(location(table, "shape"), "'" + name + "shape' is \"particles\"", "only a [[liquid]] can be made of them",
           "Choose another shape");
    case ShapeKind::sphere:    // a radius is positive by its range
    case ShapeKind::capsule:   // without length it is a sphere
    case ShapeKind::union_of:  // each part has been checked
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
}

}  // namespace freshet::config
