// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/keys/value.hpp"

#include <string>
#include <vector>

/// Keys whose values the program chooses where a case does not set them: the value that is best for most cases, or
/// another one where that cannot be had.
namespace freshet::config {

/// Choose the values of those keys that the document does not set, or sets to "auto".
/// \param[in,out] parameters  as read from the document
void choose_open_keys(const keys::Value& root, Parameters& parameters);

/// Overrides that give a run's recorded text what it lacks: keys that are newer than the run, with the values with
/// which it computed where these are not what a newer program chooses.
std::vector<std::string> values_of_older_runs(const keys::Value& root);

/// Derive the walls of the domain from the wall options of the pressure.
void derive_walls(Parameters& parameters);

}  // namespace freshet::config
