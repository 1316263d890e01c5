// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "input_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

namespace freshet {
namespace {

constexpr double radians_per_degree = std::numbers::pi / 180.0;
constexpr std::size_t longest_table = std::size_t{1} << 28;  ///< [bytes]

std::string read_table(const std::string& path, std::string& text) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return fmt::format("cannot read {} ({}). Check motion_file", path, error.message());
  if (size > longest_table) return fmt::format("{}: {} bytes are too many for a motion. Give fewer times", path, size);
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file || file.bad()) return fmt::format("cannot read {}. Check motion_file", path);
  text = content.str();
  return "";
}

}  // namespace

std::shared_ptr<const RigidMotion> make_motion(const Communicator& comm, const MotionParameters& parameters,
                                               const std::string& case_file, int dimension) {
  if (!parameters.moves()) return nullptr;
  if (!parameters.file.empty()) {
    const std::string path = input_path(case_file, parameters.file);
    std::string text;
    const std::string problem = first_message(comm, comm.is_root() ? read_table(path, text) : "");
    const std::string where = parameters.where.empty() ? "" : parameters.where + ": ";
    if (!problem.empty()) throw InputError(where + problem);
    text = comm.broadcast(text);
    try {
      check_hash(hash_of_bytes(text), parameters.file_hash, path, "table of a motion", "motion_file_hash");
      return std::make_shared<RigidMotion>(parameters.pivot, parse_motion_table(text, path, dimension),
                                           parameters.interpolation);
    } catch (const InputError& error) {
      throw InputError(where + error.what());
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
