// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace freshet {

/// JSON whose objects keep the order in which keys were added. The class is in <nlohmann/json.hpp>, which is slow to
/// compile: sources that use members of Json include it, headers never do.
using Json = nlohmann::ordered_json;

/// Format JSON with indents and a newline at its end. Reals read back to the same bits. A real that is not finite
/// becomes null, and bytes that are not UTF-8 become U+FFFD, because JSON has neither.
std::string json_text(const Json& json);

/// Read a file of JSON. \return a discarded value (Json::is_discarded()) if the file cannot be read, is a pipe, or
/// is not JSON
Json read_json(const std::string& path);

}  // namespace freshet
