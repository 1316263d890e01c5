// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet::config {

/// One value of a case file together with the place it came from.
struct Value {
  enum class Type { string, integer, real, boolean, array, table, date };

  Type type = Type::table;
  std::string where;  ///< "<file>:<line>" of its key, or "override 'key=value'"
  std::string text;   ///< string
  std::int64_t integer = 0;
  double real = 0.0;
  bool boolean = false;
  std::vector<std::string> keys;  ///< table: names, in the order of the file
  std::vector<Value> items;       ///< array: entries; table: the values of `keys`

  /// The value of one key of a table, or the entry of an array that the key numbers from 0; null if there is none.
  const Value* find(const std::string& key) const;
};

/// "a string", "an integer", ... for messages.
const char* type_name(Value::Type type);

/// The place of a dotted key, or of the innermost table around it that is in the file.
std::string location(const Value& root, const std::string& dotted_key);

/// The parts of a dotted key.
std::vector<std::string> split_key(const std::string& dotted_key);

std::string number_text(double value);  ///< reads back to the same float
std::string joined(const std::vector<std::string>& words, const char* between = ", ");  ///< "a, b, c"

/// `Did you mean "x"?` for the nearest of the known words, or plain advice if none is near.
std::string suggest_word(const std::string& word, const std::vector<std::string>& known);
/// As suggest_word(), for dotted keys: first among the keys of the same table, then among all. \pre  known is not empty
std::string suggest_key(const std::string& key, const std::vector<std::string>& known);

/// Text from a file, cut to a length that suits a message, between two characters.
std::string shortened(const std::string& text);

/// Whether UTF-8 text holds a control character: line ends, tabs, NUL, escapes of terminals, C1 controls.
bool has_control_character(const std::string& text);

/// Throw InputError("<where>: <problem> (<why>). <remedy>"), with ? for every control character.
[[noreturn]] void fail(const std::string& where, const std::string& problem, const std::string& why,
                       const std::string& remedy);

}  // namespace freshet::config
