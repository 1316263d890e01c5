// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

/// Liquid in the last corner of a domain of 2^36 cells, of which few blocks exist.
namespace freshet {
namespace {

using test::case_text;
using test::for_each_particle;
using test::make_case;
using test::reproducible;
using test::world;

/// A block of liquid in the corner of a cube of n cells an edge, which it leaves along x.
std::string corner(int n) {
  constexpr double dx = 0.015625;
  const double end = n * dx;
  return case_text({n, n, n}, dx, reproducible) + fmt::format(R"(
[fluid]
gravity = [-3.0, 9.81, 1.0]
[particles]
jitter = 0.0
[[liquid]]
shape = "box"
lower = [{0}, {0}, {0}]
upper = [{1}, {1}, {1}]
velocity = [-0.5, 0.0, 0.0]
)",
                                                              end - 0.25, end);
}

/// Sums over all particles of their positions, seen from the corner, and of their velocities.
struct Sums {
  double count = 0.0;
  Vec3 position = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();
};
Sums sums_of(const Simulation& simulation, double end) {
  Sums sums;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
    sums.count += 1.0;
    sums.position += x - Vec3::Constant(end);
    sums.velocity += u;
  });
  sums.count = world().sum(sums.count);
  for (int d = 0; d < 3; ++d) {
    sums.position[d] = world().sum(sums.position[d]);
    sums.velocity[d] = world().sum(sums.velocity[d]);
  }
  return sums;
}

TEST(LargeDomain, holds_liquid_in_its_last_corner_as_a_small_one_does) {
  Simulation small(world(), make_case(corner(64)));
  Simulation large(world(), make_case(corner(4096)));
  for (int step = 0; step < 10; ++step) {
    const double dt = small.largest_dt();
    EXPECT_NEAR(large.largest_dt(), dt, 1e-12 * dt);
    small.advance(dt);
    large.advance(dt);
  }
  const Sums of_small = sums_of(small, 1.0);
  const Sums of_large = sums_of(large, 64.0);
  EXPECT_EQ(of_small.count, 8.0 * 16 * 16 * 16);
  EXPECT_EQ(of_large.count, of_small.count);
  const double moved = (of_small.position / of_small.count + Vec3::Constant(0.125)).cwiseAbs().maxCoeff();
  const double apart = (of_large.position - of_small.position).norm() / of_small.count;
  const double faster = (of_large.velocity - of_small.velocity).norm() / of_small.count;
  test::report("moved [m], apart [m], faster [m/s]", {moved, apart, faster});
  EXPECT_GT(moved, 0.015625);
  EXPECT_LT(apart, 1e-9);
  EXPECT_LT(faster, 1e-7);
  EXPECT_EQ(large.report().liquid_cells, small.report().liquid_cells);
}

}  // namespace
}  // namespace freshet
