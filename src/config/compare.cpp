// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace freshet {
namespace {

using keys::Entry;
using keys::Key;

/// Prefix and owner of a table's keys in messages.
struct Place {
  std::string base;   ///< dotted name as in overrides, with a dot at its end; empty for the whole file
  std::string owner;  ///< name of the entry: " of \"front\""; empty if entries have no names
};

void compare_entries(const Place& place, const Entry& earlier, const Entry& now, InputChanges& changes);

Place entry_of(const Place& place, const std::string& array, std::size_t i, const Entry& entry) {
  const auto name = std::ranges::find(entry.keys, "name", &Key::name);
  return {fmt::format("{}{}.{}.", place.base, array, i),
          name == entry.keys.end() ? place.owner : " of " + keys::shortened(name->slot.text())};
}

void compare_keys(const Place& place, const Key& earlier, const Key& now, InputChanges& changes) {
  std::vector<std::string>& list = earlier.change == keys::Change::at_restart ? changes.allowed : changes.refused;
  const std::string name = place.base + earlier.name;
  const auto note = [&](const std::string& key, const std::string& before, const std::string& after) {
    if (before != after)
      list.push_back(key + place.owner + ": " + keys::shortened(before) + " -> " + keys::shortened(after));
  };
  if (earlier.slot.entry) {
    const std::size_t n = earlier.slot.size();
    if (n != now.slot.size()) {
      list.push_back(fmt::format("{}: {} {} -> {}", name, n, n == 1 ? "entry" : "entries", now.slot.size()));
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Entry before = earlier.slot.entry(i);
      compare_entries(entry_of(place, earlier.name, i, before), before, now.slot.entry(i), changes);
    }
  } else if (earlier.slot.solver_options != nullptr) {
    std::map<std::string, std::array<std::string, 2>> values;  // before and after
    for (const auto& [option, value] : *earlier.slot.solver_options) values[option] = {quote(value), "none"};
    for (const auto& [option, value] : *now.slot.solver_options) {
      if (!values.contains(option)) values[option][0] = "none";
      values[option][1] = quote(value);
    }
    for (const auto& [option, value] : values) note(name + "." + option, value[0], value[1]);
  } else {
    note(name, earlier.slot.text(), now.slot.text());
  }
}

void compare_entries(const Place& place, const Entry& earlier, const Entry& now, InputChanges& changes) {
  const bool same_kind = !earlier.kind || earlier.kind() == now.kind();
  for (std::size_t i = 0; i < earlier.keys.size(); ++i) {
    const Key& key = earlier.keys[i];
    // entries of different kinds have few keys in common: the change of kind is enough
    if (key.kinds.names.empty() || (same_kind && earlier.has(key))) compare_keys(place, key, now.keys[i], changes);
  }
}

}  // namespace

InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now) {
  Parameters earlier = parse_recorded(earlier_resolved, "input of the earlier run");
  Parameters copy = now;
  InputChanges changes;
  compare_entries({}, {config::keys_of(earlier)}, {config::keys_of(copy)}, changes);
  for (const GaugeParameters& gauge : now.gauges)
    if (std::ranges::find(earlier.gauges, gauge.name, &GaugeParameters::name) == earlier.gauges.end())
      changes.new_gauges.push_back(gauge.name);
  return changes;
}

}  // namespace freshet
