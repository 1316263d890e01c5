// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"
#include "freshet/core/suggest.hpp"
#include "freshet/io/json.hpp"
#include "keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace freshet {
namespace {

using keys::Key;

/// A line of the schema.
struct Row {
  std::string name;
  std::string type;    ///< type without its article
  std::string preset;  ///< default in TOML, which is JSON as well; "required" if there is none
  std::string unit;
  std::string restart;  ///< "may change" or "fixed" between a run and its restart
  std::string text;
  std::string range;
  std::vector<std::string> kinds;  ///< shapes or types of gauges that have the key; empty: all
};

constexpr const char* parts_key = "parts";  ///< key of a shape for parts that are shapes again

/// Add one row for each key; keys of an entry of [[liquid]], [[solid]], ... follow the row of their table.
/// \param[in] depth  number of levels for which the keys of a shape are listed again for its parts
void add_rows(const std::string& base, const keys::Keys& keys, std::ptrdiff_t depth, std::vector<Row>& rows) {
  for (const Key& key : keys) {
    std::string type = key.slot.type;
    for (const char* article : {"a ", "an "})
      if (type.starts_with(article)) type = type.substr(std::string(article).size());
    const bool is_required = key.presence == keys::Presence::required;
    rows.push_back({base + key.name, type, is_required ? "required" : key.slot.text(), key.unit,
                    key.change == keys::Change::at_restart ? "may change" : "fixed", key.text, key.slot.range,
                    key.kinds.names});
    if (!key.kinds.names.empty())
      rows.back().text += fmt::format(" (only for {}: {})", key.kinds.key, keys::joined(key.kinds.names));
    const bool is_parts = key.name == parts_key;
    if (key.slot.keys_of_entry && (depth > 0 || !is_parts))
      add_rows(base + key.name + ".N.", key.slot.keys_of_entry(), depth - is_parts, rows);
  }
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

/// Whether a part of a section is a number of an entry: digits, or "N" as in the rows.
bool is_index(const std::string& part) {
  return part == "N" || (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos);
}

/// Whether a row's name continues with the section at part `from`; the N of an array of tables may be left out.
bool goes_on_with(const std::vector<std::string>& section, const std::vector<std::string>& name, std::size_t from) {
  if (name[from] == "N") return false;
  for (const std::string& part : section) {
    if (from < name.size() && name[from] == "N" && !is_index(part)) ++from;
    if (from >= name.size() || (name[from] == "N" ? !is_index(part) : name[from] != part)) return false;
    ++from;
  }
  return true;
}

/// Choose the rows whose names begin with the section or, if there are none, contain it ("wave").
std::vector<Row> rows_with(const std::vector<std::string>& section, const std::vector<Row>& rows) {
  std::vector<Row> beginning;
  std::vector<Row> holding;
  for (const Row& row : rows) {
    const std::vector<std::string> name = parts_of(row.name);
    std::size_t from = 0;
    while (from < name.size() && !goes_on_with(section, name, from)) ++from;
    if (from == 0) beginning.push_back(row);
    if (from < name.size()) holding.push_back(row);
  }
  return beginning.empty() ? holding : beginning;
}

/// Choose the rows of a kind of entry, such as "gauge.height": those of this kind only and those of all kinds.
std::vector<Row> rows_of_kind(std::vector<std::string> section, const std::vector<Row>& rows) {
  const std::string kind = section.back();
  section.pop_back();
  if (section.empty()) return {};
  std::vector<Row> found = rows_with(section, rows);
  const auto names_kind = [&](const Row& row) { return std::ranges::find(row.kinds, kind) != row.kinds.end(); };
  if (std::ranges::none_of(found, names_kind)) return {};
  std::erase_if(found, [&](const Row& row) { return !row.kinds.empty() && !names_kind(row); });
  return found;
}

/// Names of tables, without the N of their entries.
std::vector<std::string> tables_of(const std::vector<Row>& rows) {
  std::vector<std::string> tables;
  for (const Row& row : rows) {
    std::vector<std::string> parts = parts_of(row.name);
    std::erase(parts, "N");
    for (std::size_t n = 1; n < parts.size(); ++n)
      tables.push_back(
          fmt::format("{}", fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n), ".")));
  }
  return tables;
}

/// Choose the rows of a table, of a kind of its entries or of a key; all if `section` is empty. Errors: InputError
std::vector<Row> rows_of(const std::string& section) {
  Parameters defaults;
  std::vector<Row> rows;
  const std::vector<std::string> parts = parts_of(section);
  constexpr std::ptrdiff_t deepest = 4;  // a larger depth than anybody writes
  // the keys after the last `parts` are wanted, and none below them
  const bool ends_with_parts = !parts.empty() && parts.back() == parts_key;
  add_rows("", config::keys_of(defaults), std::min(std::ranges::count(parts, parts_key) - ends_with_parts, deepest),
           rows);
  if (section.empty()) return rows;
  std::vector<Row> found = rows_with(parts, rows);
  if (found.empty()) found = rows_of_kind(parts, rows);
  if (found.empty())
    throw InputError(fmt::format("no table or key of a case file is called '{}' (`freshet schema` lists them). {}",
                                 keys::shortened(section), suggest_word(section, tables_of(rows))));
  return found;
}

}  // namespace

std::string schema_text(const std::string& section) {
  std::vector<Row> rows = rows_of(section);
  rows.insert(rows.begin(), {"key", "type", "default", "unit", "restart", "meaning", "", {}});
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
  Json json = {{"keys", Json::array()}};
  for (const Row& row : rows_of(section)) {
    const bool has_default = row.preset != "required" && row.preset != "none";
    json["keys"].push_back({{"key", row.name},
                            {"type", row.type},
                            {"required", row.preset == "required"},
                            {"default", has_default ? Json::parse(row.preset) : Json()},
                            {"unit", row.unit},
                            {"range", row.range},
                            {"changes_at_restart", row.restart == "may change"},
                            {"text", row.text}});
  }
  return json_text(json);
}

}  // namespace freshet
