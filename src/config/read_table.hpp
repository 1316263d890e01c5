// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"
#include "value.hpp"

#include <string>
#include <vector>

namespace freshet::config {

/// Set the targets of `keys` from a table of the file.
///
/// \param[in] base    dotted name of the table with a dot at its end, "" for the whole file; for messages
/// \param[in] domain  says how vectors are read in 2-D; may be filled by the same call
/// Errors: InputError for unknown keys (the first in the file), missing keys, wrong types and values out of range
void read_table(const Value& table, const std::string& base, const std::vector<Key>& keys, const DomainOptions& domain);

/// Set one key's target. `name` is its full dotted name. Errors: InputError for a wrong type or a value out of range
void read_value(const Value& value, const std::string& name, const Key& key, const DomainOptions& domain);

}  // namespace freshet::config
