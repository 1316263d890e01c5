// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include "freshet/core/contracts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet::config {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string bound(double value) {
  return fmt::format("{}", value);
}
std::string bound(std::int64_t value) {
  return std::to_string(value);
}

template <class T>
std::string range_text(const Range<T>& range) {
  const bool has_lower = range.lower > Range<T>{}.lower;
  const bool has_upper = range.upper < Range<T>{}.upper;
  const bool included = range.end == Range<T>::Lower::included;
  if (has_lower && has_upper && included) return bound(range.lower) + " .. " + bound(range.upper);
  const std::string upper = has_upper ? "<= " + bound(range.upper) : "";
  if (!has_lower) return upper;
  return (included ? ">= " : "> ") + bound(range.lower) + (has_upper ? ", " + upper : "");
}

struct TypeText {
  std::string operator()(const RealTarget&) const { return "a float"; }
  std::string operator()(const OptionalRealTarget&) const { return "a float"; }
  std::string operator()(const IntegerTarget&) const { return "an integer"; }
  std::string operator()(const FlagTarget&) const { return "a boolean"; }
  std::string operator()(const TextTarget&) const { return "a string"; }
  std::string operator()(const ChoiceTarget&) const { return "a string"; }
  std::string operator()(const VectorTarget&) const { return "3 floats"; }
  std::string operator()(const CellsTarget&) const { return "3 integers"; }
  std::string operator()(const RowsTarget&) const { return "an array of arrays of floats"; }
  std::string operator()(const NamesTarget&) const { return "an array of strings"; }
  std::string operator()(const NumbersTarget& t) const {
    return t.sizes == std::vector<std::size_t>{1} ? "a float" : choice_text(t.sizes) + " floats";
  }
  std::string operator()(const IntervalsTarget&) const { return "an array of ascending pairs of floats"; }
  std::string operator()(const OptionsTarget&) const { return "a table"; }
  template <class Element>
  std::string operator()(const TablesTarget<Element>&) const {
    return "an array of tables";
  }
};

struct RangeText {
  std::string operator()(const RealTarget& t) const { return range_text(t.range); }
  std::string operator()(const OptionalRealTarget& t) const { return range_text(t.range); }
  std::string operator()(const IntegerTarget& t) const { return range_text(t.range); }
  std::string operator()(const CellsTarget& t) const { return range_text(t.range); }
  std::string operator()(const FlagTarget&) const { return "true | false"; }
  std::string operator()(const ChoiceTarget& t) const { return joined(t.names, " | "); }
  std::string operator()(const NamesTarget& t) const {
    return joined(t.names, " | ") + (t.others.empty() ? "" : " | " + t.others);
  }
  std::string operator()(const NumbersTarget& t) const { return range_text(t.range); }
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

/// A shape, or what has one, as an inline table.
template <class Element>
std::string inline_table(const Element& element) {
  Element copy = element;
  std::vector<std::string> entries;
  for (const Key& key : keys_of(copy)) {
    if (applies_to(key, shape_of(element))) entries.push_back(key.name + " = " + value_text(key.target));
  }
  return "{ " + list_text(entries) + " }";
}

/// [a, b, c], each entry as text_of(entry).
template <class Entries, class TextOf>
std::string array_text(const Entries& entries, TextOf text_of) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) texts.push_back(text_of(entry));
  return "[" + list_text(texts) + "]";
}

template <class Row>
std::string rows_text(const std::vector<Row>& rows) {
  return array_text(rows, [](const Row& row) { return array_text(row, number); });
}

struct ValueText {
  std::string operator()(const RealTarget& t) const { return number(*t.value); }
  std::string operator()(const OptionalRealTarget& t) const { return *t.value ? number(**t.value) : "none"; }
  std::string operator()(const IntegerTarget& t) const {
    return std::visit([](const auto* value) { return std::to_string(*value); }, t.value);
  }
  std::string operator()(const FlagTarget& t) const { return *t.value ? "true" : "false"; }
  std::string operator()(const TextTarget& t) const { return quoted(*t.value); }
  std::string operator()(const ChoiceTarget& t) const { return quoted(t.names[t.get()]); }
  std::string operator()(const VectorTarget& t) const { return vector_text(*t.value); }
  std::string operator()(const CellsTarget& t) const {
    return fmt::format("[{}, {}, {}]", t.value->x(), t.value->y(), t.value->z());
  }
  std::string operator()(const RowsTarget& t) const { return rows_text(*t.value); }
  std::string operator()(const IntervalsTarget& t) const { return rows_text(*t.value); }
  std::string operator()(const NamesTarget& t) const { return array_text(*t.value, quoted); }
  std::string operator()(const OptionsTarget& t) const {
    std::vector<std::string> entries;
    for (const auto& [name, value] : *t.value) entries.push_back(name + " = " + quoted(value));
    return entries.empty() ? "{}" : "{ " + list_text(entries) + " }";
  }
  std::string operator()(const NumbersTarget& t) const {
    return t.value->size() == 1 ? number(t.value->front()) : array_text(*t.value, number);
  }
  std::string operator()(const TablesTarget<ShapeParameters>& t) const {
    return array_text(*t.value, inline_table<ShapeParameters>);
  }
  std::string operator()(const TablesTarget<AttributeRegionParameters>& t) const {
    return array_text(*t.value, inline_table<AttributeRegionParameters>);
  }
  template <class Element>
  std::string operator()([[maybe_unused]] const TablesTarget<Element>& t) const {
    FRESHET_EXPECT(t.value->empty());
    return "[]";
  }
};

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(byte));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string number(double value) {
  std::string text = fmt::format("{}", value);
  const bool looks_like_an_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_like_an_integer ? text + ".0" : text;
}

std::string vector_text(const Vec3& value) {
  return array_text(value, number);
}

bool is_given(const Target& target) {
  const auto* optional = std::get_if<OptionalRealTarget>(&target);
  return optional == nullptr || optional->value->has_value();
}
std::string value_text(const Target& target) {
  return std::visit(ValueText{}, target);
}
std::string type_text(const Target& target) {
  return std::visit(TypeText{}, target);
}
std::string range_text(const Target& target) {
  return std::visit(RangeText{}, target);
}

std::string expected_text(const Target& target) {
  const std::string range = range_text(target);
  return type_text(target) + (range.empty() ? "" : ", " + range);
}

std::string list_text(const std::vector<std::string>& words) {
  return joined(words, ", ");
}

std::string choice_text(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::size_t n : numbers) texts.push_back(std::to_string(n));
  return joined(texts, " or ");
}

}  // namespace freshet::config
