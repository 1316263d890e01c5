// SPDX-License-Identifier: Apache-2.0
#include "mesh_text.hpp"

#include "freshet/core/error.hpp"
#include "freshet/geometry/triangle_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace freshet {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

}  // namespace

void refuse_mesh(const std::string& where, const std::string& problem, const std::string& why,
                 const std::string& remedy) {
  throw InputError(where + ": " + problem + " (" + why + "). " + remedy);
}

void check_coordinate(double x, const std::string& where) {
  if (std::abs(x) <= farthest_coordinate) return;
  const bool is_finite = std::isfinite(x);
  refuse_mesh(where, is_finite ? fmt::format("a coordinate of {:g}", x) : "a coordinate that is no finite number",
              fmt::format("coordinates reach from -{0:g} to {0:g}", farthest_coordinate), "Mend the mesh");
}

bool MeshText::next_line() {
  if (end_ >= bytes_.size()) return false;
  at_ = end_;
  line_ = next_line_;
  for (;;) {
    const std::size_t newline = std::min(bytes_.find('\n', end_), bytes_.size());
    end_ = std::min(newline + 1, bytes_.size());
    ++next_line_;
    std::size_t last = newline;  // behind the line's last character
    while (last > at_ && bytes_[last - 1] == '\r') --last;
    if (last == at_ || bytes_[last - 1] != '\\' || end_ >= bytes_.size()) return true;
  }
}

std::string_view MeshText::word() {
  const auto is_gap = [this](std::size_t i) {
    if (is_space(bytes_[i])) return true;
    return bytes_[i] == '\\' && i + 1 < end_ && (bytes_[i + 1] == '\n' || bytes_[i + 1] == '\r');
  };
  while (at_ < end_ && is_gap(at_)) ++at_;
  const std::size_t begin = at_;
  while (at_ < end_ && !is_gap(at_)) ++at_;
  return bytes_.substr(begin, at_ - begin);
}

std::string_view MeshText::word_across_lines() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty() || !next_line()) return found;
  }
}

double MeshText::real(std::string_view word) const {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  double value = 0.0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range && stop == digits.data() + digits.size())
    return std::strtod(std::string(digits).c_str(), nullptr);  // infinite, or too small to differ from 0
  if (error == std::errc() && stop == digits.data() + digits.size()) return value;
  if (word.empty()) refuse("the line ends where a number belongs", "the mesh is cut off or damaged", "Mend the mesh");
  refuse("'" + printable(word) + "' is no number", "a number belongs there", "Mend the mesh");
}

double MeshText::coordinate(std::string_view word) const {
  const double x = real(word);
  if (!(std::abs(x) <= farthest_coordinate)) check_coordinate(x, where());
  return x;
}

std::int64_t MeshText::integer(std::string_view word) const {
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && stop == digits.data() + digits.size()) return value;
  refuse("'" + printable(word) + "' is no integer", "an integer belongs there", "Mend the mesh");
}

}  // namespace freshet
