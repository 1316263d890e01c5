// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"

#include <string>
#include <vector>

/// Keys and values as text, for messages, the resolved input and the schema.
namespace freshet::config {

std::string quoted(const std::string& text);  ///< a TOML string, also valid in JSON
std::string number(double value);             ///< reads back to the same bits, and as a float
std::string vector_text(const Vec3& value);

/// False for a key that may be left out and has no value.
bool is_given(const Target& target);
/// The value a key has now, in TOML; "none" if it has none. \pre  the target is not [[liquid]] or [[solid]]
std::string value_text(const Target& target);

std::string type_text(const Target& target);      ///< "a float", "3 floats", ...
std::string range_text(const Target& target);     ///< "> 0", "1 .. 8", "a | b", or "" where anything goes
std::string expected_text(const Target& target);  ///< type and range, for messages

std::string list_text(const std::vector<std::string>& words);      ///< "a, b, c"
std::string choice_text(const std::vector<std::size_t>& numbers);  ///< "4 or 7"

}  // namespace freshet::config
