// SPDX-License-Identifier: Apache-2.0
#include "freshet/keys/value.hpp"

#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::keys {
namespace {

/// Whether a byte continues a UTF-8 character.
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

}  // namespace

const Value* Value::find(const std::string& key) const {
  std::size_t i = 0;
  if (type == Type::array) {
    const auto number = number_in<std::size_t>(key);
    if (!number) return nullptr;
    i = *number;
  } else {
    i = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  }
  return i < items.size() ? &items[i] : nullptr;
}

const char* type_name(Value::Type type) {
  constexpr const char* names[] = {"a string", "an integer", "a float",       "a boolean",
                                   "an array", "a table",    "a date or time"};
  return names[static_cast<std::size_t>(type)];
}

std::optional<std::string> plain_text(const Value& value) {
  switch (value.type) {
    case Value::Type::string:
      return value.text;
    case Value::Type::integer:
      return std::to_string(value.integer);
    case Value::Type::real:
      return number_text(value.real);
    case Value::Type::boolean:
      return value.boolean ? "true" : "false";
    default:
      return std::nullopt;
  }
}

std::vector<std::string> split_key(const std::string& dotted_key) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, dot = 0; dot != std::string::npos; begin = dot + 1) {
    dot = dotted_key.find('.', begin);
    parts.push_back(dotted_key.substr(begin, dot - begin));
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
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && is_continuation(text[end])) --end;
  return text.substr(0, end) + "...";
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

}  // namespace freshet::keys
