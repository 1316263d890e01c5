// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt names.
#include "freshet/core/suggest.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/keys/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace freshet::keys {
namespace {

struct Nearest {
  std::string word;
  int distance = std::numeric_limits<int>::max();

  void offer(const std::string& candidate, int candidates_distance) {
    if (candidates_distance < distance) *this = {candidate, candidates_distance};
  }
  bool is_near(const std::string& written) const { return is_misspelling(written, distance); }
};

std::string table_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string name_of(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

}  // namespace

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

}  // namespace freshet::keys
