// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/run_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace freshet::test {
namespace {

/// A run that has lost 5 of its 40 particles.
RunNumbers some_numbers() {
  RunNumbers numbers;
  numbers.step = 12;
  numbers.time = 0.1 + 0.2;
  numbers.seeded = numbers.next_id = 40;
  numbers.left_domain = 5;
  numbers.boost_energy = -0.25;
  return numbers;
}

/// Why the numbers of a checkpoint with 35 particles are refused; empty if they are not.
std::string refused(const std::vector<NamedNumber>& kept) {
  try {
    run_numbers(kept, 35);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

std::vector<NamedNumber> without(std::vector<NamedNumber> numbers, const std::string& name) {
  std::erase_if(numbers, [&](const NamedNumber& number) { return number.name == name; });
  return numbers;
}

std::vector<NamedNumber> with(const std::string& name, std::variant<std::int64_t, double> value) {
  std::vector<NamedNumber> numbers = named(some_numbers());
  for (NamedNumber& number : numbers)
    if (number.name == name) number.value = value;
  return numbers;
}

TEST(RunNumbers, come_back_from_their_names) {
  EXPECT_EQ(run_numbers(named(some_numbers()), 35), some_numbers());
}

TEST(RunNumbers, that_earlier_versions_did_not_keep_may_be_absent_and_others_may_not) {
  const std::vector<NamedNumber> numbers = named(some_numbers());
  EXPECT_EQ(run_numbers(without(numbers, "boost_energy"), 35).boost_energy, 0.0);
  EXPECT_NE(refused(without(numbers, "next_id")).find("has no next_id"), std::string::npos);
}

TEST(RunNumbers, that_cannot_be_are_refused_by_name) {
  EXPECT_NE(refused(with("time", -1.0)).find("time is -1"), std::string::npos);
  EXPECT_NE(refused(with("velocity_lead", 1.0)).find("velocity_lead is 1"), std::string::npos);
  EXPECT_NE(refused(with("velocity_lead", std::nan(""))).find("velocity_lead is nan"), std::string::npos);
  EXPECT_NE(refused(with("foreseen", 1.0)).find("foreseen is 1"), std::string::npos);
  EXPECT_NE(refused(with("step", std::int64_t{-1})).find("step is -1"), std::string::npos);
  EXPECT_NE(refused(with("snapshots", std::int64_t{1} << 60)).find("snapshots is"), std::string::npos);
  EXPECT_NE(refused(with("step", 1.0)).find("step is of another type"), std::string::npos);
}

TEST(RunNumbers, whose_ledger_does_not_add_up_are_refused) {
  EXPECT_NE(refused(with("seeded", std::int64_t{41})).find("that came"), std::string::npos);
  EXPECT_NE(refused(with("next_id", std::int64_t{39})).find("next_id is 39"), std::string::npos);
}

}  // namespace
}  // namespace freshet::test
