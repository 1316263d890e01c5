// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet {

int edit_distance(const std::string& word, const std::string& b) {
  const std::string a = word.substr(0, 100);  // so many characters tell a word from any key
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

bool is_misspelling(const std::string& written, int distance) {
  return distance <= std::max(1, std::min(3, static_cast<int>(written.size()) / 3));
}

std::string suggest_word(const std::string& word, const std::vector<std::string>& known) {
  int least = std::numeric_limits<int>::max();
  std::string nearest;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return is_misspelling(word, least) ? fmt::format("Did you mean \"{}\"?", nearest) : "Choose one of them";
}

}  // namespace freshet
