// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/geometry/input_files.hpp"
#include "freshet/io/particle_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <string_view>

namespace freshet {
namespace {

constexpr double farthest_particle = 1e100;    ///< [m] the squares of coordinates stay finite
constexpr std::size_t longest_line = 1 << 16;  ///< [bytes]
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The name of a column in small letters, without quotes and without its unit in brackets.
std::string plain_name(const std::string& word) {
  std::string name = word.substr(0, word.find('['));
  std::erase_if(name, [](char c) { return c == '"'; });
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

}  // namespace

ParticleTable::ParticleTable(std::istream& text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)) {}

void ParticleTable::refuse(const std::string& problem, const std::string& why) const {
  throw InputError(fmt::format("{}:{}: {} ({}). Correct the file", file_name_, line_number_, problem, why));
}

/// A line that is too long is refused before it is read whole, so that memory is bounded.
bool ParticleTable::next_line() {
  line_.clear();
  ++line_number_;
  bool any = false;
  for (int c = text_.get(); c != std::istream::traits_type::eof(); c = text_.get()) {
    any = true;
    if (c == '\n') break;
    if (c == '\0') refuse("not a text file", "it holds a NUL byte");
    if (line_.size() >= longest_line) refuse("a line of more than 65536 bytes", "no particle takes so many");
    line_ += static_cast<char>(c);
  }
  if (line_number_ == 1 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  return any;
}

void ParticleTable::split_line() {
  words_.clear();
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words_.push_back(std::move(word));
    word.clear();
  };
  const bool has_commas = line_.find_first_of(",;") != std::string::npos;
  for (const char c : line_) {
    if (c == '#') break;
    if (c == ',' || c == ';') {
      if (word.empty()) word = "-";  // an empty entry is not a number
      finish();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (!has_commas) finish();
    } else {
      word += c;
    }
  }
  finish();
}

double ParticleTable::number(const std::string& word) const {
  const char* begin = word.data();
  const char* const end = begin + word.size();
  if (begin != end && *begin == '+') ++begin;
  double value = 0.0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) refuse("'" + printable(word) + "' is no number", "a coordinate is wanted");
  if (!std::isfinite(value) || std::abs(value) > farthest_particle)
    refuse("'" + printable(word) + "' is no place", "it is not finite, or its square would be beyond 64-bit numbers");
  return value;
}

void ParticleTable::append(ParticleChunk& chunk) const {
  if (words_.size() < static_cast<std::size_t>(n_least_))
    refuse(fmt::format("{} entries", words_.size()), fmt::format("a particle takes {}", n_least_));
  Vec3 x;
  Vec3 u = Vec3::Zero();
  for (int d = 0; d < 3; ++d) {
    x[d] = number(words_[static_cast<std::size_t>(position_[d])]);
    if (velocity_[d] >= 0) u[d] = number(words_[static_cast<std::size_t>(velocity_[d])]);
  }
  if (u.cwiseAbs().maxCoeff() > fastest_particle)
    refuse("a velocity beyond 1e30 m/s", "32-bit numbers of particles hold no more");
  chunk.position.push_back(x);
  chunk.velocity.push_back(u);
}

bool ParticleTable::read(std::size_t n, ParticleChunk& chunk) {
  for (std::size_t m = 0; m < n; ++m)
    if (!read_row(chunk)) return false;
  return true;
}

void ParticleTable::read_names() {
  const std::array<const char*, 6> wanted{"x", "y", "z", "vx", "vy", "vz"};
  std::array<int, 6> column{-1, -1, -1, -1, -1, -1};
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const std::string name = plain_name(words_[w]);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (name == wanted[i] && column[i] < 0) column[i] = static_cast<int>(w);
  }
  if (*std::min_element(column.begin(), column.begin() + 3) < 0)
    refuse("no columns x, y and z", "the names of the first line say where they are");
  const bool moves = *std::min_element(column.begin() + 3, column.end()) >= 0;
  n_least_ = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    position_[d] = column[d];
    velocity_[d] = moves ? column[d + 3] : -1;
    n_least_ = std::max({n_least_, position_[d] + 1, velocity_[d] + 1});
  }
}

/// The first row is one of names if it begins with a letter.
bool ParticleTable::read_row(ParticleChunk& chunk) {
  while (next_line()) {
    split_line();
    if (words_.empty()) continue;
    if (at_first_row_) {
      at_first_row_ = false;
      const char first = words_.front().front();
      if (is_letter(first) || first == '"') {
        read_names();
        continue;
      }
      if (words_.size() >= 6) {
        for (int d = 0; d < 3; ++d) velocity_[d] = 3 + d;
        n_least_ = 6;
      }
    }
    append(chunk);
    return true;
  }
  return false;
}

}  // namespace freshet
