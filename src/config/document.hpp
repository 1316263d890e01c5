// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/keys/value.hpp"

#include <cstddef>
#include <optional>
#include <string>

/// Case files as trees of values.
namespace freshet::config {

using keys::Value;

/// Longest text of a case without its comments [bytes]: all keys of a legal case file fit in it. The limit bounds the
/// parser's memory, which is many times as large.
constexpr std::size_t longest_text = 4u << 20;

/// Parse TOML text into a tree with line numbers.
///
/// Errors: InputError "<file>:<line>: ..." for bytes that are not text, for more than longest_text, and for text that
/// is not TOML 1.0
Value parse_document(const std::string& text, const std::string& file_name);

/// Parse the right side of `key =`; nothing if it is not exactly one TOML value, or too long. Every part gets
/// the place `where`.
std::optional<Value> parse_value(const std::string& text, const std::string& where);

/// Set one value of a document from "key=value"; missing tables are created, entries of arrays must exist.
///
/// Errors: InputError "override 'key=value': ..." if it is no assignment, has no TOML value, or its key leads nowhere
void apply_override(Value& root, const std::string& assignment);

}  // namespace freshet::config
