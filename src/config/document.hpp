// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value.hpp"

#include <optional>
#include <string>

namespace freshet::config {

/// Parse TOML text into a tree that knows its line numbers.
///
/// Errors: InputError "<file>:<line>: ..." for bytes that are no text and for anything that is not TOML 1.0
Value parse_document(const std::string& text, const std::string& file_name);

/// Parse what stands right of `key =`; nothing if it is not exactly one TOML value. Every part is placed at `where`.
std::optional<Value> parse_value(const std::string& text, const std::string& where);

}  // namespace freshet::config
