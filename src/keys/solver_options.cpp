// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/text.hpp"
#include "freshet/keys/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace freshet::keys {
namespace {

/// Options that are legal as switches: they then write to the standard output, with a value to the place it names.
constexpr std::string_view switches[] = {"ksp_converged_reason", "ksp_monitor", "ksp_monitor_singular_value",
                                         "ksp_monitor_true_residual", "ksp_view"};

/// An option is illegal if its name contains one of these, in any case: such options write or read files, open windows,
/// load code, or belong to a package with files of its own (MUMPS numbers its output streams and scratch files).
constexpr std::string_view reaches_out[] = {"view", "monitor", "print", "plot",    "draw",   "dump",  "log", "debug",
                                            "save", "write",   "file",  "options", "python", "mumps", "mkl"};

/// A value is illegal if it contains one of these types, which load code from elsewhere.
constexpr std::string_view foreign_types[] = {"python", "shell"};

/// Endings of options that take one of a few words.
constexpr std::string_view takes_word[] = {"pc_side", "galerkin", "convergence_test"};

const std::string digits = "0123456789";
const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool consists_of(std::string_view text, const std::string& characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

/// Whether a text contains any of the words, in any case.
template <class Words>
bool holds_any(const std::string& text, const Words& words) {
  return std::ranges::any_of(
      words, [small = lower_case(text)](std::string_view word) { return small.find(word) != std::string::npos; });
}

/// Whether an option belongs to the solver or its preconditioner, or to one inside another (mg_levels_ksp_type).
bool is_of_solver(const std::string& option) {
  constexpr std::string_view families[] = {"ksp_", "pc_"};
  return std::ranges::any_of(families, [&](std::string_view family) {
    return option.starts_with(family) || option.find("_" + std::string(family)) != std::string::npos;
  });
}

bool is_number_or_flag(const std::string& value) {
  constexpr std::string_view flags[] = {"", "true", "false", "yes", "no", "on", "off"};
  return std::ranges::find(flags, value) != std::end(flags) ||
         (consists_of(value, digits + "+-.,eE") && value.find_first_of(digits) != std::string::npos);
}

/// Whether a value is a word, such as "symmetric-SOR/Jacobi", and not a path, which starts with '/'.
bool is_word(const std::string& value) {
  return !value.empty() && value.front() != '/' && consists_of(value, letters + digits + "_-+/");
}

bool may_take_word(const std::string& option) {
  return option.find("_type") != std::string::npos ||
         std::ranges::any_of(takes_word, [&](std::string_view end) { return option.ends_with(end); });
}

std::string text_of(const Value& value, const std::string& name) {
  const std::optional<std::string> text = plain_text(value);
  if (!text)
    fail(value.where, "'" + name + "' is " + type_name(value.type), "an option is a string, a number or a boolean",
         "Correct the value");
  if (value.type == Value::Type::real && !std::isfinite(value.real))
    fail(value.where, "'" + name + "' = " + *text, "not a finite number", "Correct the value");
  return *text;
}

/// Find why a case file may not give an option this value; empty if it may.
std::string why_illegal(const std::string& option, const std::string& text) {
  if (std::ranges::find(switches, option) != std::end(switches)) {
    const bool is_switch = text.empty() || text == "true" || text == "false";
    return is_switch ? "" : "a value could name a file; a case file may only switch it on";
  }
  if (!is_of_solver(option)) return "a case file sets options ksp_... and pc_... only";
  if (holds_any(option, reaches_out) || holds_any(text, foreign_types))
    return "it may write or read files, or load code";
  if (is_number_or_flag(text) || (may_take_word(option) && is_word(text))) return "";
  return "a value that is neither a number nor a type could name a file";
}

}  // namespace

std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::string& option = table.keys[i];
    const Value& value = table.items[i];
    if (option.empty() || !consists_of(option, letters + digits + "_"))
      fail(value.where, "'" + name + "' has an option " + quote(shortened(option)),
           "names are made of letters, digits and _", "Write it without the leading dash");
    const std::string text = text_of(value, name + "." + shortened(option));
    const std::string why = why_illegal(option, text);
    if (!why.empty())
      fail(value.where,
           fmt::format("'{}.{}' = {} is not for a case file", name, shortened(option), quote(shortened(text))), why,
           fmt::format("Give it on the command line, after --, as -{}_{}", name.substr(0, name.find('.')),
                       shortened(option)));
    const bool is_switch = std::ranges::find(switches, option) != std::end(switches);
    if (!is_switch || text != "false") options[option] = is_switch ? "" : text;
  }
  return options;
}

}  // namespace freshet::keys
