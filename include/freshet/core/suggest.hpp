// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet {

/// The least number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& word, const std::string& b);

/// Whether a word at this distance from `written` is probably the word that the user meant.
bool is_misspelling(const std::string& written, int distance);

/// "Did you mean "x"?" with the nearest of the known words, or "Choose one of them" if none is near.
std::string suggest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace freshet
