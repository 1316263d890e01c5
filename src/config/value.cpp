// SPDX-License-Identifier: Apache-2.0
#include "value.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <charconv>

namespace freshet::config {
namespace {

/// A byte of a UTF-8 character after its first one.
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Whether a control character starts at byte i: below space, DEL, or U+0080 to U+009F, which are two bytes.
bool is_control(const std::string& text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x20 || byte == 0x7f) return true;
  if (byte != 0xc2 || i + 1 >= text.size()) return false;
  return static_cast<unsigned char>(text[i + 1]) < 0xa0 && is_continuation(text[i + 1]);
}

/// The entry that a part of a dotted key numbers; null if there is none.
const Value* entry_of(const Value& array, const std::string& number) {
  std::size_t i = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, i);
  return error == std::errc() && stop == end && i < array.items.size() ? &array.items[i] : nullptr;
}

}  // namespace

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
    const Value* next = value->type == Value::Type::array ? entry_of(*value, part) : value->find(part);
    if (!next) break;
    value = next;
  }
  return value->where;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 80;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && is_continuation(text[end])) --end;
  return text.substr(0, end) + "...";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(byte));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool looks_like_an_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_like_an_integer ? text + ".0" : text;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

bool has_control_character(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(text, i)) return true;
  return false;
}

void fail(const std::string& where, const std::string& problem, const std::string& why, const std::string& remedy) {
  std::string message = where + ": " + problem + " (" + why + "). " + remedy;
  for (std::size_t i = 0; i < message.size(); ++i)
    if (is_control(message, i)) message.replace(i, static_cast<unsigned char>(message[i]) == 0xc2 ? 2 : 1, "?");
  throw InputError(message);
}

}  // namespace freshet::config
