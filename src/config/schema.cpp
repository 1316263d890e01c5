// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/suggest.hpp"
#include "key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace freshet {
namespace {

using config::Key;

/// One line of the schema.
struct Row {
  std::string name;
  std::string type;    ///< without its article
  std::string preset;  ///< the default in TOML, which is JSON as well; "required" if there is none
  std::string unit;
  std::string restart;  ///< "may change" between a run and its restart, or "fixed"
  std::string text;
  std::string range;
};

/// One row a key; the keys of an entry of [[liquid]], [[solid]], ... follow the row of their table.
void add_rows(const std::string& base, const std::vector<Key>& keys, std::vector<Row>& rows) {
  for (const Key& key : keys) {
    std::string type = key.slot.type;
    for (const char* article : {"a ", "an "})
      if (type.starts_with(article)) type = type.substr(std::string(article).size());
    const bool is_required = key.presence == config::Presence::required;
    rows.push_back({base + key.name, type, is_required ? "required" : key.slot.text(), key.unit,
                    key.change == config::Change::at_restart ? "may change" : "fixed", key.text, key.slot.range});
    std::vector<std::string> kinds;
    for (const ShapeKind kind : key.shapes) kinds.push_back(config::shape_names()[static_cast<std::size_t>(kind)]);
    if (!kinds.empty()) rows.back().text += " (only for shape: " + config::joined(kinds) + ")";
    if (key.slot.keys_of_entry) add_rows(base + key.name + ".N.", key.slot.keys_of_entry(), rows);
  }
}

/// "solid.0.wave" as the rows have it: "solid.N.wave".
std::string with_letters(const std::string& section) {
  std::vector<std::string> parts;
  std::istringstream stream(section);
  for (std::string part; std::getline(stream, part, '.');) {
    const bool is_number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    parts.push_back(is_number ? "N" : part);
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

/// The rows of a table or a key, given by its full name or by the end of it ("wave"); all rows if `section` is empty.
std::vector<Row> rows_of(const std::string& section) {
  Parameters defaults;
  std::vector<Row> rows;
  add_rows("", config::keys_of(defaults), rows);
  if (section.empty()) return rows;
  std::vector<std::string> tables;
  for (const Row& row : rows)
    for (std::size_t dot = row.name.find('.'); dot != std::string::npos; dot = row.name.find('.', dot + 1))
      tables.push_back(row.name.substr(0, dot));
  const std::string wanted = with_letters(section) + ".";
  const auto begins = [&](const Row& row) { return (row.name + ".").starts_with(wanted); };
  const auto holds = [&](const Row& row) { return (row.name + ".").find("." + wanted) != std::string::npos; };
  if (std::any_of(rows.begin(), rows.end(), begins))
    std::erase_if(rows, [&](const Row& row) { return !begins(row); });
  else
    std::erase_if(rows, [&](const Row& row) { return !holds(row); });
  if (rows.empty())
    throw InputError(fmt::format("no table or key of a case file is called '{}' (schema). {}",
                                 config::shortened(section), suggest_word(section, tables)));
  return rows;
}

}  // namespace

std::string schema_text(const std::string& section) {
  std::vector<Row> rows = rows_of(section);
  rows.insert(rows.begin(), {"key", "type", "default", "unit", "restart", "meaning", ""});
  constexpr std::array columns{&Row::name, &Row::type, &Row::preset, &Row::unit, &Row::restart};
  std::array<std::size_t, columns.size()> widths{};
  for (const Row& row : rows)
    for (std::size_t c = 0; c < columns.size(); ++c) widths[c] = std::max(widths[c], (row.*columns[c]).size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns.size(); ++c) text += fmt::format("{:<{}}  ", row.*columns[c], widths[c]);
    text += row.text + (row.range.empty() ? "" : " [" + row.range + "]") + "\n";
  }
  return text;
}

std::string schema_json(const std::string& section) {
  std::string text;
  for (const Row& row : rows_of(section)) {
    const bool is_required = row.preset == "required";
    text += fmt::format(
        "{}\n    {{\"key\": {}, \"type\": {}, \"required\": {}, \"default\": {}, \"unit\": {}, \"range\": {}, "
        "\"changes_at_restart\": {}, \"text\": {}}}",
        text.empty() ? "" : ",", quoted(row.name), quoted(row.type), is_required,
        is_required || row.preset == "none" ? "null" : row.preset, quoted(row.unit), quoted(row.range),
        row.restart == "may change", quoted(row.text));
  }
  return "{\n  \"keys\": [" + text + "\n  ]\n}\n";
}

}  // namespace freshet
