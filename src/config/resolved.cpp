// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "key.hpp"

namespace freshet {

using config::Key;

std::string resolved_toml(const Parameters& parameters) {
  Parameters copy = parameters;
  std::string text;
  std::string open_table;
  for (const Key& key : config::keys_of(copy)) {
    if (key.slot.entry) {
      for (std::size_t i = 0; i < key.slot.size(); ++i) {
        text += "\n[[" + key.name + "]]\n";
        for (const std::string& line : config::assignments(key.slot.entry(i))) text += line + "\n";
      }
    } else if (key.slot.solver_options != nullptr) {
      text += "\n[" + key.name + "]\n";
      for (const auto& [option, value] : *key.slot.solver_options) text += option + " = " + quoted(value) + "\n";
    } else {
      const std::size_t dot = key.name.rfind('.');
      const std::string table = dot == std::string::npos ? "" : key.name.substr(0, dot);
      if (table != open_table) text += "\n[" + table + "]\n";
      open_table = table;
      text += key.name.substr(dot + 1) + " = " + key.slot.text() + "\n";
    }
  }
  return text;
}

InputRecord input_record(const Parameters& parameters) {
  return {resolved_toml(parameters), parameters.input_hash, parameters.run.seed, parameters.particles.per_axis,
          parameters.particles.jitter};
}

}  // namespace freshet
