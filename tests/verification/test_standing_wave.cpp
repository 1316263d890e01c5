// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double g = 9.81;
constexpr double length = 1.0;  ///< half a wavelength [m]
constexpr double depth = 0.5;   ///< [m]
constexpr double k = std::numbers::pi / length;

/// Mode amplitude of the horizontal momentum: sum u_x sin(k x), proportional to cos(omega t) in linear theory.
double mode(const Simulation& simulation) {
  double sum = 0.0;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) { sum += u[0] * std::sin(k * x[0]); });
  return world().sum(sum);
}

/// Times at which the mode changes its sign, by linear interpolation between steps.
std::vector<double> zero_crossings(Simulation& simulation, double until) {
  std::vector<double> times;
  double before = mode(simulation);
  double t_before = simulation.time();
  while (simulation.time() < until) {
    simulation.advance(std::min(simulation.largest_dt(), 0.01));
    const double now = mode(simulation);
    if (before * now < 0.0) times.push_back(t_before + (simulation.time() - t_before) * before / (before - now));
    before = now;
    t_before = simulation.time();
  }
  return times;
}

TEST(StandingWave, frequency_is_within_5_percent_of_linear_theory_at_64_cells_a_wavelength) {
  const Parameters parameters = make_case(R"(
[run]
end_time = 10
[domain]
dimension = 2
cells = [32, 32]
cell_size = 0.03125
[fluid]
gravity = [0, -9.81]
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 0.5]
[particles]
per_axis = 3
[transfer]
flip_fraction = 0.98
[time]
cfl = 0.5
)");
  Simulation simulation(world(), parameters);
  const double omega = std::sqrt(g * k * std::tanh(k * depth));
  const double amplitude = 0.06;  // two cells: the voxel surface does not see less than one
  const double scale = amplitude * g * k / (omega * std::cosh(k * depth));
  simulation.set_particle_velocity([&](const Vec3& x) {
    return Vec3(-scale * std::cosh(k * x[1]) * std::sin(k * x[0]), scale * std::sinh(k * x[1]) * std::cos(k * x[0]),
                0.0);
  });
  const double period = 2.0 * std::numbers::pi / omega;
  const std::vector<double> times = zero_crossings(simulation, 3.3 * period);
  ASSERT_GE(times.size(), 5U);
  const double measured = std::numbers::pi * static_cast<double>(times.size() - 1) / (times.back() - times.front());
  test::report("frequency / linear theory", {measured / omega});
  EXPECT_NEAR(measured / omega, 1.0, 0.05);
}

}  // namespace
}  // namespace freshet
