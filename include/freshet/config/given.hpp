// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"

#include <string>
#include <vector>

namespace freshet {

/// The keys of a case whose values are not their defaults, by where they come from.
struct GivenKeys {
  std::string given;                 ///< TOML: the keys that the case file or an override sets, with their values
  std::vector<std::string> derived;  ///< "key = value": the other keys whose values follow from those
};

/// Find the keys that a case file and its overrides set, and those that follow.
///
/// \param[in] parameters  what parse_parameters() made of the next three
/// Errors: as parse_parameters()
GivenKeys given_keys(const Parameters& parameters, const std::string& text, const std::string& file_name,
                     const std::vector<std::string>& overrides);

}  // namespace freshet
