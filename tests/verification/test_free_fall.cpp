// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

/// A ball above an empty floor, thrown sideways.
const char* const ball = R"(
[run]
end_time = 10
[domain]
cells = [32, 64, 24]
cell_size = 0.02
[density]
correction = "off"
[fluid]
gravity = [0.0, -9.81, 0.5]
[[liquid]]
shape = "sphere"
center = [0.2, 1.0, 0.2]
radius = 0.12
velocity = [0.7, 0.0, 0.0]
)";

/// Places of all particles by id, on every rank. [m] Collective.
std::vector<double> places(const Simulation& simulation) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.report().particles), 0.0);
  for_each_particle(simulation, [&](const Vec3& place, const Vec3&, ParticleId id) {
    for (std::size_t d = 0; d < 3; ++d) x[3 * id + d] = place[static_cast<int>(d)];
  });
  world().sum_in_place(x);
  return x;
}

TEST(FreeFall, every_particle_follows_the_parabola_until_contact) {
  Simulation simulation(world(), make_case(ball));
  const Vec3 u_0(0.7, 0.0, 0.0);
  const Vec3 a(0.0, -9.81, 0.5);
  const double floor_time = std::sqrt(2.0 * (1.0 - 0.12) / 9.81);
  const ParticleSums before = simulation.report().sums;
  const std::vector<double> start = places(simulation);
  int n_steps = 0;
  Vec3 euler = Vec3::Zero();  // way of the scheme: x += dt u^{n+1}
  Vec3 u = u_0;
  while (simulation.time() < 0.95 * floor_time) {
    const double dt = simulation.largest_dt();
    simulation.advance(dt);
    u += dt * a;
    euler += dt * u;
    ++n_steps;
  }
  double largest = 0.0;
  for_each_particle(simulation, [&](const Vec3&, const Vec3& u_p, ParticleId) {
    largest = std::max(largest, (u_p - u).cwiseAbs().maxCoeff());
  });
  // one rounding of the particle's real type a step, at the speed reached
  const double epsilon = std::numeric_limits<ParticleReal>::epsilon();
  test::report("velocity error, bound [m/s]", {world().max(largest), n_steps * epsilon * u.norm()});
  EXPECT_LT(world().max(largest), n_steps * epsilon * u.norm());
  // positions are rounded once a step to a float of up to 8 cells
  const std::vector<double> after = places(simulation);
  double farthest = 0.0;
  for (std::size_t n = 0; n < start.size(); ++n)
    farthest = std::max(farthest, std::abs(after[n] - start[n] - euler[static_cast<int>(n % 3)]));
  EXPECT_LT(farthest, n_steps * 8.0 * epsilon * 0.02 + n_steps * epsilon * u.norm() * simulation.time());
  EXPECT_EQ(simulation.report().particles, before.count);
}

}  // namespace
}  // namespace freshet
