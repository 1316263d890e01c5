// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet::config {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& a, const std::string& b);

/// `Did you mean "x"?` for the nearest of the known words, or a plain advice if none is near.
std::string suggest_word(const std::string& word, const std::vector<std::string>& known);

/// The same for dotted keys: first among the keys of the same table, then among all.
///
/// \pre  known is not empty
std::string suggest_key(const std::string& key, const std::vector<std::string>& known);

}  // namespace freshet::config
