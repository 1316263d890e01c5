// SPDX-License-Identifier: Apache-2.0
#include "keyed_value.hpp"

#include "format.hpp"
#include "suggest.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::config {

using Type = Value::Type;

std::string written(const Value& value) {
  switch (value.type) {
    case Type::string:
      return quoted(shortened(value.text));
    case Type::integer:
      return std::to_string(value.integer);
    case Type::real:
      return number(value.real);
    case Type::boolean:
      return value.boolean ? "true" : "false";
    default:
      return type_name(value.type);
  }
}

void KeyedValue::refuse_type(const Value& at, const std::string& what) const {
  fail(at.where, what + " is " + type_name(at.type), "it takes " + expected_text(key.target), advice());
}

void KeyedValue::refuse_range(const Value& at, const std::string& what) const {
  const std::string unit = key.unit.empty() ? "" : " [" + key.unit + "]";
  fail(at.where, what + " = " + written(at) + " is out of range", "legal: " + range_text(key.target) + unit,
       "Choose a value in this range");
}

std::string KeyedValue::advice() const {
  const bool has_default = key.presence == Presence::optional && !std::holds_alternative<TextTarget>(key.target);
  return has_default ? "The default is " + value_text(key.target) : "Correct the value";
}

void KeyedValue::expect(Type type) const {
  if (value.type != type) refuse_type(value, quoted_name());
}

double KeyedValue::real(const Value& at, const std::string& what) const {
  if (at.type == Type::integer) return static_cast<double>(at.integer);
  if (at.type != Type::real) refuse_type(at, what);
  if (!std::isfinite(at.real)) fail(at.where, what + " = " + number(at.real), "not a finite number", advice());
  return at.real;
}

double KeyedValue::real(const Value& at, const std::string& what, const Range<double>& range) const {
  const double x = real(at, what);
  if (!range.contains(x)) refuse_range(at, what);
  return x;
}

std::int64_t KeyedValue::integer(const Value& at, const std::string& what, const Range<std::int64_t>& range) const {
  if (at.type != Type::integer) refuse_type(at, what);
  if (!range.contains(at.integer)) refuse_range(at, what);
  return at.integer;
}

std::vector<double> KeyedValue::numbers(const Value& at, const std::string& what, const Range<double>& range) const {
  if (at.type != Type::array) return {real(at, what, range)};
  std::vector<double> result;
  for (const Value& item : at.items) result.push_back(real(item, what, range));
  return result;
}

std::size_t KeyedValue::chosen(const Value& at, const std::vector<std::string>& names) const {
  if (at.type != Type::string) refuse_type(at, quoted_name());
  const auto found = std::find(names.begin(), names.end(), at.text);
  if (found == names.end()) {
    fail(at.where, quoted_name() + " = " + written(at) + " is not one of the choices", list_text(names),
         suggest_word(at.text, names));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t KeyedValue::entries() const {
  expect(Type::array);
  const std::size_t n = value.items.size();
  if (n == 3 || (n == 2 && domain.dimension == 2)) return n;
  const std::string wanted = domain.dimension == 2 ? "2 or 3 in 2-D" : "3, since domain.dimension is 3";
  fail(value.where, quoted_name() + " has " + std::to_string(n) + (n == 1 ? " entry" : " entries"),
       "it takes " + wanted, "Give one for each axis");
}

}  // namespace freshet::config
