// SPDX-License-Identifier: Apache-2.0
// nightly: 2 4 8
// How a step is split in time, what FLIP's share holds for, and the pressure of the start.
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::at_voxels;
using test::case_text;
using test::for_each_particle;
using test::full_periodic_box;
using test::make_case;
using test::run_until;
using test::uncorrected;
using test::world;

/// How far a ball that falls is from its parabola, and how far its velocity is from that of the time that it is said to
/// be of, at most after any step.
struct FallErrors {
  double way = 0.0;   ///< [m]
  double time = 0.0;  ///< [s]
};

Parameters falling_ball(const std::string& splitting) {
  return make_case(case_text({16, 32, 16}, 0.05) + uncorrected + R"(
[[liquid]]
shape = "sphere"
center = [0.4, 1.2, 0.4]
radius = 0.2
)" + "[time]\nsplitting = \"" +
                   splitting + "\"\n");
}

/// A step of free fall. \param[in] start  height of the ball's centre at the start [m]. Collective
void fall(Simulation& simulation, double dt, double start, FallErrors& errors) {
  const double g = 9.81;
  const StepReport report = simulation.advance(dt);
  const double t = simulation.time();
  const double mass = simulation.particle_mass() * static_cast<double>(report.particles);
  const double speed = std::sqrt(2.0 * report.sums.kinetic_energy / mass);
  errors.way = std::max(errors.way, std::abs(start - report.sums.center_of_mass.y() - 0.5 * g * t * t));
  errors.time = std::max(errors.time, std::abs(speed / g - report.velocity_time));
}

/// 0.2 s of free fall. \param[in] dts  of the steps, in turn [s]; empty: the largest dt. Collective
FallErrors errors_of_fall(const std::string& splitting, const std::vector<double>& dts) {
  Simulation simulation(world(), falling_ball(splitting));
  const double start = simulation.report().sums.center_of_mass.y();
  FallErrors errors;
  for (std::size_t n = 0; simulation.time() < 0.2; ++n)
    fall(simulation, dts.empty() ? simulation.largest_dt() : dts[n % dts.size()], start, errors);
  return errors;
}

TEST(Splitting, of_second_order_lets_a_ball_fall_along_the_parabola_in_every_step) {
  for (const std::vector<double>& dts : {std::vector<double>{}, {0.01, 0.004, 0.016, 0.02, 0.005}}) {
    const FallErrors first_order = errors_of_fall("first_order", dts), strang = errors_of_fall("strang", dts);
    const FallErrors reflection = errors_of_fall("reflection", dts);
    test::report("free fall: errors of way [m] and of time [s] with first_order, strang, reflection",
                 {first_order.way, first_order.time, strang.way, strang.time, reflection.way, reflection.time});
    EXPECT_GT(first_order.way, 0.01);
    // positions are numbers of single precision in blocks 0.4 m wide, and move in some ten steps
    EXPECT_LT(strang.way, 1e-6);
    EXPECT_LT(reflection.way, 1e-6);
    for (const FallErrors& errors : {first_order, strang, reflection}) EXPECT_LT(errors.time, 1e-6);
  }
}

/// Velocities keep the time that they belong to, also where a restart leaves a pair of steps.
TEST(Splitting, may_be_another_one_after_a_restart) {
  const char* names[] = {"first_order", "strang", "reflection"};
  for (const char* before : names)
    for (const char* after : names) {
      Simulation first(world(), falling_ball(before));
      const double start = first.report().sums.center_of_mass.y();
      FallErrors errors;
      for (const double dt : {0.01, 0.014, 0.012}) fall(first, dt, start, errors);
      Simulation second(world(), falling_ball(after), first.restart_state());
      for (const double dt : {0.008, 0.012, 0.02}) fall(second, dt, start, errors);
      EXPECT_LT(errors.time, 1e-6) << before << ", then " << after;
      const bool is_second_order = before != names[0] && after != names[0];
      EXPECT_LT(is_second_order ? errors.way : 0.0, 1e-6) << before << ", then " << after;
    }
}

TEST(Splitting, says_which_time_velocities_and_pressures_are_of) {
  const auto leads = [](const std::string& splitting, int steps) {
    Simulation simulation(world(), make_case(case_text({16, 16}, 0.1) + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [1.6, 0.8]
[time]
splitting = ")" + splitting + "\"\n"));
    for (int n = 0; n < steps; ++n) simulation.advance(0.01);
    return std::vector<double>{simulation.splitting().velocity_lead(TimeSplitting::Holder::particles),
                               simulation.splitting().velocity_lead(TimeSplitting::Holder::grid),
                               simulation.splitting().pressure_lead()};
  };
  EXPECT_EQ(leads("first_order", 2), (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_EQ(leads("strang", 0), (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_EQ(leads("strang", 2), (std::vector<double>{-0.005, -0.005, -0.01}));
  EXPECT_EQ(leads("reflection", 1), (std::vector<double>{0.005, -0.005, -0.01}));
  EXPECT_EQ(leads("reflection", 2), (std::vector<double>{-0.005, -0.005, -0.01}));
}

/// Both steps of a pair show the pressure of the whole pair, though the second one has little to project.
TEST(Splitting, reflection_leaves_water_at_rest_and_its_pressure_hydrostatic) {
  const double depth = 0.8;  // [m]
  Simulation simulation(world(), make_case(case_text({16, 16, 16}, 0.1) + at_voxels + uncorrected + R"(
[time]
splitting = "reflection"
[pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.8, 1.6]
)"));
  for (const double dt : {0.01, 0.01, 0.01, 0.004, 0.006, 0.006, 0.01, 0.007}) {
    simulation.advance(dt);
    double largest = 0.0;
    const BlockLayout& layout = simulation.layout();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c) largest = std::max(largest, simulation.pressure().block(b)[c]);
    // voxels: the pressure is 0 at the centre of the first cell of air
    EXPECT_NEAR(world().max(largest), 1000.0 * 9.81 * depth, 1e-4 * 1000.0 * 9.81 * depth) << dt;
    EXPECT_LT(simulation.report().sums.max_speed, 1e-7) << dt;
  }
}

/// Kinetic energy that two absorbers over each other leave of a uniform stream, as a part of it. Collective
double stream_left(const std::string& splitting) {
  Simulation simulation(world(), make_case(case_text({16, 16}, 0.1) + full_periodic_box(2) +
                                           R"(
velocity = [1, 0]
[[absorber]]
lower = [-10, -1]
upper = [1.6, 2]
strength = 300
[[absorber]]
lower = [-10, -1]
upper = [1.6, 2]
strength = 300
[time]
splitting = ")" + splitting + "\"\n"));
  const double start = simulation.report().sums.kinetic_energy;
  for (int n = 0; n < 4; ++n) simulation.advance(0.04);
  return simulation.report().sums.kinetic_energy / start;
}

TEST(Absorbers, that_overlap_stop_a_stream_with_every_splitting) {
  // rates of 450 to 600 1/s leave e^-18 of it in a step; the pressure evens out the rest
  for (const char* splitting : {"first_order", "strang", "reflection"}) EXPECT_LT(stream_left(splitting), 1e-5);
}

/// Amplitude of a shear flow sin(2 pi z / L) that only PIC damps, after 0.5 s, as a share of the first one. Collective
double shear_left(const std::string& keys, double dt) {
  Simulation simulation(world(), make_case(case_text({8, 8, 16}, 0.1) + uncorrected + full_periodic_box(3) + R"(
[transfer]
flip_fraction = 0.8
)" + keys));
  const double k = 2.0 * M_PI / 1.6;
  simulation.set_particle_velocity([&](const Vec3& x) { return Vec3(std::sin(k * x.z()), 0.0, 0.0); });
  const auto amplitude = [&] {
    double sum = 0.0;
    for_each_particle(simulation,
                      [&](const Vec3& x, const Vec3& u, ParticleId) { sum += u.x() * std::sin(k * x.z()); });
    return world().sum(sum);
  };
  const double start = amplitude();
  for (int n = 0; n < std::lround(0.5 / dt); ++n) simulation.advance(dt);
  return amplitude() / start;
}

TEST(FlipFraction, holds_for_a_time_or_for_a_step) {
  const std::string for_a_time = "flip_time = 0.05\n", for_a_step = "flip_per = \"step\"\n";
  const double coarse = -std::log(shear_left(for_a_time, 0.05)), fine = -std::log(shear_left(for_a_time, 0.0125));
  const double coarse_steps = -std::log(shear_left(for_a_step, 0.05));
  const double fine_steps = -std::log(shear_left(for_a_step, 0.0125));
  test::report("damping of a shear flow, 10 and 40 steps: per time, per step",
               {coarse, fine, coarse_steps, fine_steps});
  EXPECT_DOUBLE_EQ(coarse, coarse_steps) << "a step of flip_time takes the share as it is";
  EXPECT_NEAR(fine / coarse, 1.0, 0.15);
  EXPECT_GT(fine_steps / coarse_steps, 3.0);
}

TEST(FlipFraction, of_a_step_of_cfl_1_is_that_of_the_case) {
  const FlipFractions fractions(0.95);
  EXPECT_EQ(fractions.to_power(1.0)(0), 0.95);
  EXPECT_DOUBLE_EQ(fractions.to_power(0.5)(7), std::sqrt(0.95));
  EXPECT_EQ(FlipFractions(0.0).to_power(0.5)(0), 0.0);
  EXPECT_EQ(FlipFractions(1.0).to_power(0.3)(0), 1.0);
}

TEST(Start, knows_the_pressure_of_water_at_rest) {
  Simulation simulation(world(), make_case(case_text({16, 16, 16}, 0.1) + at_voxels + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [2, 0.8, 2]
)"));
  const BlockLayout& layout = simulation.layout();
  double largest = 0.0;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    largest = std::max(largest, *std::max_element(simulation.pressure().block(b),
                                                  simulation.pressure().block(b) + layout.cells_per_block()));
  largest = world().max(largest);
  EXPECT_NEAR(largest, 1000.0 * 9.81 * 0.8, 5.0) << "the pressure is 0 in the centres of the lowest cells of air";
  EXPECT_EQ(simulation.time(), 0.0);
  EXPECT_EQ(simulation.report().sums.max_speed, 0.0) << "no particle has been changed";
}

}  // namespace
}  // namespace freshet
