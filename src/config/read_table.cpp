// SPDX-License-Identifier: Apache-2.0
#include "read_table.hpp"

#include "format.hpp"
#include "suggest.hpp"

#include <fmt/format.h>

namespace freshet::config {
namespace {

const Value* find_dotted(const Value& table, const std::string& name) {
  const Value* value = &table;
  for (const std::string& part : split_key(name)) {
    value = value->find(part);
    if (!value) return nullptr;
  }
  return value;
}

const Key* find_key(const std::vector<Key>& keys, const std::string& name) {
  for (const Key& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

bool is_table_of_keys(const std::vector<Key>& keys, const std::string& name) {
  for (const Key& key : keys) {
    if (key.name.rfind(name + ".", 0) == 0) return true;
  }
  return false;
}

std::string names_text(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(key.name);
  return list_text(names);
}

[[noreturn]] void refuse_unknown(const Value& value, const std::string& name, const std::string& base,
                                 const std::vector<Key>& keys) {
  std::vector<std::string> known;
  known.reserve(2 * keys.size());
  for (const Key& key : keys) known.push_back(base + key.name);
  if (value.type == Value::Type::table) {
    // A misspelt table is best answered with a table.
    for (const Key& key : keys) {
      const std::size_t dot = key.name.rfind('.');
      if (dot != std::string::npos) known.push_back(base + key.name.substr(0, dot));
    }
  }
  const std::string full = shortened(base + name);
  const std::string why = base.empty() ? "not a key of this program" : "the keys here are " + names_text(keys);
  fail(value.where, "unknown key '" + full + "'", why, suggest_key(full, known));
}

/// Walk a table of the file: every name must be a key, or a table of keys.
void refuse_unknown_keys(const Value& table, const std::string& below, const std::string& base,
                         const std::vector<Key>& keys) {
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::string name = below + table.keys[i];
    const Value& value = table.items[i];
    if (table.keys[i].find('.') != std::string::npos) refuse_unknown(value, name, base, keys);
    if (find_key(keys, name)) continue;
    if (!is_table_of_keys(keys, name)) refuse_unknown(value, name, base, keys);
    if (value.type != Value::Type::table) {
      const std::string full = base + name;
      fail(value.where, fmt::format("'{}' is {}", full, type_name(value.type)), "it names a table of keys",
           fmt::format("Write a table [{}]", full));
    }
    refuse_unknown_keys(value, name + ".", base, keys);
  }
}

}  // namespace

void read_table(const Value& table, const std::string& base, const std::vector<Key>& keys,
                const DomainOptions& domain) {
  refuse_unknown_keys(table, "", base, keys);
  for (const Key& key : keys) {
    if (const Value* value = find_dotted(table, key.name)) {
      read_value(*value, base + key.name, key, domain);
    } else if (key.presence == Presence::required) {
      fail(location(table, key.name), "'" + base + key.name + "' is missing", "it has no default",
           "Add it: " + expected_text(key.target));
    }
  }
}

}  // namespace freshet::config
