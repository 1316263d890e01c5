// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"

#include "check.hpp"
#include "choices.hpp"
#include "document.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/floating_point.hpp"
#include "freshet/core/text.hpp"
#include "freshet/geometry/input_files.hpp"
#include "keys.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace freshet {
namespace {

/// Whether the document sets a key of a table.
bool gives(const keys::Value& root, const std::string& table, const std::string& key) {
  const keys::Value* const found = root.find(table);
  return found != nullptr && found->find(key) != nullptr;
}

/// Scale the limits of reseeding that the case does not set from eight particles a cell to the number of the seeding.
/// Without reseeding they stay, so that runs whose records hold them go on.
void resolve_reseeding(const keys::Value& root, Parameters& p) {
  if (!p.particles.reseeding.enabled) return;
  const keys::Value* const particles = root.find("particles");
  const auto is_given = [particles](const char* key) {
    return particles != nullptr && gives(*particles, "reseeding", key);
  };
  const double scale = std::pow(p.particles.per_axis, p.domain.dimension) / 8.0;
  const auto scaled = [scale](int of_eight) { return std::max(1, static_cast<int>(std::lround(scale * of_eight))); };
  ReseedingOptions& reseeding = p.particles.reseeding;
  if (!is_given("min")) reseeding.min = scaled(reseeding.min);
  if (!is_given("max")) reseeding.max = scaled(reseeding.max);
}

/// Call f(shape) for a shape and all its parts, if they come from files.
void for_each_file(ShapeParameters& shape, const std::function<void(ShapeParameters&)>& f) {
  if (shape.kind == ShapeKind::mesh || shape.kind == ShapeKind::particles) f(shape);
  for (ShapeParameters& part : shape.parts) for_each_file(part, f);
}

void for_each_file(Parameters& parameters, const std::function<void(ShapeParameters&)>& f) {
  for (LiquidParameters& liquid : parameters.liquids) for_each_file(liquid.shape, f);
  for (SolidParameters& solid : parameters.solids) for_each_file(solid.shape, f);
  for (SourceParameters& source : parameters.sources) for_each_file(source.shape, f);
  for (SinkParameters& sink : parameters.sinks) for_each_file(sink.shape, f);
  for (AttributeParameters& attribute : parameters.attributes)
    for (AttributeRegionParameters& region : attribute.regions) for_each_file(region.shape, f);
}

}  // namespace

Parameters parse_parameters(const std::string& text, const std::string& file_name,
                            const std::vector<std::string>& overrides) {
  const WithoutTraps suspended;  // values that overflow here are refused later
  keys::Value root = config::parse_document(text, file_name);
  for (const std::string& assignment : overrides) config::apply_override(root, assignment);
  Parameters parameters;
  const DomainOptions& domain = parameters.domain;
  keys::read_table(root, "", config::keys_of(parameters), {domain.dimension, domain.origin, domain.cell_size});
  config::choose_open_keys(root, parameters);
  resolve_reseeding(root, parameters);
  if (const keys::Value* frame = root.find("frame")) parameters.frame.where = keys::location(*frame, "motion_file");
  config::check_parameters(parameters, {root, ""});
  config::derive_walls(parameters);
  parameters.source_file = file_name;
  const std::string resolved = resolved_toml(parameters);
  if (resolved.size() > config::longest_text) {  // otherwise a restart could not read it
    keys::fail(root.where, "with all its values written out the case has " + std::to_string(resolved.size()) + " bytes",
               "at most " + std::to_string(config::longest_text) + " are legal", "Give fewer shapes or shorter texts");
  }
  parameters.input_hash = fnv1a(resolved);
  return parameters;
}

Parameters parse_recorded(const std::string& text, const std::string& file_name,
                          const std::vector<std::string>& overrides) {
  std::vector<std::string> assignments = config::values_of_older_runs(config::parse_document(text, file_name));
  assignments.insert(assignments.end(), overrides.begin(), overrides.end());
  return parse_parameters(text, file_name, assignments);
}

std::string read_text_file(const std::string& path) {
  constexpr std::size_t largest = 64u << 20;  // [bytes] including comments, which are read but not parsed
  return read_input_file(path, "case file", largest, "Give the path of a case file in TOML");
}

InputRecord input_record(const Parameters& parameters) {
  return {resolved_toml(parameters), parameters.input_hash, parameters.run.seed, parameters.particles.per_axis,
          parameters.particles.jitter};
}

void identify_files(const Communicator& comm, Parameters& parameters) {
  std::map<std::string, std::string> hashes;  // by path
  const auto identify = [&](const std::string& file, std::string& its_hash, const std::string& where,
                            const std::string& what, const std::string& key) {
    const std::string path = input_path(parameters.source_file, file);
    std::string hash;
    on_root(comm, where, [&] {
      if (!hashes.contains(path)) hashes[path] = hash_of_file(path, what);
      hash = hashes[path];
      check_hash(hash, its_hash, path, what, key);
    });
    its_hash = comm.broadcast(hash);
  };
  for_each_file(parameters, [&](ShapeParameters& shape) {
    identify(shape.file, shape.file_hash, shape.where, shape.kind == ShapeKind::mesh ? "mesh" : "file of particles",
             "file_hash");
  });
  const auto identify_motion = [&](MotionParameters& motion) {
    if (!motion.file.empty())
      identify(motion.file, motion.file_hash, motion.where, "table of a motion", "motion_file_hash");
  };
  for (SolidParameters& solid : parameters.solids) identify_motion(solid.motion);
  identify_motion(parameters.frame);
  if (comm.any(!hashes.empty())) parameters.input_hash = fnv1a(resolved_toml(parameters));
}

}  // namespace freshet
