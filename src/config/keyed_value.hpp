// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"
#include "value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet::config {

/// A key's value in the file: what reads its parts, and what is said of those that are wrong.
///
/// `at` is the value or a part of it, `what` its name in messages. Errors: InputError for wrong types, numbers that are
/// not finite or out of range, and other numbers of entries
struct KeyedValue {
  const Value& value;
  const std::string& name;  ///< the key's full dotted name
  const Key& key;
  const DomainOptions& domain;

  [[noreturn]] void refuse_type(const Value& at, const std::string& what) const;
  [[noreturn]] void refuse_range(const Value& at, const std::string& what) const;
  std::string advice() const;
  void expect(Value::Type type) const;  ///< of the whole value

  std::string quoted_name() const { return "'" + name + "'"; }
  double real(const Value& at, const std::string& what) const;
  double real(const Value& at, const std::string& what, const Range<double>& range) const;
  std::int64_t integer(const Value& at, const std::string& what, const Range<std::int64_t>& range) const;
  /// Those of an array, or the only one.
  std::vector<double> numbers(const Value& at, const std::string& what, const Range<double>& range) const;
  /// The place of a string among the names.
  std::size_t chosen(const Value& at, const std::vector<std::string>& names) const;
  /// Entries of an array along the axes: three, or two where the third may be left out.
  std::size_t entries() const;
  std::string entry(std::size_t i) const { return quoted_name() + " entry " + std::to_string(i); }
};

/// What was written, short enough for a message.
std::string written(const Value& value);

}  // namespace freshet::config
