// SPDX-License-Identifier: Apache-2.0
// Cases as text: all keys with their values, or those that a case file sets.
#include "document.hpp"
#include "freshet/config/given.hpp"
#include "freshet/config/read.hpp"
#include "freshet/core/text.hpp"
#include "keys.hpp"

#include <string>

namespace freshet {
namespace {

/// Chooses the keys that are written: all, or those that a table of a case file sets.
class KeyChoice {
 public:
  /// \param[in] table  table of the case file, which must outlive this object; null: all keys are chosen
  explicit KeyChoice(const keys::Value* table = nullptr) : table_(table) {}

  bool has(const std::string& key) const { return table_ == nullptr || keys::Table{*table_, ""}.gives(key); }
  KeyChoice entry(const std::string& array, std::size_t i) const {
    return KeyChoice(table_ == nullptr ? nullptr : &table_->find(array)->items[i]);
  }

 private:
  const keys::Value* table_;
};

std::string text_of_entry(const keys::Entry& entry, const KeyChoice& choice) {
  std::string text;
  for (const std::string& line : keys::assignments(entry))
    if (choice.has(line.substr(0, line.find(" = ")))) text += line + "\n";
  return text;
}

std::string text_of(const Parameters& parameters, const KeyChoice& choice) {
  Parameters copy = parameters;
  std::string text;
  std::string open_table;
  for (const keys::Key& key : config::keys_of(copy)) {
    if (!choice.has(key.name)) continue;
    if (key.slot.entry) {
      for (std::size_t i = 0; i < key.slot.size(); ++i)
        text += "\n[[" + key.name + "]]\n" + text_of_entry(key.slot.entry(i), choice.entry(key.name, i));
    } else if (key.slot.solver_options != nullptr) {
      text += "\n[" + key.name + "]\n";
      for (const auto& [option, value] : *key.slot.solver_options) text += option + " = " + quote(value) + "\n";
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

}  // namespace

std::string resolved_toml(const Parameters& parameters) {
  return text_of(parameters, KeyChoice());
}

GivenKeys given_keys(const Parameters& parameters, const std::string& text, const std::string& file_name,
                     const std::vector<std::string>& overrides) {
  keys::Value root = config::parse_document(text, file_name);
  for (const std::string& assignment : overrides) config::apply_override(root, assignment);
  const KeyChoice choice(&root);
  GivenKeys result;
  result.given = text_of(parameters, choice);
  Parameters resolved = parameters, defaults;
  const keys::Keys rows = config::keys_of(resolved), blank = config::keys_of(defaults);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].slot.entry || rows[i].slot.solver_options != nullptr || choice.has(rows[i].name)) continue;
    if (rows[i].name.ends_with("file_hash")) continue;  // follows from a file, and says nothing to a reader
    const std::string value = rows[i].slot.text();
    if (value != blank[i].slot.text()) result.derived.push_back(rows[i].name + " = " + value);
  }
  return result;
}

}  // namespace freshet
