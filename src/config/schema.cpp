// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"
#include "freshet/config/read.hpp"
#include "keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace freshet {
namespace {

using config::Key;

/// One line of the schema.
struct Row {
  std::string name;
  std::string type;
  std::string preset;  ///< default in TOML, which is JSON as well; empty: required
  std::string unit;
  std::string range;
  std::string restart;  ///< may it change between a run and its restart? "may change" or "fixed"
  std::string text;
};

/// A type without its article.
std::string type_of(const Key& key) {
  const std::string type = config::type_text(key.target);
  const std::size_t space = type.find(' ');
  return type.substr(0, space) == "a" || type.substr(0, space) == "an" ? type.substr(space + 1) : type;
}

Row row_of(const std::string& base, const Key& key) {
  Row row{base + key.name,
          type_of(key),
          "",
          key.unit,
          config::range_text(key.target),
          key.change == config::Change::at_restart ? "may change" : "fixed",
          key.text};
  if (key.presence == config::Presence::optional) row.preset = config::value_text(key.target);
  std::vector<std::string> kinds;
  for (const ShapeKind kind : key.shapes) kinds.push_back(config::shape_names()[static_cast<std::size_t>(kind)]);
  if (!kinds.empty()) row.text += " (only for shape: " + config::list_text(kinds) + ")";
  return row;
}

/// The keys of an entry of an array of tables; a part of a union has the same keys as any shape.
void add_entries(const std::string& base, const Key& table, std::vector<Row>& result) {
  std::visit(
      [&](const auto& target) {
        if constexpr (requires { config::keys_of(target.value->front()); }) {
          std::remove_cvref_t<decltype(target.value->front())> element;
          if constexpr (std::is_same_v<decltype(element), ShapeParameters>) return;
          for (const Key& inner : config::keys_of(element)) {
            result.push_back(row_of(base, inner));
            add_entries(base + inner.name + ".N.", inner, result);
          }
        }
      },
      table.target);
}

/// Every key, with those of an entry of [[liquid]], [[solid]], ... after the table's own row.
std::vector<Row> rows() {
  Parameters defaults;
  std::vector<Row> result;
  for (const Key& key : config::keys_of(defaults)) {
    result.push_back(row_of("", key));
    add_entries(key.name + ".N.", key, result);
  }
  return result;
}

std::size_t widest(const std::vector<Row>& all, std::string Row::*column) {
  std::size_t width = 0;
  for (const Row& row : all) width = std::max(width, (row.*column).size());
  return width;
}

}  // namespace

std::string schema_text() {
  std::vector<Row> all = {{"key", "type", "default", "unit", "range", "restart", "meaning"}};
  for (Row& row : rows()) {
    if (row.preset.empty()) row.preset = "required";
    all.push_back(std::move(row));
  }
  const std::size_t name = widest(all, &Row::name);
  const std::size_t type = widest(all, &Row::type);
  const std::size_t preset = widest(all, &Row::preset);
  const std::size_t unit = widest(all, &Row::unit);
  const std::size_t restart = widest(all, &Row::restart);
  std::string text;
  for (const Row& row : all) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:<{}}  {}", row.name, name, row.type, type, row.preset,
                        preset, row.unit, unit, row.restart, restart, row.text);
    if (!row.range.empty() && &row != &all.front()) text += fmt::format(" [{}]", row.range);
    text += "\n";
  }
  return text;
}

std::string schema_json() {
  std::string text;
  for (const Row& row : rows()) {
    const std::string preset = row.preset.empty() || row.preset == "none" ? "null" : row.preset;
    text += fmt::format(
        "{}\n    {{\"key\": {}, \"type\": {}, \"required\": {}, \"default\": {}, \"unit\": {}, \"range\": {}, "
        "\"changes_at_restart\": {}, \"text\": {}}}",
        text.empty() ? "" : ",", config::quoted(row.name), config::quoted(row.type), row.preset.empty(), preset,
        config::quoted(row.unit), config::quoted(row.range), row.restart == "may change", config::quoted(row.text));
  }
  return "{\n  \"keys\": [" + text + "\n  ]\n}\n";
}

}  // namespace freshet
