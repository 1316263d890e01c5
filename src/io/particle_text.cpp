// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/particle_file.hpp"
#include "geo_json.hpp"
#include "particle_flaws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <string_view>

namespace freshet {
namespace {

constexpr std::size_t longest_line = 1 << 16;  ///< bytes
constexpr std::size_t most_points = std::size_t{1} << 48;
constexpr std::size_t most_attributes = 1024;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t most_elements = 64;  ///< of an attribute

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The name of a column without its unit in brackets, quotes and capitals.
std::string plain_name(const std::string& word) {
  std::string name = word.substr(0, word.find('['));
  std::erase_if(name, [](char c) { return c == '"'; });
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

}  // namespace

ParticleText::ParticleText(std::istream& text, ParticleFormat format, std::string file_name)
    : text_(text), format_(format), file_name_(std::move(file_name)) {
  if (format_ != ParticleFormat::geo) return;
  if (text_.peek() == '[') {
    json_points_ = std::make_unique<const GeoPoints>(read_geo_json(text_, file_name_));
    points_left_ = json_points_->position.size();
  } else {
    read_geo_header();
  }
}

ParticleText::~ParticleText() = default;

void ParticleText::refuse(const std::string& problem, const std::string& why) const {
  refuse_particles(file_name_, line_number_, problem, why);
}

bool ParticleText::next_line() {
  const bool any = read_line();
  if (line_number_ == 1 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  return any;
}

/// Memory is bounded: a line that is too long is refused before it is read whole.
bool ParticleText::read_line() {
  line_.clear();
  ++line_number_;
  bool any = false;
  for (int c = text_.get(); c != std::istream::traits_type::eof(); c = text_.get()) {
    any = true;
    if (c == '\n') return true;
    if (c == '\0') refuse("not a text file", "it holds a NUL byte");
    if (line_.size() >= longest_line) refuse("a line of more than 65536 bytes", "no particle takes so many");
    line_ += static_cast<char>(c);
  }
  return any;
}

void ParticleText::split_line() {
  words_.clear();
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words_.push_back(std::move(word));
    word.clear();
  };
  const bool is_csv = format_ == ParticleFormat::csv;
  const bool has_commas = is_csv && line_.find_first_of(",;") != std::string::npos;
  for (const char c : line_) {
    if (c == '#') break;
    if (is_csv && (c == ',' || c == ';')) {
      if (word.empty()) word = "-";  // an empty entry is no number
      finish();
    } else if (is_space(c) || (format_ == ParticleFormat::geo && (c == '(' || c == ')'))) {
      if (!has_commas) finish();
    } else {
      word += c;
    }
  }
  finish();
}

double ParticleText::number(const std::string& word) const {
  const char* begin = word.data();
  const char* const end = begin + word.size();
  if (begin != end && *begin == '+') ++begin;
  double value = 0.0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) refuse("'" + plain_word(word) + "' is no number", "a coordinate is wanted");
  if (!std::isfinite(value) || std::abs(value) > farthest_particle)
    refuse("'" + plain_word(word) + "' is no place", "it is not finite, or its square would be beyond 64-bit numbers");
  return value;
}

std::size_t ParticleText::count(const std::string& word) const {
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size() || value > most_points)
    refuse("'" + plain_word(word) + "' is no count", "a whole number is wanted");
  return value;
}

void ParticleText::append(ParticleChunk& chunk, const Columns& columns) const {
  if (words_.size() < static_cast<std::size_t>(columns.n_least))
    refuse(fmt::format("{} entries", words_.size()), fmt::format("a particle takes {}", columns.n_least));
  Vec3 x;
  Vec3 u = Vec3::Zero();
  for (int d = 0; d < 3; ++d) {
    x[d] = number(words_[static_cast<std::size_t>(columns.position[d])]);
    if (columns.velocity[d] >= 0) u[d] = number(words_[static_cast<std::size_t>(columns.velocity[d])]);
  }
  if (u.cwiseAbs().maxCoeff() > fastest_particle)
    refuse("a velocity beyond 1e30 m/s", "32-bit numbers of particles hold no more");
  chunk.position.push_back(x);
  chunk.velocity.push_back(u);
}

bool ParticleText::read(std::size_t n, ParticleChunk& chunk) {
  for (std::size_t m = 0; m < n; ++m)
    if (!read_one(chunk)) return false;
  return true;
}

bool ParticleText::read_one(ParticleChunk& chunk) {
  switch (format_) {
    case ParticleFormat::csv:
      return read_row(chunk);
    case ParticleFormat::obj:
      return read_vertex(chunk);
    case ParticleFormat::geo:
      break;
  }
  return read_point(chunk);
}

// ------------------------------------------------------------------------------------------------------------- tables

/// The first row is one of names if it begins with a letter.
void ParticleText::read_names() {
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
  columns_.n_least = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    columns_.position[d] = column[d];
    columns_.velocity[d] = moves ? column[d + 3] : -1;
    columns_.n_least = std::max({columns_.n_least, columns_.position[d] + 1, columns_.velocity[d] + 1});
  }
}

bool ParticleText::read_row(ParticleChunk& chunk) {
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
      if (words_.size() >= 6) columns_ = {{0, 1, 2}, {3, 4, 5}, 6};
    }
    append(chunk, columns_);
    return true;
  }
  return false;
}

bool ParticleText::read_vertex(ParticleChunk& chunk) {
  while (next_line()) {
    split_line();
    if (words_.empty() || words_.front() != "v") continue;
    append(chunk, {{1, 2, 3}, {-1, -1, -1}, 4});
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------------ Houdini's .geo

void ParticleText::read_geo_header() {
  if (!next_line()) refuse("an empty file", "a .geo file starts with PGEOMETRY V5");
  split_line();
  if (words_.size() < 2 || words_[0] != "PGEOMETRY" || words_[1] != "V5")
    refuse("no .geo of text", "it starts neither with [, as JSON, nor with PGEOMETRY V5; binary geometry is not read");
  std::size_t n_attributes = 0;
  bool has_points = false;
  while (next_line()) {  // NPoints 8 NPrims 1 ..., NPointAttrib 1 ...
    split_line();
    if (words_.empty()) continue;
    bool last = false;
    for (std::size_t w = 0; w + 1 < words_.size(); w += 2) {
      if (words_[w] == "NPoints") {
        points_left_ = count(words_[w + 1]);
        has_points = true;
      } else if (words_[w] == "NPointAttrib") {
        n_attributes = count(words_[w + 1]);
        last = true;
      }
    }
    if (last) break;
  }
  if (!has_points) refuse("no NPoints", "the header says how many points there are");
  if (n_attributes > most_attributes) refuse("more than 1024 attributes", "no particle has so many");
  columns_ = {{0, 1, 2}, {-1, -1, -1}, 4};  // x y z w
  if (n_attributes > 0) read_geo_attributes(n_attributes);
}

/// name size type defaults ..., a line each.
void ParticleText::read_geo_attributes(std::size_t n) {
  const auto next_words = [&] {
    words_.clear();
    while (words_.empty()) {
      if (!next_line()) refuse("the file ends", "the attributes of its points are missing");
      split_line();
    }
  };
  do next_words();
  while (words_.front() != "PointAttrib");
  for (std::size_t a = 0; a < n; ++a) {
    next_words();
    if (words_.size() < 3) refuse("no attribute", "name, size and type are wanted");
    const bool is_index = words_[2] == "index";  // a number into a list of texts
    const std::size_t size = is_index ? 1 : count(words_[1]);
    if (size > most_elements) refuse("an attribute of more than 64 numbers", "no particle has so many");
    if (words_[0] == "v" && size == 3)
      for (int d = 0; d < 3; ++d) columns_.velocity[d] = columns_.n_least + d;
    columns_.n_least += static_cast<int>(size);
  }
}

bool ParticleText::take_json_point(ParticleChunk& chunk) {
  const std::size_t p = json_points_->position.size() - points_left_--;
  chunk.position.push_back(json_points_->position[p]);
  chunk.velocity.push_back(json_points_->velocity.empty() ? Vec3::Zero() : json_points_->velocity[p]);
  return true;
}

bool ParticleText::read_point(ParticleChunk& chunk) {
  if (points_left_ == 0) return false;
  if (json_points_) return take_json_point(chunk);
  do {
    if (!next_line()) refuse("the file ends", fmt::format("{} points are missing", points_left_));
    split_line();
  } while (words_.empty());
  append(chunk, columns_);
  --points_left_;
  return true;
}

}  // namespace freshet
