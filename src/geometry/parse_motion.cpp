// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/text_table.hpp"
#include "freshet/geometry/wave_maker.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <sstream>

namespace freshet {
namespace {

constexpr double radians_per_degree = std::numbers::pi / 180.0;
constexpr std::size_t longest_table = std::size_t{1} << 28;  ///< bound of a table's size [B]

/// The sample in a row of a motion. \param[in] row  4 or 7 numbers
MotionSample sample_of(const std::vector<double>& row) {
  MotionSample sample{row[0], {row[1], row[2], row[3]}, Vec3::Zero()};
  if (row.size() == 7) sample.turn = radians_per_degree * Vec3(row[4], row[5], row[6]);
  return sample;
}

}  // namespace

std::string motion_limits::flaw_of(std::span<const double> row, std::span<const double> before, int dimension) {
  if (!before.empty() && row[0] <= before[0]) return fmt::format("time {} does not come after {}", row[0], before[0]);
  for (std::size_t n = 0; n < row.size(); ++n) {
    const double most = n == 0 ? latest : n < 4 ? farthest : most_turned;
    if (!(std::abs(row[n]) <= most)) return fmt::format("{:g} is beyond {:g}", row[n], most);
    if (n == 0 || before.empty()) continue;
    const double since = n < before.size() ? row[n] - before[n] : row[n];
    const double speed = std::abs(since) / (row[0] - before[0]);
    const double limit = n < 4 ? fastest : fastest_turn;
    if (!(speed <= limit))
      return fmt::format("{:g} {} since the row before is beyond {:g}", speed, n < 4 ? "m/s" : "degrees/s", limit);
  }
  const bool in_plane = row[3] == 0.0 && (row.size() < 7 || (row[4] == 0.0 && row[5] == 0.0));
  return dimension == 3 || in_plane ? "" : "the motion leaves the plane of domain.dimension = 2";
}

std::vector<MotionSample> parse_motion_table(const std::string& text, const std::string& name, int dimension) {
  std::istringstream stream(text);
  TextTable table(stream, name, {"time", "x", "y", "z", "rx", "ry", "rz"},
                  "a motion has rows of time, x, y, z and perhaps rx, ry, rz", 1, TextTable::Layout::fixed);
  std::vector<MotionSample> samples;
  std::vector<double> row, before;
  while (table.next_row()) {
    if (!table.has_names() && table.n_entries() != 4 && table.n_entries() != 7)
      table.refuse(fmt::format("{} numbers", table.n_entries()));
    row.assign(7, 0.0);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (table.has(i)) row[i] = table[i];
    const std::string flaw = motion_limits::flaw_of(row, before, dimension);
    if (!flaw.empty()) table.refuse(flaw);
    samples.push_back(sample_of(row));
    before = row;
  }
  if (samples.empty()) table.refuse("the whole table has no row of numbers");
  return samples;
}

std::shared_ptr<const RigidMotion> make_motion(const Communicator& comm, const MotionParameters& parameters,
                                               const std::string& case_file, int dimension, const Vec3& gravity) {
  if (!parameters.moves()) return nullptr;
  if (parameters.wave.type != WaveType::none)
    return std::make_shared<RigidMotion>(parameters.pivot, std::make_shared<WaveMaker>(parameters.wave, gravity));
  std::vector<MotionSample> samples;
  for (const std::vector<double>& row : parameters.keyframes) samples.push_back(sample_of(row));
  if (!parameters.file.empty()) {
    const std::string path = input_path(case_file, parameters.file);
    std::string text;
    on_root(comm, parameters.where, [&] {
      text = read_input_file(path, "table of a motion", longest_table);
      check_hash(hash_of_bytes(text), parameters.file_hash, path, "table of a motion", "motion_file_hash");
      samples = parse_motion_table(text, path, dimension);
    });
    comm.broadcast(samples);
  }
  if (!samples.empty())
    return std::make_shared<RigidMotion>(parameters.pivot, std::move(samples), parameters.interpolation);
  return std::make_shared<RigidMotion>(parameters.pivot, parameters.velocity,
                                       radians_per_degree * parameters.angular_velocity);
}

}  // namespace freshet
