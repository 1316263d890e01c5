// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

#include "freshet/core/error.hpp"

namespace freshet::config {

const Value* Value::find(const std::string& key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

const char* type_name(Value::Type type) {
  switch (type) {
    case Value::Type::string:
      return "a string";
    case Value::Type::integer:
      return "an integer";
    case Value::Type::real:
      return "a float";
    case Value::Type::boolean:
      return "a boolean";
    case Value::Type::array:
      return "an array";
    case Value::Type::table:
      return "a table";
    case Value::Type::date:
      return "a date or time";
  }
  return "a value";
}

std::vector<std::string> split_key(const std::string& dotted_key) {
  std::vector<std::string> parts(1);
  for (const char c : dotted_key) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string location(const Value& root, const std::string& dotted_key) {
  const Value* value = &root;
  for (const std::string& part : split_key(dotted_key)) {
    const Value* next = value->find(part);
    if (!next) break;
    value = next;
  }
  return value->where;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 80;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

void fail(const std::string& where, const std::string& problem, const std::string& why, const std::string& remedy) {
  throw InputError(where + ": " + problem + " (" + why + "). " + remedy);
}

}  // namespace freshet::config
