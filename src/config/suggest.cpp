// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt names.
#include "freshet/core/contracts.hpp"
#include "value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet::config {
namespace {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& word, const std::string& b) {
  const std::string a = word.substr(0, 100);  // enough to tell it from any key
  const std::size_t width = b.size() + 1;
  std::vector<int> distance((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return distance[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({replace, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(a.size(), b.size());
}

struct Nearest {
  std::string word;
  int distance = std::numeric_limits<int>::max();

  void offer(const std::string& candidate, int candidates_distance) {
    if (candidates_distance < distance) *this = {candidate, candidates_distance};
  }
  /// True if `written` is probably a misspelling of `word`, false if it is another word.
  bool is_near(const std::string& written) const {
    return distance <= std::max(1, std::min(3, static_cast<int>(written.size()) / 3));
  }
};

std::string table_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string name_of(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

}  // namespace

std::string suggest_word(const std::string& word, const std::vector<std::string>& known) {
  Nearest best;
  for (const std::string& candidate : known) best.offer(candidate, edit_distance(word, candidate));
  return best.is_near(word) ? fmt::format("Did you mean \"{}\"?", best.word) : "Choose one of them";
}

std::string suggest_key(const std::string& key, const std::vector<std::string>& known) {
  FRESHET_EXPECT(!known.empty());
  Nearest sibling, any;
  for (const std::string& candidate : known) {
    const int by_name = edit_distance(name_of(key), name_of(candidate));
    if (table_of(candidate) == table_of(key)) sibling.offer(candidate, by_name);
    any.offer(candidate, std::min(edit_distance(key, candidate), 1 + by_name));  // the wrong table counts as one edit
  }
  if (sibling.is_near(name_of(key))) return fmt::format("Did you mean '{}'?", sibling.word);
  if (any.is_near(key)) return fmt::format("Did you mean '{}'?", any.word);
  if (key.size() > 4 * any.word.size()) return "`freshet schema` lists all keys";
  return fmt::format("The nearest known key is '{}'; `freshet schema` lists them all", any.word);
}

}  // namespace freshet::config
