// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_properties.hpp"
#include "freshet/geometry/rigid_motion.hpp"

#include <cmath>
#include <string>
#include <vector>

/// What must hold for any text that is given as the table of a motion.
namespace freshet::fuzz {

/// Times are finite and ascend, and so are poses at and between them.
inline void require_motion(const std::vector<MotionSample>& samples, int dimension) {
  require(!samples.empty(), "a motion without samples");
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const MotionSample& sample = samples[n];
    require(std::isfinite(sample.time) && sample.translation.allFinite() && sample.turn.allFinite(),
            "a number that is not finite");
    require(n == 0 || sample.time > samples[n - 1].time, "times that do not ascend");
    const bool in_plane = sample.translation.z() == 0.0 && sample.turn.x() == 0.0 && sample.turn.y() == 0.0;
    require(dimension == 3 || in_plane, "a motion out of the plane");
  }
  for (const MotionInterpolation interpolation : {MotionInterpolation::linear, MotionInterpolation::smooth}) {
    const RigidMotion motion(Vec3::Zero(), samples, interpolation);
    for (const double share : {-0.1, 0.0, 0.3, 1.0, 1.1}) {
      const Pose pose = motion.pose((1.0 - share) * samples.front().time + share * samples.back().time);
      require(pose.translation.allFinite() && pose.rotation.allFinite(), "a pose that is not finite");
    }
  }
}

/// The first byte chooses the dimension, the others are the file.
///
/// Errors: Finding; whatever but InputError the reader throws is a finding too
inline void check_motion(const std::string& bytes) {
  if (bytes.empty()) return;
  const int dimension = 2 + static_cast<unsigned char>(bytes[0]) % 2;
  try {
    require_motion(parse_motion_table(bytes.substr(1), "file", dimension), dimension);
  } catch (const InputError& error) {
    require_plain(error.what());
    require(std::string(error.what()).starts_with("file:"), "an error without a place");
  }
}

}  // namespace freshet::fuzz
