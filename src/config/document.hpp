// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace freshet::config {

/// Longest text of a case without its comments [bytes]: all keys of a legal case file, written out, fit in it. The
/// parser needs 200 times as much memory.
constexpr std::size_t longest_text = 4u << 20;

/// Parse TOML text into a tree that knows its line numbers.
///
/// Errors: InputError "<file>:<line>: ..." for bytes that are no text, for more than longest_text, and for anything
/// that is not TOML 1.0
Value parse_document(const std::string& text, const std::string& file_name);

/// Parse what stands right of `key =`; nothing if it is not exactly one TOML value, or too long. Every part is placed
/// at `where`.
std::optional<Value> parse_value(const std::string& text, const std::string& where);

/// Set one value of a document from "key=value"; missing tables are made, entries of arrays must exist.
///
/// Errors: InputError "override 'key=value': ..." if it is no assignment, its value is no TOML, or it leads nowhere
void apply_override(Value& root, const std::string& assignment);

}  // namespace freshet::config
