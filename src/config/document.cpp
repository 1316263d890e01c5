// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include "text_flaw.hpp"

// The parser is compiled here and not taken from a library: it is for this file alone to say what it does on bad input,
// and sanitizers and fuzzers see it.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
// Its assertions abort on malformed keys that it reports as errors a few lines later.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

/// The only file that sees toml++, which is slow to compile.
namespace freshet::config {
namespace {

/// Where a value is: its line in a file, or a fixed text for all of an override.
struct Place {
  std::string file_name;
  std::string fixed;

  std::string operator()(const toml::source_region& region) const {
    return fixed.empty() ? file_name + ":" + std::to_string(region.begin.line) : fixed;
  }
};

Value convert(const toml::node& node, const Place& place);

void convert_table(const toml::table& table, const Place& place, Value& value) {
  value.type = Value::Type::table;
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  // toml++ sorts by name; messages about the first of several mistakes should follow the file.
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const auto& p = a.first->source().begin;
    const auto& q = b.first->source().begin;
    return std::pair(p.line, p.column) < std::pair(q.line, q.column);
  });
  for (const auto& [key, node] : entries) {
    value.keys.emplace_back(key->str());
    value.items.push_back(convert(*node, place));
    value.items.back().where = place(key->source());
  }
}

Value convert(const toml::node& node, const Place& place) {
  Value value;
  value.where = place(node.source());
  if (const auto* table = node.as_table()) {
    convert_table(*table, place, value);
  } else if (const auto* array = node.as_array()) {
    value.type = Value::Type::array;
    for (const toml::node& item : *array) value.items.push_back(convert(item, place));
  } else if (const auto* text = node.as_string()) {
    value.type = Value::Type::string;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.type = Value::Type::integer;
    value.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.type = Value::Type::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.type = Value::Type::boolean;
    value.boolean = boolean->get();
  } else {
    value.type = Value::Type::date;
  }
  return value;
}

void refuse_binary(const std::string& text, const std::string& file_name) {
  const std::size_t zero = text.find('\0');
  if (zero == std::string::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
  fail(file_name + ":" + std::to_string(line), "not a text file", "it holds a NUL byte",
       "Give a case file in TOML, UTF-8 encoded");
}

void refuse_endless_text(const std::string& text, const std::string& file_name) {
  if (text.size() <= longest_text) return;
  fail(file_name + ":1", "a text of " + std::to_string(text.size()) + " bytes",
       "a case has at most " + std::to_string(longest_text), "Give a shorter case");
}

void refuse_flaws(const std::string& text, const std::string& file_name) {
  const auto flaw = find_flaw(text);
  if (!flaw) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(flaw->position), '\n');
  fail(file_name + ":" + std::to_string(line), flaw->problem, flaw->why, "Correct this line");
}

}  // namespace

Value parse_document(const std::string& text, const std::string& file_name) {
  refuse_endless_text(text, file_name);
  refuse_binary(text, file_name);
  refuse_flaws(text, file_name);
  try {
    Value root = convert(toml::parse(text), Place{file_name, {}});
    root.where = file_name + ":1";
    return root;
  } catch (const toml::parse_error& error) {
    fail(Place{file_name, {}}(error.source()), "not valid TOML", std::string(error.description()), "Correct this line");
  }
}

std::optional<Value> parse_value(const std::string& text, const std::string& where) {
  if (text.size() > longest_text || find_flaw(text)) return std::nullopt;
  try {
    const toml::table table = toml::parse("value = " + text);
    if (table.size() != 1 || !table.contains("value")) return std::nullopt;
    return convert(*table.get("value"), Place{{}, where});
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

}  // namespace freshet::config
