// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_trials.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace freshet {
namespace {

using Verdict = StepTrials::Verdict;

/// 2 cells wanted, 3 accepted at once.
StepTrials::Options options() {
  return {2.0, 3.0, 25.0, 1e-3, 3};
}

TEST(StepTrials, a_displacement_within_the_limit_is_accepted_at_once) {
  StepTrials trials(options(), 0.1, 10.0);
  EXPECT_EQ(trials.judge("", 3.0), Verdict::accepted);
  EXPECT_EQ(trials.retries(), 0);
  EXPECT_EQ(trials.dt(), 0.1);
}

TEST(StepTrials, liquid_that_is_accelerated_evenly_needs_one_more_trial) {
  const auto displacement = [](double dt) { return (10.0 + 1500.0 * dt) * dt; };  // 10 cells/s before the step
  StepTrials trials(options(), 0.1, 10.0);
  EXPECT_EQ(trials.judge("", displacement(0.1)), Verdict::again);
  EXPECT_NEAR(displacement(trials.dt()), 2.0, 1e-12);
  EXPECT_NE(trials.reason().find("16 cells where 2 are wanted"), std::string::npos);
  EXPECT_EQ(trials.judge("", displacement(trials.dt())), Verdict::accepted);
  EXPECT_EQ(trials.retries(), 1);
}

TEST(StepTrials, an_impact_whose_speed_does_not_depend_on_dt_needs_two_more_trials) {
  StepTrials trials(options(), 0.1, 10.0);
  EXPECT_EQ(trials.judge("", 160.0 * 0.1), Verdict::again);
  EXPECT_EQ(trials.judge("", 160.0 * trials.dt()), Verdict::again);
  EXPECT_NEAR(160.0 * trials.dt(), 2.0, 1e-12);
  EXPECT_EQ(trials.judge("", 160.0 * trials.dt()), Verdict::accepted);
}

TEST(StepTrials, a_speed_that_falls_while_dt_grows_is_taken_as_an_impact) {
  StepTrials trials(options(), 0.1, 300.0);
  EXPECT_EQ(trials.judge("", 16.0), Verdict::again);
  EXPECT_DOUBLE_EQ(trials.dt(), 0.1 * 2.0 / 16.0);
}

TEST(StepTrials, a_displacement_that_does_not_follow_dt_is_accepted) {
  StepTrials trials(options(), 0.1, 10.0);
  EXPECT_EQ(trials.judge("", 4.0), Verdict::again);
  EXPECT_EQ(trials.judge("", 3.9), Verdict::accepted);
}

TEST(StepTrials, a_failure_halves_dt_until_the_retries_are_used_up) {
  StepTrials trials(options(), 0.1, 10.0);
  EXPECT_EQ(trials.judge("no convergence", 1.0), Verdict::again);
  EXPECT_DOUBLE_EQ(trials.dt(), 0.05);
  EXPECT_EQ(trials.judge("", std::numeric_limits<double>::infinity()), Verdict::again);
  EXPECT_DOUBLE_EQ(trials.dt(), 0.025);
  EXPECT_EQ(trials.judge("no convergence", 1.0), Verdict::again);
  EXPECT_EQ(trials.judge("no convergence", 1.0), Verdict::failed);
  EXPECT_EQ(trials.retries(), 3);
  EXPECT_EQ(trials.reason(), "no convergence");
}

TEST(StepTrials, a_prediction_after_a_failure_does_not_use_the_failed_trial) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [failure, displacement] :
       {std::pair<std::string, double>{"", infinite}, {"no convergence", 1e300}, {"no convergence", 0.0}}) {
    StepTrials trials(options(), 0.1, 40.0);
    EXPECT_EQ(trials.judge(failure, displacement), Verdict::again);
    EXPECT_DOUBLE_EQ(trials.dt(), 0.05);
    EXPECT_EQ(trials.judge("", 40.0 * 0.1), Verdict::again) << "80 cells/s in 0.05 s";
    EXPECT_NEAR((40.0 + 800.0 * trials.dt()) * trials.dt(), 2.0, 1e-12) << "the line from 40 to 80 cells/s";
    EXPECT_EQ(trials.judge("", 2.0), Verdict::accepted);
  }
}

TEST(StepTrials, without_retries_a_large_displacement_is_accepted_and_a_runaway_one_is_not) {
  StepTrials::Options none = options();
  none.max_retries = 0;
  EXPECT_EQ(StepTrials(none, 0.1, 10.0).judge("", 24.0), Verdict::accepted);
  EXPECT_EQ(StepTrials(none, 0.1, 10.0).judge("", 26.0), Verdict::failed);
}

TEST(StepTrials, a_runaway_velocity_gets_the_dt_that_it_asks_for_while_retries_are_left) {
  StepTrials trials(options(), 1.0, 50.0);
  EXPECT_EQ(trials.judge("", 50.0), Verdict::again);
  EXPECT_DOUBLE_EQ(trials.dt(), 2.0 / 50.0);
}

TEST(StepTrials, no_trial_is_shorter_than_the_shortest_dt) {
  StepTrials trials(options(), 1.5e-3, 0.0);
  EXPECT_EQ(trials.judge("no convergence", 1.0), Verdict::failed);
  StepTrials overshooting(options(), 1.5e-3, 0.0);
  EXPECT_EQ(overshooting.judge("", 24.0), Verdict::accepted);
}

}  // namespace
}  // namespace freshet
