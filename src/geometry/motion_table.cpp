// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/rigid_motion.hpp"

#include <numbers>

namespace freshet {
namespace {

constexpr double radians_per_degree = std::numbers::pi / 180.0;
constexpr std::size_t longest_table = std::size_t{1} << 28;  ///< [bytes]

}  // namespace

std::shared_ptr<const RigidMotion> make_motion(const Communicator& comm, const MotionParameters& parameters,
                                               const std::string& case_file, int dimension) {
  if (!parameters.moves()) return nullptr;
  if (!parameters.file.empty()) {
    const std::string path = input_path(case_file, parameters.file);
    std::string text;
    on_root(comm, parameters.where, [&] {
      text = read_input_file(path, "table of a motion", longest_table);
      check_hash(hash_of_bytes(text), parameters.file_hash, path, "table of a motion", "motion_file_hash");
    });
    text = comm.broadcast(text);
    try {
      return std::make_shared<RigidMotion>(parameters.pivot, parse_motion_table(text, path, dimension),
                                           parameters.interpolation);
    } catch (const InputError& error) {
      throw InputError((parameters.where.empty() ? "" : parameters.where + ": ") + error.what());
    }
  }
  if (!parameters.keyframes.empty()) {
    std::vector<MotionSample> samples;
    for (const std::vector<double>& row : parameters.keyframes) {
      const bool turns = row.size() == 7;
      samples.push_back({row[0], {row[1], row[2], row[3]}, Vec3::Zero()});
      if (turns) samples.back().turn = radians_per_degree * Vec3(row[4], row[5], row[6]);
    }
    return std::make_shared<RigidMotion>(parameters.pivot, std::move(samples), parameters.interpolation);
  }
  return std::make_shared<RigidMotion>(parameters.pivot, parameters.velocity,
                                       radians_per_degree * parameters.angular_velocity);
}

}  // namespace freshet
