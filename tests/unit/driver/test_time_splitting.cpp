// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace freshet {
namespace {

using Holder = TimeSplitting::Holder;

/// Times that forces and pressure of steps act for, and the leads that they leave. [s]
struct Course {
  std::vector<double> acting, of_particles, of_grid, of_pressure;
};

Course course(Splitting splitting, const std::vector<double>& steps, bool is_prescribed = false) {
  RunNumbers numbers;
  TimeSplitting levels(splitting, is_prescribed, numbers);
  Course result;
  for (const double dt : steps) {
    ++numbers.step;
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

TEST(TimeSplitting, goes_on_within_a_pair_only_with_the_change_that_particles_got_in_advance) {
  const Domain domain = test::make_domain(2, {8, 8, 1});
  const BlockLayout layout(test::world(), domain, uniform_splitters(domain, test::world().size()),
                           test::all_blocks(domain));
  CellField<double> pressure(layout);
  pressure.fill(5.0);
  RunNumbers numbers;
  numbers.step = 1;
  numbers.foreseen = numbers.dt = 0.5;
  TimeSplitting splitting(Splitting::reflection, false, numbers);
  EXPECT_THROW(splitting.restore_change({}, layout), FileError);
  const std::vector<std::vector<double>> change(
      2, std::vector<double>(static_cast<std::size_t>(layout.n_owned() * layout.cells_per_block()), 3.0));
  EXPECT_THROW(splitting.restore_change(std::span(change).first(1), layout), FileError);
  splitting.restore_change(change, layout);
  ASSERT_NE(splitting.predicted_change(), nullptr);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) EXPECT_EQ((*splitting.predicted_change())[1].block(b)[63], 3.0);
  EXPECT_EQ(splitting.foreseen_pressure(), nullptr);
  splitting.keep_pressure(pressure);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) EXPECT_EQ(splitting.foreseen_pressure()->block(b)[63], 5.0);
  numbers.foreseen = 0.0;
  EXPECT_NO_THROW(splitting.restore_change({}, layout));
  EXPECT_EQ(splitting.predicted_change(), nullptr);
  EXPECT_EQ(splitting.foreseen_pressure(), nullptr);
}

}  // namespace
}  // namespace freshet
