// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_numbers.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace freshet {
namespace {

const StepNumber& number_of(const std::string& name) {
  for (const StepNumber& number : step_numbers())
    if (name == number.name) return number;
  ADD_FAILURE() << "no number " << name;
  return step_numbers().front();
}

TEST(StepNumbers, have_names_of_their_own) {
  std::set<std::string> names;
  for (const StepNumber& number : step_numbers()) EXPECT_TRUE(names.insert(number.name).second) << number.name;
}

TEST(StepNumbers, stand_under_their_own_names) {
  StepReport report;
  report.left_domain = 3;
  report.boost_energy = -0.5;
  report.projection.solve.iterations = 7;
  report.sums.center_of_mass = {1.0, 2.0, 3.0};
  report.density.iterations = 4;
  EXPECT_EQ(text_of(number_of("uncoupled"), report), "0");
  report.viscosity.was_coupled_in_vain = true;
  EXPECT_EQ(text_of(number_of("left_domain"), report), "3");
  EXPECT_EQ(text_of(number_of("boost_energy"), report), "-0.5");
  EXPECT_EQ(text_of(number_of("iterations"), report), "7");
  EXPECT_EQ(text_of(number_of("center_y"), report), "2");
  EXPECT_EQ(text_of(number_of("density_iterations"), report), "4");
  EXPECT_EQ(text_of(number_of("outer_converged"), report), "1");
  EXPECT_EQ(text_of(number_of("uncoupled"), report), "1");
}

TEST(StepNumbers, as_text_read_back_to_the_same_bits) {
  StepReport report;
  report.dt = 0.1 + 0.2;
  EXPECT_EQ(std::strtod(text_of(number_of("dt"), report).c_str(), nullptr), 0.1 + 0.2);
}

TEST(StepNumbers, are_summed_up_where_they_have_totals) {
  RunNumbers numbers;
  numbers.emitted = 10;
  StepReport report;
  report.emitted = 5;
  report.stuck = 2;
  report.boost_energy = 0.25;
  report.retries = 3;
  add_to_totals(report, numbers);
  add_to_totals(report, numbers);
  RunNumbers expected;
  expected.emitted = 20;
  expected.boost_energy = 0.5;
  expected.retried_steps = 2;
  EXPECT_EQ(numbers, expected);
}

TEST(StepNumbers, make_log_lines_as_wide_as_the_heading) {
  StepReport report;
  report.step = 12;
  report.time = 0.5;
  report.volume_drift = 0.0125;
  report.memory = 2'500'000;
  const std::string heading = log_heading();
  const std::string line = log_line(report);
  EXPECT_EQ(line.size(), heading.size());
  EXPECT_NE(heading.find("  step       t[s]"), std::string::npos) << heading;
  EXPECT_NE(line.find("    12    0.50000"), std::string::npos) << line;
  EXPECT_NE(line.find("   1.250"), std::string::npos) << "drift in percent: " << line;
  EXPECT_NE(line.find("     2.5"), std::string::npos) << "memory in megabytes: " << line;
}

}  // namespace
}  // namespace freshet
