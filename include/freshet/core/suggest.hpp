// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freshet {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& word, const std::string& b);

/// True if a word at that distance is probably what `written` was meant to be, false if it is another word.
bool is_misspelling(const std::string& written, int distance);

/// "Did you mean "x"?" for the nearest of the known words, or "Choose one of them" if none is near.
std::string suggest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace freshet
