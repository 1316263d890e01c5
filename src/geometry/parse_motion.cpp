// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/motion_limits.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "mesh_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace freshet {
namespace {

constexpr double to_radians = std::numbers::pi / 180.0;
constexpr std::array<std::string_view, 7> column_names{"time", "x", "y", "z", "rx", "ry", "rz"};
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

[[noreturn]] void fail(const std::string& name, int line, const std::string& problem) {
  throw InputError(fmt::format(
      "{}:{}: {} (a motion has lines of time, x, y, z and perhaps rx, ry, rz). Correct the line", name, line, problem));
}

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_separator(line[at])) ++at;
    if (at == line.size()) return words;
    const std::size_t begin = at;
    while (at < line.size() && !is_separator(line[at])) ++at;
    words.push_back(line.substr(begin, at - begin));
  }
}

std::optional<double> number(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A line of names without units in brackets and quotes.
std::string plain_names(std::string_view line) {
  std::string text;
  int depth = 0;
  for (const char c : line) {
    if (c == '[' || c == '(') ++depth;
    if (depth == 0 && c != '"') text += c;
    if (c == ']' || c == ')') depth = std::max(0, depth - 1);
  }
  return text;
}

/// Index in column_names of a name in capitals or small letters; column_names.size() if it is not there.
std::size_t known_name(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return static_cast<std::size_t>(std::find(column_names.begin(), column_names.end(), small) - column_names.begin());
}

/// The place in a line of each of column_names.
class Columns {
 public:
  /// Read the column names from the first line that is not empty. \return true if that line holds names
  bool read_names(std::string_view line, const std::string& name, int n) {
    const std::vector<std::string_view> words = split(line);
    if (std::all_of(words.begin(), words.end(), [](std::string_view word) { return number(word).has_value(); }))
      return false;
    has_names_ = true;
    column_.fill(-1);
    const std::string names = plain_names(line);
    std::string_view stray;  // a number among names
    for (const std::string_view word : split(names)) {
      const std::size_t known = known_name(word);
      if (known == column_names.size()) {
        if (!number(word)) fail(name, n, "'" + printable(word) + "' is neither a number nor the name of a column");
        stray = word;
        continue;
      }
      if (column_[known] >= 0) fail(name, n, "two columns of the name '" + std::string(word) + "'");
      column_[known] = n_columns_++;
    }
    if (!stray.empty()) fail(name, n, "the number '" + printable(stray) + "' among names of columns");
    if (column_[0] < 0) fail(name, n, "no column of the name 'time'");
    return true;
  }

  /// Time, displacement and rotation vector of a line; 0 for what has no column.
  std::vector<double> row(const std::vector<std::string_view>& words, const std::string& name, int n) {
    if (n_columns_ > 0 && words.size() != static_cast<std::size_t>(n_columns_))
      fail(name, n, fmt::format("{} numbers below {} {}", words.size(), n_columns_, has_names_ ? "names" : "numbers"));
    if (n_columns_ == 0 && words.size() != 4 && words.size() != 7)
      fail(name, n, fmt::format("{} numbers", words.size()));
    n_columns_ = static_cast<int>(words.size());
    std::vector<double> numbers(column_.size(), 0.0);
    for (std::size_t i = 0; i < column_.size(); ++i) {
      if (column_[i] < 0 || static_cast<std::size_t>(column_[i]) >= words.size()) continue;
      const std::optional<double> value = number(words[static_cast<std::size_t>(column_[i])]);
      if (!value) fail(name, n, "not a line of numbers");
      numbers[i] = *value;
    }
    return numbers;
  }

 private:
  std::array<int, 7> column_{0, 1, 2, 3, 4, 5, 6};
  int n_columns_ = 0;  ///< of every line; 0: not known yet
  bool has_names_ = false;
};

}  // namespace

std::vector<MotionSample> parse_motion_table(const std::string& text, const std::string& name, int dimension) {
  std::vector<MotionSample> samples;
  std::vector<double> before;
  std::istringstream lines(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  Columns columns;
  bool at_first = true;
  int n = 0;
  for (std::string line; std::getline(lines, line);) {
    ++n;
    const std::string_view content = std::string_view(line).substr(0, line.find('#'));
    const std::vector<std::string_view> words = split(content);
    if (words.empty()) continue;
    if (std::exchange(at_first, false) && columns.read_names(content, name, n)) continue;
    const std::vector<double> row = columns.row(words, name, n);
    const bool later = samples.empty() || row[0] > samples.back().time;
    const std::string flaw = later ? motion_limits::flaw_of(row, before) : "";
    if (!flaw.empty()) fail(name, n, flaw);
    MotionSample sample{row[0], {row[1], row[2], row[3]}, {row[4], row[5], row[6]}};
    if (dimension == 2 && (sample.translation.z() != 0.0 || sample.turn.x() != 0.0 || sample.turn.y() != 0.0))
      throw InputError(
          fmt::format("{}:{}: the motion leaves the plane (domain.dimension is 2). Move along x and y, and "
                      "turn about z",
                      name, n));
    sample.turn *= to_radians;
    if (!later) fail(name, n, fmt::format("time {} does not come after {}", sample.time, samples.back().time));
    samples.push_back(sample);
    before = row;
  }
  if (samples.empty()) fail(name, n, "no sample in the whole table");
  return samples;
}

}  // namespace freshet
