// SPDX-License-Identifier: Apache-2.0
// Checks of shapes and motions.
#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace freshet::config {
namespace {

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
                "Leave it out; `freshet check` prints it");
}

void check_keyframes(const std::vector<std::vector<double>>& rows, const Place& place, int dimension) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string flaw = motion_limits::flaw_of(
        rows[i], i > 0 ? std::span<const double>(rows[i - 1]) : std::span<const double>(), dimension);
    if (!flaw.empty())
      place.refuse("keyframes", fmt::format("row {} of '{}keyframes': {}", i, place.name, flaw),
                   "rows are in order of time, and no body moves so far or so fast",
                   "Give times in s, displacements in m and rotation vectors in degrees");
  }
}

}  // namespace

void check_shape(const ShapeParameters& shape, const Place& place, int dimension) {
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
    case ShapeKind::sphere:    // the range of its key makes the radius positive
    case ShapeKind::capsule:   // without length it is a sphere
    case ShapeKind::union_of:  // each part has been checked
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
}

void check_motion(const MotionParameters& motion, const Place& place, int dimension) {
  const bool constant = !motion.velocity.isZero(0.0) || !motion.angular_velocity.isZero(0.0);
  const bool waves = motion.wave.type != WaveType::none;
  place.require(int{constant} + int{!motion.keyframes.empty()} + int{!motion.file.empty()} + int{waves} <= 1,
                waves                 ? "wave.type"
                : motion.file.empty() ? "keyframes"
                                      : "motion_file",
                "is not the only motion",
                "a body moves by velocities, by keyframes, by a file of them or as waves need", "Leave out the others");
  check_hash(motion.file_hash, place, "motion_file_hash");
  place.require(!motion.file.empty() || motion.file_hash.empty(), "motion_file_hash", "is given without 'motion_file'",
                "there is no file whose hash could be compared", "Leave it out");
  check_keyframes(motion.keyframes, place, dimension);
  const bool turns_in_plane = motion.angular_velocity.x() == 0.0 && motion.angular_velocity.y() == 0.0;
  place.require(dimension == 3 || turns_in_plane, "angular_velocity", "leaves the plane", "domain.dimension is 2",
                "Turn about z only");
}

}  // namespace freshet::config
