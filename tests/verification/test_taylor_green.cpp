// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double k = 2.0 * std::numbers::pi;

/// Steady solution of the Euler equations (Taylor & Green 1937), one period a side.
Vec3 vortices(const Vec3& x) {
  return {std::sin(k * x[0]) * std::cos(k * x[1]), -std::cos(k * x[0]) * std::sin(k * x[1]), 0.0};
}

/// Root mean square error of the particle velocities at t = 0.25 on n^2 cells.
double velocity_error(int n) {
  const Parameters parameters = make_case(R"(
[run]
end_time = 1
[domain]
dimension = 2
cells = [)" + std::to_string(n) + ", " + std::to_string(n) +
                                          R"(]
cell_size = )" + std::to_string(1.0 / n) + R"(
[domain.boundary]
x_low = "periodic"
x_high = "periodic"
y_low = "periodic"
y_high = "periodic"
[fluid]
gravity = [0, 0]
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 2]
[particles]
per_axis = 3
jitter = 0.5
[transfer]
flip_fraction = 1.0
[time]
cfl = 0.5
[pressure]
tolerance = 1e-8
)");
  Simulation simulation(world(), parameters);
  simulation.set_particle_velocity(vortices);
  test::run_until(simulation, 0.25);
  double sum = 0.0;
  for_each_particle(simulation,
                    [&](const Vec3& x, const Vec3& u, ParticleId) { sum += (u - vortices(x)).squaredNorm(); });
  EXPECT_EQ(simulation.report().liquid_cells, n * n);
  return std::sqrt(world().sum(sum) / static_cast<double>(simulation.report().particles));
}

TEST(TaylorGreen, velocity_error_falls_at_least_1_8_times_from_32_to_64_cells) {
  const double coarse = velocity_error(32);
  const double fine = velocity_error(64);
  test::report("velocity error at 32, 64 cells, ratio", {coarse, fine, coarse / fine});
  EXPECT_GT(coarse / fine, 1.8);
}

}  // namespace
}  // namespace freshet
