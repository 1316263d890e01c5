// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 8
#include "support/case.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
[fluid]
gravity = [0.0, -9.81, 0.5]
[[liquid]]
shape = "sphere"
center = [0.2, 1.0, 0.2]
radius = 0.12
velocity = [0.7, 0.0, 0.0]
)";

TEST(FreeFall, every_particle_follows_the_parabola_until_contact) {
  Simulation simulation(world(), make_case(ball));
  const Vec3 u_0(0.7, 0.0, 0.0);
  const Vec3 a(0.0, -9.81, 0.5);
  const double floor_time = std::sqrt(2.0 * (1.0 - 0.12) / 9.81);
  const ParticleSums before = simulation.report().sums;
  int n_steps = 0;
  Vec3 euler = Vec3::Zero();  // way of the scheme: x += dt u^{n+1}
  Vec3 u = u_0;
  while (simulation.time() < 0.7 * floor_time) {
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
  // a rounding of the particle's real type a step, at the speed reached, and one for each of the 8 weights' sums
  const double epsilon = std::numeric_limits<ParticleReal>::epsilon();
  EXPECT_LT(world().max(largest), n_steps * epsilon * u.norm() * 8.0);
  // positions are rounded once a step to a float of up to 8 cells
  const Vec3 way = simulation.report().sums.center_of_mass - before.center_of_mass;
  EXPECT_LT((way - euler).norm(), n_steps * 8.0 * epsilon * 0.02 + n_steps * epsilon * u.norm() * simulation.time());
  EXPECT_EQ(simulation.report().particles, before.count);
}

}  // namespace
}  // namespace freshet
