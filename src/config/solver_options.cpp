// SPDX-License-Identifier: Apache-2.0
#include "solver_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace freshet::config {
namespace {

/// Without a value they write to the standard output; with one, to wherever it says.
constexpr std::array<std::string_view, 5> switches = {
    "ksp_converged_reason", "ksp_monitor", "ksp_monitor_singular_value", "ksp_monitor_true_residual", "ksp_view"};

/// In the name of an option, in small letters: it writes or reads files, opens windows, loads code, or reaches a
/// package with files of its own (the output streams and scratch files of MUMPS are numbers).
constexpr std::array<std::string_view, 15> reaches_out = {"view", "monitor", "print",  "plot",  "draw",
                                                          "dump", "log",     "debug",  "save",  "write",
                                                          "file", "options", "python", "mumps", "mkl"};

/// Types that are code from elsewhere.
constexpr std::array<std::string_view, 2> foreign_types = {"python", "shell"};

/// Names of options, or their ends, whose value is one of a few words.
constexpr std::array<std::string_view, 3> takes_word = {"pc_side", "galerkin", "convergence_test"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

template <class Predicate>
bool all(const std::string& text, Predicate&& predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool is_switch(const std::string& option) {
  return std::find(switches.begin(), switches.end(), option) != switches.end();
}

/// A name of the solver's or the preconditioner's own, or of one inside another (mg_levels_ksp_type).
bool is_of_solver(const std::string& option) {
  const auto has = [&](const std::string& family) {
    return option.starts_with(family) || option.find("_" + family) != std::string::npos;
  };
  return has("ksp_") || has("pc_");
}

template <std::size_t n>
bool has_any(const std::string& text, const std::array<std::string_view, n>& words) {
  const std::string small = in_small_letters(text);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

bool is_number_or_flag(const std::string& value) {
  for (const char* flag : {"", "true", "false", "yes", "no", "on", "off"})
    if (value == flag) return true;
  const bool numbers = all(value, [](char c) {
    return is_digit(c) || c == '+' || c == '-' || c == '.' || c == ',' || c == 'e' || c == 'E';
  });
  return numbers && value.find_first_of("0123456789") != std::string::npos;
}

/// "symmetric-SOR/Jacobi" is a word; what starts with '/' is none.
bool is_word(const std::string& value) {
  return !value.empty() && value.front() != '/' &&
         all(value, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '+' || c == '/'; });
}

bool may_take_word(const std::string& option) {
  if (option.find("_type") != std::string::npos) return true;
  return std::any_of(takes_word.begin(), takes_word.end(), [&](std::string_view end) { return option.ends_with(end); });
}

void check_name(const std::string& option, const Value& value, const std::string& table) {
  const bool legal = !option.empty() && all(option, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  if (legal) return;
  fail(value.where, "'" + table + "' has an option " + quoted(shortened(option)),
       "names are made of letters, digits and _", "Write it without the leading dash");
}

std::string text_of(const Value& value, const std::string& name) {
  switch (value.type) {
    case Value::Type::string:
      return value.text;
    case Value::Type::integer:
      return std::to_string(value.integer);
    case Value::Type::boolean:
      return value.boolean ? "true" : "false";
    case Value::Type::real:
      if (std::isfinite(value.real)) return number_text(value.real);
      fail(value.where, "'" + name + "' = " + number_text(value.real), "not a finite number", "Correct the value");
    default:
      fail(value.where, "'" + name + "' is " + type_name(value.type), "an option is a string, a number or a boolean",
           "Correct the value");
  }
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const Value& value,
                         const std::string& table, const std::string& why) {
  fail(value.where,
       fmt::format("'{}.{}' = {} is not for a case file", table, shortened(option), quoted(shortened(text))), why,
       fmt::format("Give it on the command line, after --, as -pressure_{}", shortened(option)));
}

void check_confined(const std::string& option, const std::string& text, const Value& value, const std::string& table) {
  if (!is_of_solver(option)) refuse(option, text, value, table, "a case file sets options ksp_... and pc_... only");
  if (has_any(option, reaches_out) || has_any(text, foreign_types))
    refuse(option, text, value, table, "it may write or read files, or load code");
  if (is_number_or_flag(text) || (may_take_word(option) && is_word(text))) return;
  refuse(option, text, value, table, "a value that is neither a number nor a type could name a file");
}

}  // namespace

std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::string& option = table.keys[i];
    const Value& value = table.items[i];
    check_name(option, value, name);
    const std::string text = text_of(value, name + "." + shortened(option));
    if (!is_switch(option)) {
      check_confined(option, text, value, name);
      options[option] = text;
    } else if (text.empty() || text == "true") {
      options[option] = "";
    } else if (text != "false") {
      refuse(option, text, value, name, "a value could name a file; a case file may only switch it on");
    }
  }
  return options;
}

}  // namespace freshet::config
