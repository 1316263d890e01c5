// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// What must hold for any bytes that are given as a case file, or as the input of an earlier run.
namespace freshet::fuzz {

/// A property does not hold.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

inline void require(bool holds, const std::string& what) {
  if (!holds) throw Finding(what);
}

/// A case file, and after a byte 0x1e (which no TOML has) lines of overrides.
struct CaseBytes {
  std::string text;
  std::vector<std::string> overrides;

  explicit CaseBytes(std::string_view bytes) {
    const std::size_t end = bytes.find('\x1e');
    text = bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    std::istringstream lines{std::string(bytes.substr(end + 1))};
    for (std::string line; std::getline(lines, line);) overrides.push_back(line);
  }
};

/// Text that goes to a terminal and into logs: one line without controls.
inline void require_plain(const std::string& text) {
  require(
      std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
      "a control character in: " + text);
}

/// Accepted text survives being written and read; text that is not accepted gets an InputError of one line.
///
/// Errors: Finding; whatever else parse_parameters() throws is a finding too
inline void check_case(std::string_view bytes) {
  const CaseBytes input(bytes);
  Parameters parameters;
  try {
    parameters = parse_parameters(input.text, "case.toml", input.overrides);
  } catch (const InputError& error) {
    require_plain(error.what());
    return;
  }
  require_plain(parameters.title + parameters.reference);
  const std::string resolved = resolved_toml(parameters);
  const Parameters again = parse_parameters(resolved, "resolved.toml");
  require(again.input_hash == parameters.input_hash, "another hash after writing and reading");
  require(resolved_toml(again) == resolved, "another text after writing and reading");
  const InputChanges changes = compare_inputs(resolved, parameters);
  require(changes.allowed.empty() && changes.refused.empty(), "a case differs from itself");
  static const std::string schema = schema_text();
  require(schema_text() == schema, "reading a case changes the schema");
}

/// A case of today that earlier ones are compared with.
inline const std::string todays_case =
    "title = \"now\"\n[run]\nend_time = 1.0\n[domain]\ncells = [16, 16, 16]\ncell_size = 0.125\n[pressure.petsc]\n"
    "ksp_type = \"fcg\"\n[[liquid]]\nshape = \"union\"\nparts = [{ shape = \"sphere\", center = [1, 1, 1], radius = 1 "
    "}]\n"
    "[[solid]]\nshape = \"box\"\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n";

/// \return whether the text is a case
inline bool compare_with_today(const std::string& text) {
  static const Parameters now = parse_parameters(todays_case, "now.toml");
  static const std::string resolved_now = resolved_toml(now);
  InputChanges changes;
  try {
    changes = compare_inputs(text, now);
  } catch (const InputError& error) {
    require_plain(error.what());
    return false;
  }
  for (const auto* lines : {&changes.allowed, &changes.refused})
    for (const std::string& line : *lines) require_plain(line);
  const Parameters earlier = parse_recorded(text, "earlier.toml");
  const InputChanges back = compare_inputs(resolved_now, earlier);
  require(back.allowed.size() == changes.allowed.size(), "the way back allows other changes");
  require(back.refused.size() == changes.refused.size(), "the way back refuses other changes");
  const bool differs = !changes.allowed.empty() || !changes.refused.empty();
  require(differs == (earlier.input_hash != now.input_hash), "the changes and the hashes do not agree");
  return true;
}

/// The input of an earlier run against a case of today; the first lines after a byte 0x1e make an earlier run each,
/// which differs by that override.
///
/// Errors: Finding; whatever else compare_inputs() throws is a finding too
inline void check_compare(std::string_view bytes) {
  const CaseBytes input(bytes);
  compare_with_today(input.text);
  constexpr std::size_t most_runs = 2;  // they take longer than all the rest
  for (std::size_t i = 0; i < std::min(input.overrides.size(), most_runs); ++i) {
    std::string resolved;
    try {
      resolved = resolved_toml(parse_parameters(todays_case, "now.toml", {input.overrides[i]}));
    } catch (const InputError& error) {
      require_plain(error.what());
      continue;
    }
    require(compare_with_today(resolved), "the resolved text is no case");
  }
}

}  // namespace freshet::fuzz
