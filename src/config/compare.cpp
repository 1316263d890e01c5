// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "key.hpp"

#include <fmt/format.h>

#include <set>

namespace freshet {
namespace {

using config::Entry;
using config::Key;

/// Collects the keys whose values differ.
class Comparison {
 public:
  void compare(const std::string& base, const Entry& earlier, const Entry& now) {
    const bool same_kind = earlier.shape == nullptr || earlier.shape->kind == now.shape->kind;
    for (std::size_t i = 0; i < earlier.keys.size(); ++i) {
      const Key& key = earlier.keys[i];
      // shapes of two kinds have few keys in common: then the kind says it all
      if (!key.shapes.empty() && !(same_kind && key.applies_to(earlier.shape))) continue;
      compare(base, key, now.keys[i]);
    }
  }

  InputChanges changes;

 private:
  void compare(const std::string& base, const Key& earlier, const Key& now) {
    if (earlier.slot.entry) {
      compare_entries(base, earlier, now);
    } else if (earlier.slot.solver_options != nullptr) {
      compare_options(base + earlier.name + ".", earlier, now);
    } else {
      note(earlier, base + earlier.name, earlier.slot.text(), now.slot.text());
    }
  }

  void compare_options(const std::string& base, const Key& earlier, const Key& now) {
    std::set<std::string> names;
    for (const Key* key : {&earlier, &now})
      for (const auto& [name, value] : *key->slot.solver_options) names.insert(name);
    const auto text = [](const Key& key, const std::string& name) {
      const auto found = key.slot.solver_options->find(name);
      return found == key.slot.solver_options->end() ? "none" : quoted(found->second);
    };
    for (const std::string& name : names) note(earlier, base + name, text(earlier, name), text(now, name));
  }

  void compare_entries(const std::string& base, const Key& earlier, const Key& now) {
    const std::string one = earlier.name == "parts" ? "part" : earlier.name;  // or liquid, solid, ...
    const std::size_t n = earlier.slot.size();
    if (n != now.slot.size()) {
      list(earlier).push_back(fmt::format("{}{} {}{} -> {}", base, n, one, n == 1 ? "" : "s", now.slot.size()));
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      compare(fmt::format("{}{} {}: ", base, one, i + 1), earlier.slot.entry(i), now.slot.entry(i));
  }

  void note(const Key& key, const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return;
    list(key).push_back(name + ": " + config::shortened(before) + " -> " + config::shortened(after));
  }

  std::vector<std::string>& list(const Key& key) {
    return key.change == config::Change::at_restart ? changes.allowed : changes.refused;
  }
};

}  // namespace

InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now) {
  Parameters earlier = parse_parameters(earlier_resolved, "input of the earlier run");
  Parameters copy = now;
  Comparison comparison;
  comparison.compare("", {config::keys_of(earlier)}, {config::keys_of(copy)});
  return std::move(comparison.changes);
}

}  // namespace freshet
