// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"
#include "freshet/config/read.hpp"
#include "keys.hpp"

namespace freshet {
namespace {

using config::Key;

std::string assignment(const std::string& name, const Key& key) {
  return name + " = " + config::value_text(key.target) + "\n";
}

/// Entries of [[liquid]], [[solid]], ...
template <class Element>
std::string tables(const std::string& name, const std::vector<Element>& elements) {
  std::string text;
  for (Element element : elements) {
    text += "\n[[" + name + "]]\n";
    for (const Key& key : config::keys_of(element)) {
      const bool counts = config::applies_to(key, config::shape_of(element)) && config::is_given(key.target);
      if (counts) text += assignment(key.name, key);
    }
  }
  return text;
}

std::string options(const std::string& name, const std::map<std::string, std::string>& values) {
  std::string text = "\n[" + name + "]\n";
  for (const auto& [option, value] : values) text += option + " = " + config::quoted(value) + "\n";
  return text;
}

}  // namespace

std::string resolved_toml(const Parameters& parameters) {
  Parameters copy = parameters;
  std::string text;
  std::string open_table;
  for (const Key& key : config::keys_of(copy)) {
    const std::size_t dot = key.name.rfind('.');
    const std::string table = dot == std::string::npos ? "" : key.name.substr(0, dot);
    const auto append_tables = [&](const auto& target) {
      if constexpr (requires { config::keys_of(target.value->front()); }) text += tables(key.name, *target.value);
      return requires {
        config::keys_of(target.value->front());
      };
    };
    if (std::visit(append_tables, key.target)) {
      continue;
    } else if (const auto* free_keys = std::get_if<config::OptionsTarget>(&key.target)) {
      text += options(key.name, *free_keys->value);
    } else {
      if (table != open_table) text += "\n[" + table + "]\n";
      open_table = table;
      text += assignment(key.name.substr(dot + 1), key);
    }
  }
  return text;
}

InputRecord input_record(const Parameters& parameters) {
  return {resolved_toml(parameters), parameters.input_hash, parameters.run.seed, parameters.particles.per_axis,
          parameters.particles.jitter};
}

}  // namespace freshet
