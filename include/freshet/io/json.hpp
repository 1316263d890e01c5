// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace freshet {

/// JSON whose objects keep their keys in the order in which they were added. The class itself is in
/// <nlohmann/json.hpp>, which is slow to compile: sources that look into a Json include it, headers never do.
using Json = nlohmann::ordered_json;

/// A JSON text, indented for people, with a newline at its end. Reals read back to the same bits; a real that is not
/// finite is null, and bytes that are not UTF-8 become U+FFFD, because JSON has neither.
std::string json_text(const Json& json);

/// The content of a file of JSON; a discarded value (Json::is_discarded()) if the file cannot be read, is a pipe, or
/// holds something else.
Json read_json(const std::string& path);

}  // namespace freshet
