// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/time_splitting.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace freshet {
namespace {

using Holder = TimeSplitting::Holder;
using test::world;

/// Times that forces and pressure of steps act for, and the leads that they leave. [s]
struct Course {
  std::vector<double> acting, of_particles, of_grid, of_pressure;
};

Course course(Splitting splitting, const std::vector<double>& steps, bool is_prescribed = false) {
  const Domain domain = test::make_domain(2, {8, 8, 1});
  const BlockLayout layout(world(), domain, Splitters{}, test::all_blocks(domain));
  const CellField<double> pressure(layout, 0.0);
  RunNumbers numbers;
  TimeSplitting levels(splitting, is_prescribed, numbers);
  Course result;
  for (const double dt : steps) {
    ++numbers.step;
    levels.begin_step(pressure);
    result.acting.push_back(levels.acting_time(dt));
    levels.end_step(dt);
    numbers.dt = dt;
    result.of_particles.push_back(levels.velocity_lead(Holder::particles));
    result.of_grid.push_back(levels.velocity_lead(Holder::grid));
    result.of_pressure.push_back(levels.pressure_lead());
  }
  return result;
}

using Times = std::vector<double>;

TEST(TimeSplitting, of_first_order_acts_for_each_step_and_leaves_no_lead) {
  const Course found = course(Splitting::first_order, {0.5, 0.25});
  EXPECT_EQ(found.acting, (Times{0.5, 0.25}));
  EXPECT_EQ(found.of_particles, (Times{0.0, 0.0}));
  EXPECT_EQ(found.of_pressure, (Times{0.0, 0.0}));
}

TEST(TimeSplitting, of_strang_acts_from_the_middle_of_a_step_to_that_of_the_next) {
  const Course found = course(Splitting::strang, {0.5, 0.25, 0.25});
  EXPECT_EQ(found.acting, (Times{0.25, 0.375, 0.25}));  // the first step begins at its start
  EXPECT_EQ(found.of_particles, (Times{-0.25, -0.125, -0.125}));
  EXPECT_EQ(found.of_grid, found.of_particles);
  EXPECT_EQ(found.of_pressure, (Times{-0.5, -0.25, -0.25}));
}

TEST(TimeSplitting, of_reflection_lets_particles_lead_in_the_first_step_of_a_pair) {
  const Course found = course(Splitting::reflection, {0.5, 0.25, 0.25, 0.25});
  // the second step of a pair projects what the first one foresaw for its own length
  EXPECT_EQ(found.acting, (Times{0.25, 0.375, 0.25, 0.25}));
  EXPECT_EQ(found.of_particles, (Times{0.25, -0.125, 0.125, -0.125}));
  EXPECT_EQ(found.of_grid, (Times{-0.25, -0.125, -0.125, -0.125}));
}

TEST(TimeSplitting, of_a_prescribed_velocity_is_that_of_the_middle_of_the_step) {
  const Course found = course(Splitting::first_order, {0.5, 0.25}, true);
  EXPECT_EQ(found.of_particles, (Times{-0.25, -0.125}));
  EXPECT_EQ(found.of_pressure, (Times{0.0, 0.0}));
}

TEST(TimeSplitting, takes_the_lead_of_the_splitting_where_a_checkpoint_does_not_know_it) {
  for (const Splitting splitting : {Splitting::first_order, Splitting::strang}) {
    RunNumbers numbers;
    numbers.dt = 0.5;
    numbers.velocity_lead = RunNumbers::not_known;
    TimeSplitting(splitting, false, numbers).restore_lead();
    EXPECT_EQ(numbers.velocity_lead, splitting == Splitting::first_order ? 0.0 : -0.25);
  }
}

TEST(TimeSplitting, lets_the_tension_of_a_pair_act_for_two_steps) {
  RunNumbers numbers;
  EXPECT_EQ(TimeSplitting(Splitting::strang, false, numbers).steps_of_tension(), 1.0);
  EXPECT_EQ(TimeSplitting(Splitting::reflection, false, numbers).steps_of_tension(), 2.0);
}

}  // namespace
}  // namespace freshet
