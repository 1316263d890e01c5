// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

/// The text of a string, an integer, a float or a boolean; nothing for other types.
std::optional<std::string> plain_text(const Value& value);

/// The place of a dotted key, or of the innermost table around it that is in the file.
std::string location(const Value& root, const std::string& dotted_key);

/// The parts of a dotted key.
std::vector<std::string> split_key(const std::string& dotted_key);

std::string number_text(double value);  ///< reads back to the same float
std::string joined(const std::vector<std::string>& words, const char* between = ", ");  ///< "a, b, c"

/// As suggest_word(), for dotted keys: first among the keys of the same table, then among all. \pre  known is not empty
std::string suggest_key(const std::string& key, const std::vector<std::string>& known);

/// Text from a file, cut to a length that suits a message, between two characters.
std::string shortened(const std::string& text);

/// Whether UTF-8 text holds a control character: line ends, tabs, NUL, escapes of terminals, C1 controls.
bool has_control_character(const std::string& text);

/// Throw InputError("<where>: <problem> (<why>). <remedy>"), with ? for every control character.
[[noreturn]] void fail(const std::string& where, const std::string& problem, const std::string& why,
                       const std::string& remedy);

/// Longest text of a case without its comments [bytes]: all keys of a legal case file, written out, fit in it. The
/// parser needs 200 times as much memory.
constexpr std::size_t longest_text = 4u << 20;

/// Parse TOML text into a tree that knows its line numbers.
///
/// Errors: InputError "<file>:<line>: ..." for bytes that are no text, for more than longest_text, and for anything
/// that is not TOML 1.0
Value parse_document(const std::string& text, const std::string& file_name);

/// Parse what stands right of `key =`; nothing if it is not exactly one TOML value, or too long. Every part is placed
/// at `where`.
std::optional<Value> parse_value(const std::string& text, const std::string& where);

/// Set one value of a document from "key=value"; missing tables are made, entries of arrays must exist.
///
/// Errors: InputError "override 'key=value': ..." if it is no assignment, its value is no TOML, or it leads nowhere
void apply_override(Value& root, const std::string& assignment);

/// Read options for PETSc from a table of a case file: name to value, where "" makes a switch.
///
/// Some options of PETSc name files or modules of code in any directory, which a case file must not reach. A case file
/// may therefore only give options of the solver (ksp_) and of its preconditioner (pc_), and none that writes files,
/// loads code or belongs to another package. Legal values are numbers, booleans and, where the name says that the
/// option takes a type, plain words. Monitors that write to the standard output are legal as switches.
///
/// \param[in] name  dotted name of the table, for messages
/// Errors: InputError for a name or value that no option has, and for an option that belongs on the command line
std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name);

}  // namespace freshet::config
