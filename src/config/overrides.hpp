// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value.hpp"

#include <string>

namespace freshet::config {

/// Set one value of a document from "key=value"; tables on the way are made, entries of arrays must exist.
///
/// Errors: InputError "override 'key=value': ..." if it is no assignment, its value is no TOML, or it leads nowhere
void apply_override(Value& root, const std::string& assignment);

}  // namespace freshet::config
