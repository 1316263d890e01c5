// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace freshet::config {

/// Something in a text that its parser must not see, because it does not survive it.
struct TextFlaw {
  std::size_t position;  ///< of a byte on its line
  std::string problem;
  std::string why;
};

/// The first of: a key of so many parts that toml++, which walks them by recursion, ends the stack; a character beyond
/// ASCII outside of strings and comments, or at the start of a line that a backslash joins to the one before, where
/// toml++ 3.3 takes it for one that cannot be there (issue 190 of marzer/tomlplusplus).
std::optional<TextFlaw> find_flaw(const std::string& text);

}  // namespace freshet::config
