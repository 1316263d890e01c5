// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include "freshet/core/contracts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet::config {
namespace {

struct Nearest {
  std::string key;
  int distance = std::numeric_limits<int>::max();
};

/// A slip of the fingers, as against another word.
bool is_near(const Nearest& nearest, const std::string& word) {
  return nearest.distance <= std::max(1, std::min(3, static_cast<int>(word.size()) / 3));
}

std::string table_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string name_of(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

/// Enough of a word to tell it from any key: the cost of a comparison stays bounded.
std::string beginning(const std::string& word) {
  return word.substr(0, 100);
}

Nearest nearest_in_table(const std::string& key, const std::vector<std::string>& known) {
  Nearest best;
  for (const std::string& candidate : known) {
    if (table_of(candidate) != table_of(key)) continue;
    const int distance = edit_distance(beginning(name_of(key)), name_of(candidate));
    if (distance < best.distance) best = {candidate, distance};
  }
  return best;
}

/// A key in the wrong table counts as one edit.
Nearest nearest_anywhere(const std::string& key, const std::vector<std::string>& known) {
  Nearest best;
  for (const std::string& candidate : known) {
    const int in_full = edit_distance(beginning(key), candidate);
    const int elsewhere = 1 + edit_distance(beginning(name_of(key)), name_of(candidate));
    const int distance = std::min(in_full, elsewhere);
    if (distance < best.distance) best = {candidate, distance};
  }
  return best;
}

}  // namespace

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> distance((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return distance[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({replace, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string suggest_word(const std::string& word, const std::vector<std::string>& known) {
  Nearest best;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(beginning(word), candidate);
    if (distance < best.distance) best = {candidate, distance};
  }
  if (is_near(best, word)) return fmt::format("Did you mean \"{}\"?", best.key);
  return "Choose one of them";
}

std::string suggest_key(const std::string& key, const std::vector<std::string>& known) {
  FRESHET_EXPECT(!known.empty());
  const Nearest sibling = nearest_in_table(key, known);
  if (is_near(sibling, name_of(key))) return fmt::format("Did you mean '{}'?", sibling.key);
  const Nearest any = nearest_anywhere(key, known);
  if (is_near(any, key)) return fmt::format("Did you mean '{}'?", any.key);
  return fmt::format("The nearest known key is '{}'; `freshet schema` lists them all", any.key);
}

}  // namespace freshet::config
