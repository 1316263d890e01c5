// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "freshet/geometry/motion_limits.hpp"

#include <fmt/format.h>

#include <span>

/// How bodies and the tank move.
namespace freshet::config {
namespace {

/// In the plane a body moves along x and y and turns about z.
void check_plane_motion(const MotionParameters& motion, const Value& table, const std::string& name) {
  const auto refuse = [&](const char* key) {
    fail(location(table, key), fmt::format("'{}{}' leaves the plane", name, key), "domain.dimension is 2",
         "Move along x and y, and turn about z");
  };
  if (motion.angular_velocity.x() != 0.0 || motion.angular_velocity.y() != 0.0) refuse("angular_velocity");
  for (const std::vector<double>& row : motion.keyframes)
    if (row[3] != 0.0 || (row.size() == 7 && (row[4] != 0.0 || row[5] != 0.0))) refuse("keyframes");
}

}  // namespace

void check_motion(const MotionParameters& motion, const Value& table, const std::string& name, int dimension) {
  const bool constant = !motion.velocity.isZero(0.0) || !motion.angular_velocity.isZero(0.0);
  if (int{constant} + int{!motion.keyframes.empty()} + int{!motion.file.empty()} > 1) {
    const char* key = motion.file.empty() ? "keyframes" : "motion_file";
    fail(location(table, key), fmt::format("'{}{}' is not the only motion", name, key),
         "a body moves by velocities, by keyframes or by a file of them", "Leave out the others");
  }
  check_hash(motion.file_hash, table, name, "motion_file_hash");
  if (motion.file.empty() && !motion.file_hash.empty())
    fail(location(table, "motion_file_hash"), "'" + name + "motion_file_hash' is given without 'motion_file'",
         "there is nothing to compare with it", "Leave it out");
  const auto check_speed = [&](const char* key, const Vec3& v, double fastest, const char* unit) {
    if (v.cwiseAbs().maxCoeff() <= fastest) return;
    fail(location(table, key), fmt::format("'{}{}' is beyond {} {}", name, key, number_text(fastest), unit),
         "steps would be too short to follow it", fmt::format("Give a velocity in {}", unit));
  };
  check_speed("velocity", motion.velocity, motion_limits::fastest, "m/s");
  check_speed("angular_velocity", motion.angular_velocity, motion_limits::fastest_turn, "degrees/s");
  if (!(motion.pivot.cwiseAbs().maxCoeff() <= motion_limits::farthest))
    fail(location(table, "pivot"), fmt::format("'{}pivot' is beyond {} m", name, number_text(motion_limits::farthest)),
         "nothing is so far away", "Give it in m");
  for (std::size_t i = 0; i < motion.keyframes.size(); ++i) {
    const bool later = i == 0 || motion.keyframes[i][0] > motion.keyframes[i - 1][0];
    const std::string flaw =
        later ? motion_limits::flaw_of(motion.keyframes[i], i > 0 ? std::span<const double>(motion.keyframes[i - 1])
                                                                  : std::span<const double>())
              : "";
    if (!flaw.empty())
      fail(location(table, "keyframes"), fmt::format("row {} of '{}keyframes': {}", i, name, flaw),
           "no body moves so far or so fast", "Give times in s, displacements in m and rotation vectors in degrees");
    if (later) continue;
    fail(location(table, "keyframes"), fmt::format("row {} of '{}keyframes' is not later than the one before", i, name),
         number_text(motion.keyframes[i][0]) + " <= " + number_text(motion.keyframes[i - 1][0]),
         "Put the rows in order of time");
  }
  if (dimension == 2) check_plane_motion(motion, table, name);
}

}  // namespace freshet::config
