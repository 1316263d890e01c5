// SPDX-License-Identifier: Apache-2.0
#include "freshet/gauges/gauge.hpp"
#include "freshet/keys/key.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace freshet {
namespace {

TEST(Gauges, names_of_types_differ) {
  for (std::size_t i = 0; i < gauge_types().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(gauge_type_named(gauge_types()[i].name)), i) << gauge_types()[i].name;
}

/// A key that no type names would be known to all types.
TEST(Gauges, keys_of_types_are_keys_of_a_gauge_each_for_some_type) {
  GaugeParameters gauge;
  std::set<std::string> own;
  for (const keys::Key& key : entry_of(gauge).keys) {
    if (key.kinds.key.empty()) continue;
    EXPECT_FALSE(key.kinds.names.empty()) << key.name;
    own.insert(key.name);
  }
  for (const GaugeTypeRecord& type : gauge_types())
    for (const std::string& key : type.keys) EXPECT_TRUE(own.contains(key)) << type.name << " " << key;
}

TEST(Gauges, every_third_step) {
  GaugeParameters gauge;
  gauge.every = 3;
  std::vector<int> due;
  for (int step = 1; step <= 9; ++step)
    if (gauge_is_due(gauge, step, 0.1 * (step - 1), 0.1 * step)) due.push_back(step);
  EXPECT_EQ(due, (std::vector<int>{3, 6, 9}));
}

TEST(Gauges, interval_takes_the_first_step_at_or_after_each_multiple) {
  GaugeParameters gauge;
  gauge.interval = 0.1;
  const std::vector<double> times = {0.0, 0.04, 0.08, 0.12, 0.2, 0.2001, 0.29, 0.55, 0.6};
  std::vector<double> due;
  for (std::size_t n = 1; n < times.size(); ++n)
    if (gauge_is_due(gauge, static_cast<std::int64_t>(n), times[n - 1], times[n])) due.push_back(times[n]);
  EXPECT_EQ(due, (std::vector<double>{0.12, 0.2, 0.55, 0.6}));  // 0.55 passes 0.3, 0.4 and 0.5 at once
}

TEST(Gauges, step_that_ends_just_before_an_output_time_counts_as_on_it) {
  GaugeParameters gauge;
  gauge.interval = 0.1;
  const double landed = 0.3;  // what the run makes of 0.29999999999999998 or 0.30000000000000004
  const double before = 0.2 + 0.05;
  EXPECT_TRUE(gauge_is_due(gauge, 1, before, before + 0.05));
  EXPECT_FALSE(gauge_is_due(gauge, 2, landed, 0.35));
  EXPECT_FALSE(gauge_is_due(gauge, 2, 0.29999999999999993, 0.35));
}

/// A name as numpy's genfromtxt keeps it: without spaces at its ends, signs and points; spaces become underscores.
std::string name_in_numpy(const CsvColumn& column) {
  std::string name;
  for (const char c : column.unit.empty() ? column.name : column.name + " [" + column.unit + "]")
    if (c == ' ' || c == '_')
      name += '_';
    else if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
  return name;
}

TEST(Gauges, columns_begin_with_step_and_time_have_units_and_keep_their_names_apart) {
  for (const GaugeTypeRecord& type : gauge_types())
    for (const bool mean : {false, true}) {
      GaugeParameters gauge;
      gauge.type = gauge_type_named(type.name);
      gauge.mean = mean;
      gauge.count = 12;
      const std::vector<CsvColumn> columns = gauge_columns(gauge);
      ASSERT_GE(columns.size(), 3U);
      EXPECT_EQ(columns[0].name, "step");
      EXPECT_EQ(columns[1].unit, "s");
      EXPECT_EQ(columns[2].name.starts_with("mean_"), mean);
      std::set<std::string> names;
      for (const CsvColumn& column : columns)
        EXPECT_TRUE(names.insert(name_in_numpy(column)).second) << type.name << " " << column.name;
    }
}

TEST(Gauges, columns_of_a_profile_count_its_lines) {
  GaugeParameters gauge;
  gauge.type = gauge_type_named("profile");
  gauge.count = 11;
  EXPECT_EQ(gauge_columns(gauge)[2].name, "height_00");
  EXPECT_EQ(gauge_columns(gauge).back().name, "height_10");
  gauge.quantity = CoveredLength::top;
  gauge.count = 3;
  EXPECT_EQ(gauge_columns(gauge).back().name, "top_2");
}

}  // namespace
}  // namespace freshet
