// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::for_each_particle;
using test::full_periodic_box;
using test::make_case;
using test::world;

constexpr double k = 2.0 * std::numbers::pi;

/// Steady solution of the Euler equations (Taylor & Green 1937), one period a side.
Vec3 vortices(const Vec3& x) {
  return {std::sin(k * x[0]) * std::cos(k * x[1]), -std::cos(k * x[0]) * std::sin(k * x[1]), 0.0};
}

/// What is left of the vortices.
struct Left {
  double error = 0.0;   ///< root mean square of the particles' velocities
  double energy = 0.0;  ///< over that of the start
};

/// At the end of `time` [s], on n^2 cells.
Left vortices_left(int n, double time, const std::string& splitting) {
  const Parameters parameters = make_case(case_text({n, n}, 1.0 / n) + test::uncorrected + full_periodic_box(2) + R"(
[particles]
per_axis = 3
jitter = 0.5
[transfer]
flip_fraction = 1.0
[time]
cfl = 0.5
splitting = ")" + splitting + R"("
[pressure]
tolerance = 1e-8
)");
  Simulation simulation(world(), parameters);
  simulation.set_particle_velocity(vortices);
  const double energy = simulation.report().sums.kinetic_energy;
  test::run_until(simulation, time);
  double sum = 0.0;
  for_each_particle(simulation,
                    [&](const Vec3& x, const Vec3& u, ParticleId) { sum += (u - vortices(x)).squaredNorm(); });
  return {std::sqrt(world().sum(sum) / static_cast<double>(simulation.report().particles)),
          simulation.report().sums.kinetic_energy / energy};
}

double velocity_error(int n) {
  return vortices_left(n, 0.25, "first_order").error;
}

TEST(TaylorGreen, velocity_error_falls_at_least_1_8_times_from_32_to_64_cells) {
  const double coarse = velocity_error(32);
  const double fine = velocity_error(64);
  test::report("velocity error at 32, 64 cells, ratio", {coarse, fine, coarse / fine});
  EXPECT_GT(coarse / fine, 1.8);
}

/// With steps of the same length, and so at the same cost (Zehnder et al. 2018).
TEST(TaylorGreen, reflection_loses_less_than_half_of_the_energy) {
  const double lost = 1.0 - vortices_left(32, 1.0, "first_order").energy;
  const double lost_by_reflection = 1.0 - vortices_left(32, 1.0, "reflection").energy;
  test::report("energy lost with first_order and with reflection", {lost, lost_by_reflection});
  EXPECT_GT(lost, 0.0);
  EXPECT_GT(lost_by_reflection, 0.0);
  EXPECT_LT(lost_by_reflection, 0.5 * lost);
}

}  // namespace
}  // namespace freshet
