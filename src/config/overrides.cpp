// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

namespace freshet::config {
namespace {

/// A TOML value, or else a bare word or several, taken as a string.
Value value_of(const std::string& text, const std::string& where) {
  if (const auto value = parse_value(text, where)) return *value;
  const bool is_word = !text.empty() && std::string("[{\"'").find(text.front()) == std::string::npos;
  if (is_word) {
    // Through TOML once more: it refuses bytes that are not UTF-8.
    if (const auto value = parse_value(quoted(text), where)) return *value;
  }
  fail(where, text.empty() ? "no value after the '='" : "the value is not TOML",
       "numbers, true, [1, 2], \"text\" or a bare word", "Quote it for the shell if it has spaces or brackets");
}

Value& member_of(Value& parent, const std::string& name, const std::string& where) {
  if (const Value* found = parent.find(name)) return const_cast<Value&>(*found);
  if (parent.type == Value::Type::array)
    fail(where, "no entry '" + name + "'",
         "number of entries: " + std::to_string(parent.items.size()) + ", counted from 0",
         "Name one of them, or add one in the file");
  if (parent.type != Value::Type::table)
    fail(where, "there is no key '" + name + "' inside " + type_name(parent.type),
         "the key before it has a plain value", "Shorten the key");
  parent.keys.push_back(name);
  parent.items.push_back({});
  parent.items.back().where = where;
  return parent.items.back();
}

}  // namespace

void apply_override(Value& root, const std::string& assignment) {
  const std::string where = "override '" + shortened(assignment) + "'";
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(where, "not an assignment", "an override is key=value", "Write for example time.cfl=0.5");
  }
  const std::string key = assignment.substr(0, equals);
  const std::vector<std::string> parts = split_key(key);
  constexpr std::size_t deepest = 64;
  if (parts.size() > deepest)
    fail(where, "a key has too many parts", "at most " + std::to_string(deepest), "Shorten the key");
  Value* target = &root;
  for (const std::string& part : parts) target = &member_of(*target, part, where);
  *target = value_of(assignment.substr(equals + 1), where);
}

}  // namespace freshet::config
