// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/keys/slots.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Values as a parser makes them, each with a line of its own in messages.
namespace freshet::test {

using keys::Value;

inline Value text(const std::string& x) {
  Value value;
  value.type = Value::Type::string;
  value.text = x;
  return value;
}
inline Value integer(std::int64_t x) {
  Value value;
  value.type = Value::Type::integer;
  value.integer = x;
  return value;
}
inline Value real(double x) {
  Value value;
  value.type = Value::Type::real;
  value.real = x;
  return value;
}
inline Value boolean(bool x) {
  Value value;
  value.type = Value::Type::boolean;
  value.boolean = x;
  return value;
}
inline Value array(std::vector<Value> items) {
  Value value;
  value.type = Value::Type::array;
  value.items = std::move(items);
  for (Value& item : value.items) item.where = "case:1";
  return value;
}
/// A table whose keys stand on the lines 1, 2, ...
inline Value table(const std::vector<std::pair<std::string, Value>>& entries) {
  Value value;
  value.where = "case:0";
  for (const auto& [key, entry] : entries) {
    value.keys.push_back(key);
    value.items.push_back(entry);
    value.items.back().where = "case:" + std::to_string(value.items.size());
  }
  return value;
}

/// A layer of cells of 0.5 m at z = 10 m.
struct Grid {
  int dimension = 3;
  Vec3 origin{0.0, 0.0, 10.0};
  double cell_size = 0.5;
  keys::Layer layer() const { return {dimension, origin, cell_size}; }
};

/// The message of the InputError that a function causes; "" and a failed test if it causes none.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace freshet::test
