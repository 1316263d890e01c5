// SPDX-License-Identifier: Apache-2.0
#include "run_record.hpp"

#include "freshet/io/json.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace freshet {
namespace {

/// The text of a member; empty if there is no member of that name or it is no text.
std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::optional<RunRecord> read_run_record(const std::string& directory) {
  const Json json = read_json((std::filesystem::path(directory) / "run.json").string());
  if (!json.is_object()) return std::nullopt;
  return RunRecord{text_member(json, "input"), text_member(json, "status") == "done", json.contains("last_checkpoint")};
}

}  // namespace freshet
