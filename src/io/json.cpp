// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/json.hpp"

#include "freshet/core/pipe.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace freshet {

std::string json_text(const Json& json) {
  constexpr int indentation = 2;
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json read_json(const std::string& path) {
  std::ostringstream text;
  if (!is_pipe(path)) text << std::ifstream(path).rdbuf();  // rdbuf() of a directory fails without an exception
  constexpr bool throws = false;
  return Json::parse(text.str(), nullptr, throws);
}

}  // namespace freshet
