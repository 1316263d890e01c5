// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"
#include "freshet/config/read.hpp"
#include "keys.hpp"
#include "value.hpp"

#include <fmt/format.h>

#include <set>

namespace freshet {
namespace {

using config::Change;
using config::Key;

class Comparison {
 public:
  template <class Keyed>
  void compare_all(const std::string& base, Keyed& earlier, Keyed& now) {
    const std::vector<Key> before = config::keys_of(earlier);
    const std::vector<Key> after = config::keys_of(now);
    for (std::size_t i = 0; i < before.size(); ++i) compare(base, before[i], after[i]);
  }

  InputChanges changes;

 private:
  void compare(const std::string& base, const Key& earlier, const Key& now) {
    std::visit([&](const auto& target) { compare_target(target, base, earlier, now); }, earlier.target);
  }

  template <class Target>
  void compare_target(const Target&, const std::string& base, const Key& earlier, const Key& now) {
    note(earlier.change, base + earlier.name, config::value_text(earlier.target), config::value_text(now.target));
  }

  void compare_target(const config::OptionsTarget& earlier, const std::string& base, const Key& key, const Key& now) {
    const auto& before = *earlier.value;
    const auto& after = *std::get<config::OptionsTarget>(now.target).value;
    std::set<std::string> names;
    for (const auto& [name, value] : before) names.insert(name);
    for (const auto& [name, value] : after) names.insert(name);
    const auto text = [](const auto& options, const std::string& name) {
      const auto found = options.find(name);
      return found == options.end() ? "none" : config::quoted(found->second);
    };
    for (const std::string& name : names)
      note(key.change, base + key.name + "." + name, text(before, name), text(after, name));
  }

  template <class Element>
  void compare_target(const config::TablesTarget<Element>& earlier, const std::string& base, const Key& key,
                      const Key& now) {
    auto& before = *earlier.value;
    auto& after = *std::get<config::TablesTarget<Element>>(now.target).value;
    const std::string one = key.name == "parts" ? "part" : key.name;  // of liquid, solid, ...
    if (before.size() != after.size()) {
      list(key.change)
          .push_back(
              fmt::format("{}{} {}{} -> {}", base, before.size(), one, before.size() == 1 ? "" : "s", after.size()));
      return;
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      compare_entry(fmt::format("{}{} {}: ", base, one, i + 1), before[i], after[i]);
  }

  /// Shapes of two kinds have few keys in common: then the kind says it all.
  template <class Element>
  void compare_entry(const std::string& base, Element& earlier, Element& now) {
    const std::vector<Key> before = config::keys_of(earlier);
    const std::vector<Key> after = config::keys_of(now);
    const ShapeParameters* const shape = config::shape_of(earlier);
    const bool same_kind = shape == nullptr || shape->kind == config::shape_of(now)->kind;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool of_shape = !before[i].shapes.empty();
      if (of_shape && !(same_kind && config::applies_to(before[i], shape))) continue;
      compare(base, before[i], after[i]);
    }
  }

  void note(Change change, const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return;
    list(change).push_back(name + ": " + config::shortened(before) + " -> " + config::shortened(after));
  }

  std::vector<std::string>& list(Change change) {
    return change == Change::at_restart ? changes.allowed : changes.refused;
  }
};

}  // namespace

InputChanges compare_inputs(const std::string& earlier_resolved, const Parameters& now) {
  Parameters earlier = parse_parameters(earlier_resolved, "input of the earlier run");
  Parameters copy = now;
  Comparison comparison;
  comparison.compare_all("", earlier, copy);
  return std::move(comparison.changes);
}

}  // namespace freshet
