// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "keys.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// Short forms in which keys are declared.
namespace freshet::config {

constexpr auto required = Presence::required;
constexpr auto fixed = Change::never;
constexpr auto at_restart = Change::at_restart;

inline RealTarget above(double& value, double lower) {
  return {&value, {lower, Range<double>{}.upper, Range<double>::Lower::left_out}};
}
/// lower < x <= upper
inline RealTarget above_up_to(double& value, double lower, double upper) {
  return {&value, {lower, upper, Range<double>::Lower::left_out}};
}
inline RealTarget at_least(double& value, double lower) {
  return {&value, {lower}};
}
inline RealTarget between(double& value, double lower, double upper) {
  return {&value, {lower, upper}};
}
inline IntegerTarget at_least(int& value, std::int64_t lower) {
  return {&value, {lower, std::numeric_limits<int>::max()}};
}
inline IntegerTarget at_least(std::int64_t& value, std::int64_t lower) {
  return {&value, {lower}};
}
inline IntegerTarget between(int& value, std::int64_t lower, std::int64_t upper) {
  return {&value, {lower, upper}};
}
inline IntegerTarget between(std::int64_t& value, std::int64_t lower, std::int64_t upper) {
  return {&value, {lower, upper}};
}

/// One of the names; the enumerators stand in the same order, from 0.
template <class Enum>
ChoiceTarget choice(Enum& value, std::vector<std::string> names) {
  return {std::move(names), [&value] { return static_cast<std::size_t>(value); },
          [&value](std::size_t i) { value = static_cast<Enum>(i); }};
}
inline ChoiceTarget wall_choice(WallChoice& value) {
  return choice(value, {"inherit", "sticky", "separating"});
}

inline void append(std::vector<Key>& keys, std::vector<Key> more) {
  for (Key& key : more) keys.push_back(std::move(key));
}

}  // namespace freshet::config
