// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace freshet::keys {

/// A value of a case file with its place in the file.
struct Value {
  enum class Type { string, integer, real, boolean, array, table, date };

  Type type = Type::table;
  std::string where;  ///< place of its key: "<file>:<line>", or "override 'key=value'"
  std::string text;   ///< value of a string
  std::int64_t integer = 0;
  double real = 0.0;
  bool boolean = false;
  std::vector<std::string> keys;  ///< names in a table, in the order of the file
  std::vector<Value> items;       ///< entries of an array; values of `keys` in a table

  /// Find the value of a key in a table, or the entry of an array with this number from 0; null if there is none.
  const Value* find(const std::string& key) const;
};

/// Name a type for messages: "a string", "an integer", ...
const char* type_name(Value::Type type);

/// Text of a string, an integer, a float or a boolean; nothing for other types.
std::optional<std::string> plain_text(const Value& value);

/// The place of a dotted key, or of the innermost table around it that is in the file.
std::string location(const Value& root, const std::string& dotted_key);

/// Split a dotted key into its parts.
std::vector<std::string> split_key(const std::string& dotted_key);

std::string number_text(double value);  ///< text that reads back to the same float
std::string joined(const std::vector<std::string>& words, const char* between = ", ");  ///< words as a list: "a, b, c"

/// Suggest a dotted key as by suggest_word(): from the same table first, then from all. \pre known is not empty
std::string suggest_key(const std::string& key, const std::vector<std::string>& known);

/// Cut text from a file to a length for messages, between two characters.
std::string shortened(const std::string& text);

/// Whether UTF-8 text contains a control character: line ends, tabs, NUL, escapes of terminals, C1 controls.
bool has_control_character(const std::string& text);

/// Throw InputError("<where>: <problem> (<why>). <remedy>"), with ? in place of control characters.
[[noreturn]] void fail(const std::string& where, const std::string& problem, const std::string& why,
                       const std::string& remedy);

}  // namespace freshet::keys
