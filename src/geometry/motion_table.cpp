// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/motion_limits.hpp"
#include "freshet/core/error.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "input_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string_view>

namespace freshet {
namespace {

constexpr double to_radians = std::numbers::pi / 180.0;
constexpr std::size_t longest_table = std::size_t{1} << 28;  ///< [bytes]

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/// Numbers of one line. \return false if something in it is none
bool read_numbers(std::string_view line, std::vector<double>& numbers) {
  numbers.clear();
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_separator(line[at])) ++at;
    if (at == line.size()) return true;
    double value = 0.0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    at = static_cast<std::size_t>(end - line.data());
    const bool ends = at == line.size() || is_separator(line[at]);
    if (error != std::errc() || !ends || !std::isfinite(value)) return false;
    numbers.push_back(value);
  }
}

[[noreturn]] void fail(const std::string& name, int line, const std::string& problem) {
  throw InputError(fmt::format(
      "{}:{}: {} (a motion has lines of time, x, y, z and perhaps rx, ry, rz). Correct the line", name, line, problem));
}

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

std::vector<MotionSample> parse_motion_table(const std::string& text, const std::string& name, int dimension) {
  std::vector<MotionSample> samples;
  std::vector<double> numbers, before;
  std::istringstream lines(text);
  bool names_passed = false;
  int n = 0;
  for (std::string line; std::getline(lines, line);) {
    ++n;
    if (!read_numbers(std::string_view(line).substr(0, line.find('#')), numbers)) {
      if (!samples.empty() || names_passed) fail(name, n, "not a line of numbers");
      names_passed = true;  // the columns' names
      continue;
    }
    if (numbers.empty()) continue;
    if (numbers.size() != 4 && numbers.size() != 7) fail(name, n, fmt::format("{} numbers", numbers.size()));
    numbers.resize(7, 0.0);
    const bool later = samples.empty() || numbers[0] > samples.back().time;
    const std::string flaw = later ? motion_limits::flaw_of(numbers, before) : "";
    if (!flaw.empty()) fail(name, n, flaw);
    before = numbers;
    MotionSample sample{numbers[0], {numbers[1], numbers[2], numbers[3]}, {numbers[4], numbers[5], numbers[6]}};
    if (dimension == 2 && (sample.translation.z() != 0.0 || sample.turn.x() != 0.0 || sample.turn.y() != 0.0))
      throw InputError(
          fmt::format("{}:{}: the motion leaves the plane (domain.dimension is 2). Move along x and y, and "
                      "turn about z",
                      name, n));
    sample.turn *= to_radians;
    if (!later) fail(name, n, fmt::format("time {} does not come after {}", sample.time, samples.back().time));
    samples.push_back(sample);
  }
  if (samples.empty()) fail(name, n, "no sample in the whole table");
  return samples;
}

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
      if (turns) samples.back().turn = to_radians * Vec3(row[4], row[5], row[6]);
    }
    return std::make_shared<RigidMotion>(parameters.pivot, std::move(samples), parameters.interpolation);
  }
  return std::make_shared<RigidMotion>(parameters.pivot, parameters.velocity, to_radians * parameters.angular_velocity);
}

}  // namespace freshet
