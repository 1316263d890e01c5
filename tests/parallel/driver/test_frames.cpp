// SPDX-License-Identifier: Apache-2.0
// Frames of reference that turn: the Coriolis force, and energies in a tank that moves.
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

using test::case_text;
using test::for_each_particle;
using test::make_case;
using test::world;

/// Liquid that fills a periodic box and moves at 1 m/s along x.
std::string stream(const std::string& rotation) {
  return case_text({16, 16, 8}, 0.1) + R"(
[domain.boundary]
x_low = "periodic"
x_high = "periodic"
y_low = "periodic"
y_high = "periodic"
z_low = "periodic"
z_high = "periodic"
[fluid]
gravity = [0, 0, 0]
rotation = )" +
         rotation + R"(
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [10, 10, 10]
velocity = [1, 0, 0]
)";
}

/// Mean velocity of all particles. [m/s] Collective
Vec3 mean_velocity(const Simulation& simulation) {
  std::vector<double> sum(3, 0.0);
  for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
    for (int d = 0; d < 3; ++d) sum[static_cast<std::size_t>(d)] += u[d];
  });
  world().sum_in_place(sum);
  return Vec3(sum[0], sum[1], sum[2]) / static_cast<double>(simulation.report().particles);
}

TEST(CoriolisForce, makes_inertial_circles) {
  // With Omega = 0.5 rad/s the velocity turns at f = 1 rad/s: a circle of radius u / f = 1 m in 2 pi seconds.
  Simulation simulation(world(), make_case(stream("[0, 0, 0.5]")));
  Vec3 place = Vec3::Zero();  // of the mean particle, as all move alike
  double farthest_from_circle = 0.0;
  const double period = 2.0 * M_PI;
  while (simulation.time() < period) {
    const double dt = Cadence::cut(simulation.largest_dt(), simulation.time(), period);
    simulation.advance(dt);
    place += dt * mean_velocity(simulation);
    farthest_from_circle = std::max(farthest_from_circle, std::abs((place - Vec3(0, -1, 0)).norm() - 1.0));
  }
  const Vec3 end = mean_velocity(simulation);
  test::report("inertial circle: off the circle [m], end of the path [m], velocity at the end",
               {farthest_from_circle, place.norm(), end.x(), end.y(), end.z()});
  EXPECT_LT(farthest_from_circle, 0.06) << "Euler steps of up to 0.1 rad: half a step off";
  EXPECT_LT(place.norm(), 0.02);
  EXPECT_NEAR(end.x(), 1.0, 1e-5);  // single precision over some 70 steps
  EXPECT_NEAR(end.y(), 0.0, 1e-5);
  EXPECT_NEAR(end.z(), 0.0, 1e-6);
}

TEST(CoriolisForce, of_the_earth_turns_a_stream_to_the_right_in_the_north) {
  Simulation simulation(world(), make_case(stream("[0, 0, 1e-4]")));
  for (int n = 0; n < 5; ++n) simulation.advance(0.1);
  const Vec3 u = mean_velocity(simulation);
  EXPECT_NEAR(u.y(), -2e-4 * 0.5, 1e-6);  // -f u t; single precision
  EXPECT_NEAR(u.x(), 1.0, 1e-6);
}

TEST(PotentialEnergy, in_a_tank_that_turns_is_that_of_the_height_in_the_laboratory) {
  // A tank that hangs upside down after 0.5 s: what lies at y in it stands at -y in the laboratory.
  const std::string text = case_text({16, 16}, 0.1) + R"(
[frame]
keyframes = [[0, 0, 0, 0, 0, 0, 0], [0.5, 0, 0, 0, 0, 0, 180], [2, 0, 0, 0, 0, 0, 180]]
interpolation = "linear"
[[liquid]]
shape = "box"
lower = [0.3, 0.3]
upper = [1.3, 0.8]
)";
  Simulation simulation(world(), make_case(text));
  const auto mass = simulation.particle_mass() * static_cast<double>(simulation.report().particles);
  EXPECT_NEAR(simulation.report().sums.potential_energy, mass * 9.81 * simulation.report().sums.center_of_mass.y(),
              1e-9 * mass);
  test::run_until(simulation, 0.6);
  const ParticleSums& sums = simulation.report().sums;
  EXPECT_NEAR(sums.potential_energy, -mass * 9.81 * sums.center_of_mass.y(), 1e-9 * mass);
}

}  // namespace
}  // namespace freshet
