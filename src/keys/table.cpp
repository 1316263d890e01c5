// SPDX-License-Identifier: Apache-2.0
// Reading a table of a case file: every name in it must be a key, and every required key must be in it.
#include "freshet/keys/key.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::keys {
namespace {

const Value* find_dotted(const Value& table, const std::string& name) {
  const Value* value = &table;
  for (const std::string& part : split_key(name)) {
    value = value->find(part);
    if (!value) return nullptr;
  }
  return value;
}

[[noreturn]] void refuse_unknown(const Value& value, const std::string& name, const std::string& base,
                                 const Keys& keys) {
  std::vector<std::string> names, known;
  for (const Key& key : keys) names.push_back(key.name);
  for (const Key& key : keys) known.push_back(base + key.name);
  if (value.type == Value::Type::table) {  // for a misspelt table suggest a table
    for (const Key& key : keys) {
      const std::size_t dot = key.name.rfind('.');
      if (dot != std::string::npos) known.push_back(base + key.name.substr(0, dot));
    }
  }
  const std::string full = shortened(base + name);
  const std::string why = base.empty() ? "not a key of this program" : "the keys here are " + joined(names);
  fail(value.where, "unknown key '" + full + "'", why, suggest_key(full, known));
}

/// Check a table of the file: every name must be a key, or a table of keys.
void refuse_unknown_keys(const Value& table, const std::string& below, const std::string& base, const Keys& keys) {
  const auto any_key = [&](auto&& is_meant) { return std::any_of(keys.begin(), keys.end(), is_meant); };
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::string name = below + table.keys[i];
    const Value& value = table.items[i];
    if (table.keys[i].find('.') != std::string::npos) refuse_unknown(value, name, base, keys);
    if (any_key([&](const Key& key) { return key.name == name; })) continue;
    if (!any_key([&](const Key& key) { return key.name.starts_with(name + "."); }))
      refuse_unknown(value, name, base, keys);
    if (value.type != Value::Type::table)
      fail(value.where, fmt::format("'{}' is {}", base + name, type_name(value.type)), "it names a table of keys",
           fmt::format("Write a table [{}]", base + name));
    refuse_unknown_keys(value, name + ".", base, keys);
  }
}

}  // namespace

bool Entry::has(const Key& key) const {
  return !kind || key.kinds.names.empty() || std::ranges::find(key.kinds.names, kind()) != key.kinds.names.end();
}

bool Table::gives(const std::string& key) const {
  return find_dotted(value, key) != nullptr;
}

Keys in_table(const std::string& table, Keys keys) {
  for (Key& key : keys) key.name.insert(0, table.empty() ? "" : table + ".");
  return keys;
}

Keys changeable(Keys keys) {
  for (Key& key : keys) key.change = Change::at_restart;
  return keys;
}

std::vector<std::string> assignments(const Entry& entry) {
  std::vector<std::string> lines;
  for (const Key& key : entry.keys) {
    const std::string text = entry.has(key) ? key.slot.text() : "none";
    if (text != "none") lines.push_back(key.name + " = " + text);
  }
  return lines;
}

void read_table(const Value& table, const std::string& base, const Keys& keys, const Layer& layer) {
  refuse_unknown_keys(table, "", base, keys);
  for (const Key& key : keys) {
    if (const Value* value = find_dotted(table, key.name)) {
      key.slot.read({*value, base + key.name, key, layer});
    } else if (key.presence == Presence::required) {
      fail(location(table, key.name), "'" + base + key.name + "' is missing", "it has no default",
           "Add it: " + key.expected());
    }
  }
}

/// The kind of an entry is read first: it decides which other keys exist.
void read_entry(const Value& table, const std::string& base, Entry entry, const Layer& layer) {
  const Key& first = entry.keys.front();
  const Value* const kind = entry.kind ? table.find(first.name) : nullptr;
  if (kind != nullptr) {
    first.slot.read({*kind, base + first.name, first, layer});
    std::erase_if(entry.keys, [&](const Key& key) { return !entry.has(key); });
  }
  read_table(table, base, entry.keys, layer);
  for (const auto& check : entry.checks) check({table, base}, layer.dimension);
}

}  // namespace freshet::keys
