// SPDX-License-Identifier: Apache-2.0
// The types of keys: each reads its value from a case file, and writes it.
#include "freshet/keys/slots.hpp"

#include "freshet/core/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet::keys {
namespace {

using Type = Value::Type;

template <class T>
bool holds(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string quoted_name(const Given& given) {
  return "'" + given.name + "'";
}

std::string advice(const Given& given) {
  const Slot& slot = given.key.slot;
  const bool is_free_text = slot.type == "a string" && slot.range.empty();
  if (given.key.presence == Presence::required || is_free_text) return "Correct the value";
  return "The default is " + slot.text();
}

/// The value as in the case file, short enough for a message.
std::string written(const Value& value) {
  if (value.type == Type::string) return quote(shortened(value.text));
  return plain_text(value).value_or(type_name(value.type));
}

constexpr double unworldly = 1e100;  // larger limits guard against overflow only

/// \param[in] shown  limits with this magnitude or a larger one are left out
template <class T>
std::string range_text(const Range<T>& range, double shown = unworldly) {
  const bool has_lower = range.lower > Range<T>{}.lower && static_cast<double>(range.lower) > -shown;
  const bool has_upper = range.upper < Range<T>{}.upper && static_cast<double>(range.upper) < shown;
  if (has_lower && has_upper && range.lower_is_legal) return fmt::format("{} .. {}", range.lower, range.upper);
  const std::string upper = has_upper ? fmt::format("<= {}", range.upper) : "";
  if (!has_lower) return upper;
  return fmt::format("{} {}{}", range.lower_is_legal ? ">=" : ">", range.lower, has_upper ? ", " + upper : "");
}

// Below, `at` is the value or a part of it, and `what` names this part in messages.

[[noreturn]] void refuse_type(const Given& given, const Value& at, const std::string& what) {
  fail(at.where, what + " is " + type_name(at.type), "it takes " + given.key.expected(), advice(given));
}

template <class T>
[[noreturn]] void refuse_range(const Given& given, const Value& at, const std::string& what, const Range<T>& range) {
  const std::string unit = given.key.unit.empty() ? "" : " [" + given.key.unit + "]";
  fail(at.where, what + " = " + written(at) + " is out of range",
       "legal: " + range_text(range, std::numeric_limits<double>::infinity()) + unit, "Choose a value in this range");
}

void expect(const Given& given, Type type) {
  if (given.value.type != type) refuse_type(given, given.value, quoted_name(given));
}

double real(const Given& given, const Value& at, const std::string& what, const Range<double>& range = {}) {
  if (at.type != Type::integer && at.type != Type::real) refuse_type(given, at, what);
  const double x = at.type == Type::integer ? static_cast<double>(at.integer) : at.real;
  if (!std::isfinite(x)) fail(at.where, what + " = " + number_text(x), "not a finite number", advice(given));
  if (!range.contains(x)) refuse_range(given, at, what, range);
  return x;
}

std::int64_t integer(const Given& given, const Value& at, const std::string& what, const Range<std::int64_t>& range) {
  if (at.type != Type::integer) refuse_type(given, at, what);
  if (!range.contains(at.integer)) refuse_range(given, at, what, range);
  return at.integer;
}

/// Read the numbers of an array, or a single number.
std::vector<double> reals(const Given& given, const Value& at, const std::string& what, const Range<double>& range) {
  if (at.type != Type::array) return {real(given, at, what, range)};
  std::vector<double> result;
  for (const Value& item : at.items) result.push_back(real(given, item, what, range));
  return result;
}

/// Find a string among the names. \return its index
std::size_t chosen(const Given& given, const Value& at, const std::vector<std::string>& names) {
  if (at.type != Type::string) refuse_type(given, at, quoted_name(given));
  const auto found = std::find(names.begin(), names.end(), at.text);
  if (found == names.end())
    fail(at.where, quoted_name(given) + " = " + written(at) + " is not one of the choices", joined(names),
         suggest_word(at.text, names));
  return static_cast<std::size_t>(found - names.begin());
}

/// Call f(i, entry, name of the entry) for the entry of each axis: three, or two if the third may be left out.
template <class Function>
void for_each_axis(const Given& given, Function&& f) {
  expect(given, Type::array);
  const std::size_t n = given.value.items.size();
  const bool is_flat = given.layer.dimension == 2;
  if (n != 3 && !(n == 2 && is_flat))
    fail(given.value.where, fmt::format("{} has {} {}", quoted_name(given), n, n == 1 ? "entry" : "entries"),
         std::string("it takes ") + (is_flat ? "2 or 3 in 2-D" : "3, since domain.dimension is 3"),
         "Give one for each axis");
  for (std::size_t i = 0; i < n; ++i)
    f(static_cast<int>(i), given.value.items[i], fmt::format("{} entry {}", quoted_name(given), i));
}

double left_out(ThirdEntry third, const Layer& layer) {
  const double low = layer.origin.z();
  switch (third) {
    case ThirdEntry::middle:
      return low + 0.5 * layer.cell_size;
    case ThirdEntry::below:
      return low - layer.cell_size;
    case ThirdEntry::above:
      return low + 2.0 * layer.cell_size;
    default:
      return 0.0;
  }
}

/// Numbers of entries as text: "4 or 7".
std::string sizes_text(const std::vector<std::size_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, " or "));
}

/// Format [a, b, c], with text_of(entry) for each entry.
template <class Entries, class TextOf>
std::string array_text(const Entries& entries, TextOf text_of) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) texts.push_back(text_of(entry));
  return "[" + joined(texts) + "]";
}

template <class Row>
std::string rows_text(const std::vector<Row>& rows) {
  return array_text(rows, [](const Row& row) { return array_text(row, number_text); });
}

/// A slot for integers of any size.
template <class Integer>
Slot integer_slot(Integer& value, const Range<std::int64_t>& range) {
  return {"an integer", range_text(range),
          [&value, range](const Given& given) {
            value = static_cast<Integer>(integer(given, given.value, quoted_name(given), range));
          },
          [&value] { return std::to_string(value); }};
}

}  // namespace

Slot number(double& value, const Range<double>& range) {
  return {"a float", range_text(range),
          [&value, range](const Given& given) { value = real(given, given.value, quoted_name(given), range); },
          [&value] { return number_text(value); }};
}

Slot number(std::optional<double>& value, const Range<double>& range) {
  return {"a float", range_text(range),
          [&value, range](const Given& given) { value = real(given, given.value, quoted_name(given), range); },
          [&value] { return value ? number_text(*value) : "none"; }};
}

Slot number(int& value, Range<std::int64_t> range) {
  range.upper = std::min(range.upper, std::int64_t{std::numeric_limits<int>::max()});
  return integer_slot(value, range);
}

Slot number(std::int64_t& value, const Range<std::int64_t>& range) {
  return integer_slot(value, range);
}

Slot flag(bool& value) {
  return {"a boolean", "true | false",
          [&value](const Given& given) {
            expect(given, Type::boolean);
            value = given.value.boolean;
          },
          [&value] { return value ? "true" : "false"; }};
}

Slot line(std::string& value) {
  return {"a string", "",
          [&value](const Given& given) {
            expect(given, Type::string);
            if (has_control_character(given.value.text))
              fail(given.value.where,
                   quoted_name(given) + " = " + written(given.value) + " is not a line of plain text",
                   "line ends and other control characters would break logs and files", "Leave out control characters");
            value = given.value.text;
          },
          [&value] { return quote(value); }};
}

Slot choice(const std::vector<std::string>& names, std::function<std::size_t()> get,
            std::function<void(std::size_t)> set) {
  return {"a string", joined(names, " | "),
          [names, set](const Given& given) { set(chosen(given, given.value, names)); },
          [names, get] { return quote(names[get()]); }};
}

Slot vector(Vec3& value, ThirdEntry third, double most) {
  const Range<double> range{-most, most};
  return {"3 floats", range_text(range),
          [&value, third, range](const Given& given) {
            Vec3 result(0.0, 0.0, left_out(third, given.layer));
            for_each_axis(given, [&](int i, const Value& at, const std::string& what) {
              result[i] = real(given, at, what, range);
            });
            if (given.layer.dimension == 2 && third == ThirdEntry::must_vanish && result.z() != 0.0)
              fail(given.value.where, quoted_name(given) + " has a z entry of " + number_text(result.z()),
                   "domain.dimension is 2", "Make it 0, or leave it out");
            value = result;
          },
          [&value] { return array_text(value, number_text); }};
}

Slot cells(Vec3i& value, const Range<std::int64_t>& range) {
  return {"3 integers", range_text(range),
          [&value, range](const Given& given) {
            Vec3i result = Vec3i::Ones();
            for_each_axis(given, [&](int i, const Value& at, const std::string& what) {
              result[i] = static_cast<int>(integer(given, at, what, range));
            });
            if (given.layer.dimension == 2 && result.z() != 1)
              fail(given.value.where, fmt::format("{} has {} cells along z", quoted_name(given), result.z()),
                   "domain.dimension is 2", "Make it 1, or leave it out");
            value = result;
          },
          [&value] { return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z()); }};
}

Slot rows(std::vector<std::vector<double>>& value, const std::vector<std::size_t>& widths) {
  return {"an array of arrays of floats", "",
          [&value, widths](const Given& given) {
            expect(given, Type::array);
            value.clear();
            for (const Value& row : given.value.items) {
              if (row.type != Type::array) refuse_type(given, row, quoted_name(given));
              const std::size_t n = row.items.size();
              if (!holds(widths, n))
                fail(row.where, fmt::format("a row of '{}' has {} entries", given.name, n),
                     "it takes " + sizes_text(widths), "Give a number for each");
              if (!value.empty() && n != value.front().size())
                fail(row.where,
                     fmt::format("row {} of '{}' has {} entries, row 0 has {}", value.size(), given.name, n,
                                 value.front().size()),
                     "all rows have the same columns", "Give every row " + sizes_text(widths) + " entries");
              value.push_back(reals(given, row, "an entry of '" + given.name + "'", {}));
            }
          },
          [&value] { return rows_text(value); }};
}

Slot names(std::vector<std::string>& value, const std::vector<std::string>& legal, const std::string& others) {
  return {"an array of strings", joined(legal, " | ") + (others.empty() ? "" : " | " + others),
          [&value, legal, has_others = !others.empty()](const Given& given) {
            expect(given, Type::array);
            value.clear();
            for (const Value& item : given.value.items) {
              const bool is_other = has_others && item.type == Type::string && !has_control_character(item.text);
              const std::string& name = is_other ? item.text : legal[chosen(given, item, legal)];
              if (holds(value, name))
                fail(item.where, quoted_name(given) + " names \"" + name + "\" twice", "a name may stand once",
                     "Remove one of them");
              value.push_back(name);
            }
          },
          [&value] { return array_text(value, quote); }};
}

Slot numbers(std::vector<double>& value, const Range<double>& range, const std::vector<std::size_t>& sizes) {
  return {sizes == std::vector<std::size_t>{1} ? "a float" : sizes_text(sizes) + " floats", range_text(range),
          [&value, range, sizes](const Given& given) {
            if (given.value.type == Type::table) refuse_type(given, given.value, quoted_name(given));
            std::vector<double> result = reals(given, given.value, quoted_name(given), range);
            const bool is_left_out = result.empty() && given.key.presence == Presence::optional;
            if (!is_left_out && !holds(sizes, result.size()))
              fail(given.value.where, fmt::format("{} has {} numbers", quoted_name(given), result.size()),
                   "it takes " + given.key.expected(), advice(given));
            value = std::move(result);
          },
          [&value] { return value.size() == 1 ? number_text(value.front()) : array_text(value, number_text); }};
}

Slot intervals(std::vector<std::array<double, 2>>& value) {
  return {"an array of ascending pairs of floats", "",
          [&value](const Given& given) {
            expect(given, Type::array);
            value.clear();
            for (const Value& item : given.value.items) {
              std::vector<double> ends;
              if (item.type == Type::array) ends = reals(given, item, quoted_name(given), {0.0});
              const bool follows = value.empty() || (ends.size() == 2 && ends[0] >= value.back()[1]);
              if (ends.size() != 2 || ends[0] >= ends[1] || !follows)
                fail(item.where, quoted_name(given) + " is not a list of intervals", "it takes " + given.key.expected(),
                     "Write [[from, to], ...] in order of time");
              value.push_back({ends[0], ends[1]});
            }
          },
          [&value] { return rows_text(value); }};
}

Slot solver_options(std::map<std::string, std::string>& value) {
  Slot slot{"a table", "",
            [&value](const Given& given) {
              expect(given, Type::table);
              value = read_solver_options(given.value, given.name);
            },
            [&value] {
              std::vector<std::string> entries;
              for (const auto& [name, text] : value) entries.push_back(name + " = " + quote(text));
              return entries.empty() ? "{}" : "{ " + joined(entries) + " }";
            }};
  slot.solver_options = &value;
  return slot;
}

Slot only_if(std::function<bool()> applies, std::function<void(const Given&)> refuse, Slot slot) {
  slot.text = [applies, text = slot.text] { return applies() ? text() : std::string("none"); };
  slot.read = [applies = std::move(applies), refuse = std::move(refuse), read = slot.read](const Given& given) {
    if (!applies()) refuse(given);
    read(given);
  };
  return slot;
}

void restrict_to(Kinds kinds, std::function<std::string()> kind, Key& key) {
  std::ranges::sort(kinds.names);
  const auto refuse = [kinds, kind](const Given& given) {
    const bool is_one = kinds.names.size() == 1;
    fail(given.value.where, fmt::format("'{}' is given, and the {} is \"{}\"", given.name, kinds.key, kind()),
         fmt::format("it is a key of the {}{} {}", kinds.key, is_one ? "" : "s", joined(kinds.names)),
         fmt::format("Leave it out, or choose {} {}", is_one ? "that" : "another", kinds.key));
  };
  const auto applies = [names = kinds.names, kind = std::move(kind)] {
    return std::ranges::find(names, kind()) != names.end();
  };
  key.slot = only_if(applies, refuse, std::move(key.slot));
  key.kinds = std::move(kinds);
}

std::string side_name(std::size_t axis, std::size_t side) {
  return fmt::format("{}_{}", "xyz"[axis], side == 0 ? "low" : "high");
}

Keys side_keys(const std::string& text, const std::function<Slot(std::size_t, std::size_t)>& slot_of,
               const std::string& unit) {
  Keys keys;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string name = {"xyz"[axis]};
      const std::string end = side == 0 ? "low" : "high";
      keys.push_back({side_name(axis, side), slot_of(axis, side), unit,
                      text + " at the " + end + " end of " + name + (axis == 2 ? "; not in 2-D." : ".")});
    }
  return keys;
}

Slot tables(std::function<void(std::size_t)> resize, std::function<std::size_t()> size,
            std::function<Entry(std::size_t)> entry) {
  const auto read = [resize, entry](const Given& given) {
    const auto n_dots = std::count(given.name.begin(), given.name.end(), '.');
    const auto refuse = [&](const Value& at) {
      const std::string form = n_dots > 0 ? "[{ shape = ... }, ...]" : "[[" + given.name + "]]";
      const std::string what = at.type == Type::array ? "has no entry" : std::string("is ") + type_name(at.type);
      fail(at.where, quoted_name(given) + " " + what, "it is an array of tables", "Write " + form);
    };
    const std::vector<Value>& items = given.value.items;
    const bool may_be_empty = given.key.presence == Presence::optional && n_dots > 0;
    if (given.value.type != Type::array || (items.empty() && !may_be_empty)) refuse(given.value);
    constexpr int deepest = 16;  // shapes are walked by recursion; every level of parts adds two dots to the name
    if (n_dots > 2 * deepest)
      fail(given.value.where, "shapes are nested too deeply", fmt::format("at most {} levels", deepest),
           "Put the parts of the inner unions into the outer ones");
    resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].type != Type::table) refuse(items[i]);
      read_entry(items[i], fmt::format("{}.{}.", given.name, i), entry(i), given.layer);
    }
  };
  const auto text = [size, entry] {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size(); ++i) texts.push_back("{ " + joined(assignments(entry(i))) + " }");
    return "[" + joined(texts) + "]";
  };
  return {"an array of tables", "", read, text, size, entry};
}

}  // namespace freshet::keys
