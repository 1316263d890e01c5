// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"

#include <string>
#include <vector>

namespace freshet {

/// Parse and check a case file given as text.
///
/// \param[in] text       TOML 1.0
/// \param[in] file_name  for messages
/// \param[in] overrides  "key=value" with dotted keys and TOML values (bare words count as strings), applied before
/// checks Errors: InputError "<file>:<line>: <problem> (<why>). <what to do>" for syntax, unknown keys (with the
/// nearest known
///         key), wrong types, values out of range and combinations that make no sense; overrides are named
///         "override 'key=value'" in place of file:line
Parameters parse_parameters(const std::string& text, const std::string& file_name,
                            const std::vector<std::string>& overrides = {});

/// The text of a case file. Errors: InputError if it cannot be read.
std::string read_text_file(const std::string& path);

/// Every key with its value, defaults included, as TOML that parse_parameters() reads back to the same Parameters.
std::string resolved_toml(const Parameters& parameters);

/// Every key: type, default, unit, range, one sentence; as aligned text or as JSON.
std::string schema_text();
std::string schema_json();

}  // namespace freshet
