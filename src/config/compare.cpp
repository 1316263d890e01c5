// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace freshet {
namespace {

using config::Entry;
using config::Key;

void compare_entries(const std::string& base, const Entry& earlier, const Entry& now, InputChanges& changes);

void compare_keys(const std::string& base, const Key& earlier, const Key& now, InputChanges& changes) {
  std::vector<std::string>& list = earlier.change == config::Change::at_restart ? changes.allowed : changes.refused;
  const auto note = [&](const std::string& name, const std::string& before, const std::string& after) {
    if (before != after) list.push_back(name + ": " + config::shortened(before) + " -> " + config::shortened(after));
  };
  if (earlier.slot.entry) {
    const std::string one = earlier.name == "parts" ? "part" : earlier.name;  // or liquid, solid, ...
    const std::size_t n = earlier.slot.size();
    if (n != now.slot.size()) {
      list.push_back(fmt::format("{}{} {}{} -> {}", base, n, one, n == 1 ? "" : "s", now.slot.size()));
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      compare_entries(fmt::format("{}{} {}: ", base, one, i + 1), earlier.slot.entry(i), now.slot.entry(i), changes);
  } else if (earlier.slot.solver_options != nullptr) {
    std::map<std::string, std::array<std::string, 2>> values;  // before and after
    for (const auto& [name, value] : *earlier.slot.solver_options) values[name] = {quoted(value), "none"};
    for (const auto& [name, value] : *now.slot.solver_options) {
      if (!values.contains(name)) values[name][0] = "none";
      values[name][1] = quoted(value);
    }
    for (const auto& [name, value] : values) note(base + earlier.name + "." + name, value[0], value[1]);
  } else {
    note(base + earlier.name, earlier.slot.text(), now.slot.text());
  }
}

void compare_entries(const std::string& base, const Entry& earlier, const Entry& now, InputChanges& changes) {
  const bool same_kind = earlier.shape == nullptr || earlier.shape->kind == now.shape->kind;
  for (std::size_t i = 0; i < earlier.keys.size(); ++i) {
    const Key& key = earlier.keys[i];
    // shapes of two kinds have few keys in common: then the kind says it all
    if (key.shapes.empty() || (same_kind && key.applies_to(earlier.shape)))
      compare_keys(base, key, now.keys[i], changes);
  }
}

}  // namespace

InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now) {
  Parameters earlier = parse_recorded(earlier_resolved, "input of the earlier run");
  Parameters copy = now;
  InputChanges changes;
  compare_entries("", {config::keys_of(earlier)}, {config::keys_of(copy)}, changes);
  for (const GaugeParameters& gauge : now.gauges)
    if (std::ranges::find(earlier.gauges, gauge.name, &GaugeParameters::name) == earlier.gauges.end())
      changes.new_gauges.push_back(gauge.name);
  return changes;
}

}  // namespace freshet
