// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"

#include "check.hpp"
#include "document.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "freshet/core/hash.hpp"
#include "freshet/geometry/input_files.hpp"
#include "key.hpp"

#include <string>

namespace freshet {
namespace {

/// Derive the walls of the domain from the wall options of the pressure.
void resolve_walls(Parameters& p) {
  const WallOptions& walls = p.pressure.walls;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side)
      p.domain.wall[axis][side] = choose(walls.face[axis][side], walls.condition);
  p.domain.stores_walls = walls.method == WallMethod::admm || walls.method == WallMethod::iop || !p.sources.empty();
}

}  // namespace

Parameters parse_parameters(const std::string& text, const std::string& file_name,
                            const std::vector<std::string>& overrides) {
  const WithoutTraps suspended;  // what overflows here is refused afterwards
  config::Value root = config::parse_document(text, file_name);
  for (const std::string& assignment : overrides) config::apply_override(root, assignment);
  Parameters parameters;
  config::read_table(root, "", config::keys_of(parameters), parameters.domain);
  if (const config::Value* frame = root.find("frame")) parameters.frame.where = config::location(*frame, "motion_file");
  config::check_parameters(parameters, root);
  resolve_walls(parameters);
  parameters.source_file = file_name;
  const std::string resolved = resolved_toml(parameters);
  if (resolved.size() > config::longest_text) {  // a restart could not read it
    config::fail(
        root.where, "with all its values written out the case has " + std::to_string(resolved.size()) + " bytes",
        "at most " + std::to_string(config::longest_text) + " are legal", "Give fewer shapes or shorter texts");
  }
  parameters.input_hash = fnv1a(resolved);
  return parameters;
}

std::string read_text_file(const std::string& path) {
  constexpr std::size_t largest = 64u << 20;  // [bytes] with its comments, which are read but not parsed
  return read_input_file(path, "case file", largest, "Give the path of a case file in TOML");
}

void set_input_hash(Parameters& parameters) {
  parameters.input_hash = fnv1a(resolved_toml(parameters));
}

}  // namespace freshet
