// SPDX-License-Identifier: Apache-2.0
// Run::change(): gives keys other values while a run is under way.
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"
#include "freshet/driver/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace freshet {
namespace {

/// Keys that may change between two steps of a run although a restart from a file refuses to change them.
constexpr std::array<std::string_view, 5> changeable{"fluid.gravity", "fluid.rotation", "transfer.flip_fraction",
                                                     "vortex.boost", "motion.scheme"};

/// The key that a line of InputChanges names: "fluid.density: 1000.0 -> 900.0".
std::string_view key_of(std::string_view line) {
  return line.substr(0, line.find(':'));
}

void refuse(const Parameters& parameters, std::string_view line, const char* why) {
  throw InputError(
      fmt::format("{}: {} ({}). Leave it as it is, or start another run", parameters.source_file, line, why));
}

}  // namespace

void Run::change(const std::vector<std::string>& overrides) {
  Parameters next = parse_parameters(resolved_toml(parameters_), parameters_.source_file, overrides);
  const InputChanges changes = compare_inputs(resolved_toml(parameters_), next);
  for (const std::string& line : changes.refused)
    if (std::ranges::find(changeable, key_of(line)) == changeable.end())
      refuse(parameters_, line, "this key says what is simulated and keeps its value during a run");
  for (const std::string& line : changes.allowed)
    if (key_of(line).starts_with("output."))
      refuse(parameters_, line, "keys of [output] keep their values during a run");
  if (changes.allowed.empty() && changes.refused.empty()) return;
  auto simulation = std::make_unique<Simulation>(comm_, next, simulation_->restart_state());
  if (prepare_) prepare_(*simulation);
  simulation_ = std::move(simulation);
  parameters_ = next;
  cadence_ = Cadence(parameters_.output.interval, parameters_.run.end_time, parameters_.output.start_time);
  surface_cadence_ = Cadence(parameters_.surface.interval, parameters_.run.end_time);
  clock_ = CheckpointClock(parameters_.checkpoint, simulation_->step(), simulation_->time());
  if (!output_) return;
  output_->change(parameters_);
  for (const auto* list : {&changes.refused, &changes.allowed})
    for (const std::string& line : *list) output_->log().info("changed after step {}: {}", simulation_->step(), line);
}

}  // namespace freshet
