// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace freshet {
namespace {

void check_keyframes(const std::vector<std::vector<double>>& rows, const keys::Table& table, int dimension) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string flaw = motion_limits::flaw_of(
        rows[i], i > 0 ? std::span<const double>(rows[i - 1]) : std::span<const double>(), dimension);
    if (!flaw.empty())
      table.refuse("keyframes", fmt::format("row {} of '{}keyframes': {}", i, table.name, flaw),
                   "rows are in order of time, and no body moves so far or so fast",
                   "Give times in s, displacements in m and rotation vectors in degrees");
  }
}

}  // namespace

keys::Keys keys_of(MotionParameters& motion) {
  using namespace keys;
  return {
      {"velocity", vector(motion.velocity, ThirdEntry::must_vanish, motion_limits::fastest), "m/s",
       "Constant velocity."},
      {"angular_velocity", vector(motion.angular_velocity, ThirdEntry::zero, motion_limits::fastest_turn), "degrees/s",
       "Constant angular velocity about the pivot: axis times rate."},
      {"pivot", vector(motion.pivot, ThirdEntry::middle, motion_limits::farthest), "m",
       "The point about which the motion turns, at its position at the start."},
      {"keyframes", rows(motion.keyframes, {4, 7}), "s, m, degrees",
       "Rows [time, x, y, z] or [time, x, y, z, rx, ry, rz]: the displacement since the start, and the rotation since "
       "the start as a vector along its axis whose length is the angle."},
      {"motion_file", line(motion.file), "",
       "File with rows as in keyframes. A relative path starts from the case file's directory. A first line may name "
       "the columns."},
      {"motion_file_hash", line(motion.file_hash), "",
       "Hash of the bytes of motion_file. If it is given, a file with another hash is refused."},
      {"interpolation", choice(motion.interpolation, {"linear", "smooth"}), "",
       "How the motion goes from one keyframe to the next."},
  };
}

keys::Keys keys_of(WaveParameters& wave) {
  using namespace keys;
  const auto makes_waves = [&wave] { return wave.type != WaveType::none; };
  const auto of = [makes_waves](Slot slot) {
    const auto refuse = [](const Given& given) {
      fail(given.value.where, "'" + given.name + "' is given without 'wave.type'", "it describes waves",
           "Add wave.type, or leave it out");
    };
    return only_if(makes_waves, refuse, std::move(slot));
  };
  Slot type = choice(wave.type, {"none", "linear", "stokes2", "stokes5", "jonswap"});
  type.text = [makes_waves, name = type.text] { return makes_waves() ? name() : std::string("none"); };
  return {
      {"type", type, "",
       "Makes the solid the paddle of a wave-maker, with a motion that makes waves: linear (Biesel & Suquet 1951), "
       "stokes2 (with the second harmonic of Madsen 1971), stokes5 (the velocity of Fenton's wave of 1985 at the "
       "paddle's place), or jonswap (irregular, each component by Biesel & Suquet)."},
      {"paddle", of(choice(wave.paddle, {"piston", "flap"})), "",
       "Whether the paddle moves to and fro (piston), or turns about `pivot` (flap)."},
      {"height", of(number(wave.height, above(0.0, 1e6))), "m",
       "Height of the waves from trough to crest; of jonswap the significant height."},
      {"period", of(number(wave.period, above(0.0, 1e6))), "s",
       "Period of the waves; of jonswap that of the spectrum's peak."},
      {"depth", of(number(wave.depth, above(0.0, 1e6))), "m", "Depth of the water at rest, at the paddle."},
      {"direction", of(vector(wave.direction, ThirdEntry::must_vanish)), "",
       "Horizontal direction in which the waves travel, of any length."},
      {"ramp", of(number(wave.ramp, {0.0, 1e6})), "s",
       "Time over which the paddle's motion grows from rest; 0: two periods."},
      {"hinge", of(number(wave.hinge, {-1e6, 1e6})), "m",
       "Height of a flap's pivot above the bed; below 0 if it lies beneath the bed."},
      {"peak", of(number(wave.peak, {1.0, 20.0})), "", "Peak enhancement factor gamma of jonswap."},
      {"components", of(number(wave.components, {1, 100000})), "", "Number of frequencies of jonswap."},
      {"seed", of(number(wave.seed, at_least<std::int64_t>(0))), "", "Seed of the frequencies and phases of jonswap."},
  };
}

void check_motion(const MotionParameters& motion, const keys::Table& table, int dimension) {
  const bool constant = !motion.velocity.isZero(0.0) || !motion.angular_velocity.isZero(0.0);
  const bool waves = motion.wave.type != WaveType::none;
  table.require(int{constant} + int{!motion.keyframes.empty()} + int{!motion.file.empty()} + int{waves} <= 1,
                waves                 ? "wave.type"
                : motion.file.empty() ? "keyframes"
                                      : "motion_file",
                "is not the only motion",
                "a body moves by velocities, by keyframes, by a file of them or as waves need", "Leave out the others");
  check_hash(motion.file_hash, table, "motion_file_hash");
  table.require(!motion.file.empty() || motion.file_hash.empty(), "motion_file_hash", "is given without 'motion_file'",
                "there is no file whose hash could be compared", "Leave it out");
  check_keyframes(motion.keyframes, table, dimension);
  const bool turns_in_plane = motion.angular_velocity.x() == 0.0 && motion.angular_velocity.y() == 0.0;
  table.require(dimension == 3 || turns_in_plane, "angular_velocity", "leaves the plane", "domain.dimension is 2",
                "Turn about z only");
}

}  // namespace freshet
