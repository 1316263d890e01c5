// SPDX-License-Identifier: Apache-2.0
// Shapes and motions that make no sense.
#include "check.hpp"
#include "freshet/geometry/motion_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace freshet::config {
namespace {

/// Distances are roots of sums of squares, which must be finite.
void check_reach(const ShapeParameters& s, const Place& place) {
  constexpr double farthest = 1e100;
  const auto check = [&](const char* key, double largest) {
    place.require(largest <= farthest, key, "is beyond " + number_text(farthest),
                  "its square would be beyond 64-bit numbers", "Give it in SI units");
  };
  const std::pair<const char*, Vec3> vectors[] = {{"lower", s.lower},
                                                  {"upper", s.upper},
                                                  {"center", s.center},
                                                  {"start", s.start},
                                                  {"end", s.end},
                                                  {"point", s.point},
                                                  {"normal", s.normal},
                                                  {"axis", s.axis},
                                                  {"rotate.axis", s.transform.axis},
                                                  {"rotate.center", s.transform.center},
                                                  {"translate", s.transform.translate}};
  for (const auto& [key, v] : vectors) check(key, v.cwiseAbs().maxCoeff());
  check("radius", s.radius);
  check("major_radius", s.major_radius);
  check("minor_radius", s.minor_radius);
}

void check_direction(const Vec3& v, const char* key, const Place& place, const char* remedy) {
  place.require(v.norm() > 0.0, key, "is zero", "it has no direction", remedy);
}

void check_transform(const TransformParameters& transform, const Place& place, int dimension) {
  check_direction(transform.axis, "rotate.axis", place, "Give the axis of the rotation");
  const bool turns_in_plane = transform.axis.x() == 0.0 && transform.axis.y() == 0.0;
  place.require(dimension == 3 || turns_in_plane || transform.angle == 0.0, "rotate.axis", "does not point along z",
                "domain.dimension is 2", "Make it [0, 0, 1], or leave it out");
}

void check_hash(const std::string& hash, const Place& place, const char* key) {
  const bool is_hash = hash.size() == 16 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  place.require(hash.empty() || is_hash, key, "is not a hash", "it has 16 digits 0-9 and a-f",
                "Leave it out: the resolved input tells it");
}

/// In the plane a body moves along x and y and turns about z.
void check_plane_motion(const MotionParameters& motion, const Place& place) {
  const auto require = [&](bool in_plane, const char* key) {
    place.require(in_plane, key, "leaves the plane", "domain.dimension is 2", "Move along x and y, and turn about z");
  };
  require(motion.angular_velocity.x() == 0.0 && motion.angular_velocity.y() == 0.0, "angular_velocity");
  for (const std::vector<double>& row : motion.keyframes)
    require(row[3] == 0.0 && (row.size() != 7 || (row[4] == 0.0 && row[5] == 0.0)), "keyframes");
}

void check_keyframes(const std::vector<std::vector<double>>& rows, const Place& place) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string row = fmt::format("row {} of '{}keyframes'", i, place.name);
    if (i > 0 && rows[i][0] <= rows[i - 1][0])
      place.refuse("keyframes", row + " is not later than the one before",
                   number_text(rows[i][0]) + " <= " + number_text(rows[i - 1][0]), "Put the rows in order of time");
    const std::string flaw =
        motion_limits::flaw_of(rows[i], i > 0 ? std::span<const double>(rows[i - 1]) : std::span<const double>());
    if (!flaw.empty())
      place.refuse("keyframes", row + ": " + flaw, "no body moves so far or so fast",
                   "Give times in s, displacements in m and rotation vectors in degrees");
  }
}

}  // namespace

void check_shape(const ShapeParameters& shape, const Place& place, int dimension) {
  check_reach(shape, place);
  check_transform(shape.transform, place, dimension);
  check_hash(shape.file_hash, place, "file_hash");
  switch (shape.kind) {
    case ShapeKind::box:
      for (int d = 0; d < 3; ++d)
        place.require(shape.lower[d] < shape.upper[d], "upper",
                      fmt::format("is not above '{}lower' along {}", place.name, "xyz"[d]),
                      number_text(shape.upper[d]) + " <= " + number_text(shape.lower[d]),
                      "Give the low corner, then the high corner");
      break;
    case ShapeKind::cylinder:
      place.require((shape.end - shape.start).norm() > 0.0, "end", "equals '" + place.name + "start'",
                    "the cylinder has no length", "Give the centres of its two caps");
      break;
    case ShapeKind::half_space:
      check_direction(shape.normal, "normal", place, "Give the direction out of the shape");
      break;
    case ShapeKind::torus:
      check_direction(shape.axis, "axis", place, "Give the direction of the axis of symmetry");
      place.require(shape.minor_radius <= shape.major_radius, "minor_radius",
                    "is above '" + place.name + "major_radius'", "the tube would pass through itself",
                    "Make the tube thinner, or its ring wider");
      break;
    case ShapeKind::mesh:
      place.require(!shape.file.empty(), "file", "is empty", "it names a mesh", "Give the path of a mesh");
      break;
    case ShapeKind::particles:
      place.require(place.name.starts_with("liquid.") && std::count(place.name.begin(), place.name.end(), '.') == 2,
                    "shape", "is \"particles\"", "only a [[liquid]] can be made of them", "Choose another shape");
      break;
    case ShapeKind::sphere:    // a radius is positive by its range
    case ShapeKind::capsule:   // without length it is a sphere
    case ShapeKind::union_of:  // each part has been checked
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
}

void check_motion(const MotionParameters& motion, const Place& place, int dimension) {
  const bool constant = !motion.velocity.isZero(0.0) || !motion.angular_velocity.isZero(0.0);
  place.require(int{constant} + int{!motion.keyframes.empty()} + int{!motion.file.empty()} <= 1,
                motion.file.empty() ? "keyframes" : "motion_file", "is not the only motion",
                "a body moves by velocities, by keyframes or by a file of them", "Leave out the others");
  check_hash(motion.file_hash, place, "motion_file_hash");
  place.require(!motion.file.empty() || motion.file_hash.empty(), "motion_file_hash", "is given without 'motion_file'",
                "there is nothing to compare with it", "Leave it out");
  const auto check_speed = [&](const char* key, const Vec3& v, double fastest, const std::string& unit) {
    place.require(v.cwiseAbs().maxCoeff() <= fastest, key, "is beyond " + number_text(fastest) + " " + unit,
                  "steps would be too short to follow it", "Give a velocity in " + unit);
  };
  check_speed("velocity", motion.velocity, motion_limits::fastest, "m/s");
  check_speed("angular_velocity", motion.angular_velocity, motion_limits::fastest_turn, "degrees/s");
  place.require(motion.pivot.cwiseAbs().maxCoeff() <= motion_limits::farthest, "pivot",
                "is beyond " + number_text(motion_limits::farthest) + " m", "no body is so far away", "Give it in m");
  check_keyframes(motion.keyframes, place);
  if (dimension == 2) check_plane_motion(motion, place);
}

}  // namespace freshet::config
