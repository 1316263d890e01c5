// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
#include "freshet/fluid/prescribed.hpp"
#include "support/case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// The Enright test on particles: a ball drawn out into a sheet comes back to where it was.
namespace freshet::test {
namespace {

Parameters enright_case(int n) {
  return make_case(fmt::format(R"(
[run]
end_time = 3.0
[domain]
cells = [{0}, {0}, {0}]
cell_size = {1}
[fluid]
gravity = [0, 0, 0]
[motion]
field = "enright"
[[liquid]]
shape = "sphere"
center = [0.35, 0.35, 0.35]
radius = 0.15
)",
                               n, 1.0 / n));
}

struct Return {
  double mean = 0.0;       ///< way between the particles' places at the ends [m]
  double farthest = 0.0;   ///< from the ball's centre, in the middle of the time [m]
  GlobalIndex blocks = 0;  ///< at the start
  GlobalIndex most_blocks = 0;
};

/// Of all particles on all ranks, by id. [m]
std::vector<double> positions(const Simulation& simulation) {
  std::vector<double> all(3 * static_cast<std::size_t>(simulation.seeding().seeded), 0.0);
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) {
    for (std::size_t d = 0; d < 3; ++d) all[3 * id + d] = x[static_cast<int>(d)];
  });
  world().sum_in_place(all);
  return all;
}

Return run(int n) {
  Simulation simulation(world(), enright_case(n));
  const std::vector<double> before = positions(simulation);
  Return result;
  result.blocks = simulation.report().blocks;
  run_until(simulation, 0.5 * enright_period);
  double farthest = 0.0;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) {
    farthest = std::max(farthest, (x - Vec3::Constant(0.35)).norm());
  });
  result.farthest = world().max(farthest);
  result.most_blocks = simulation.report().blocks;
  run_until(simulation, enright_period);
  EXPECT_EQ(simulation.report().particles, simulation.seeding().seeded);
  const std::vector<double> after = positions(simulation);
  for (std::size_t p = 0; p < after.size(); p += 3)
    result.mean += Vec3(after[p] - before[p], after[p + 1] - before[p + 1], after[p + 2] - before[p + 2]).norm();
  result.mean /= static_cast<double>(after.size() / 3);
  return result;
}

TEST(Enright, particles_come_back_with_second_order) {
  const Return coarse = run(16);
  const Return fine = run(32);
  report("mean way from the start [m] at 16^3 and 32^3, farthest from the centre [m]",
         {coarse.mean, fine.mean, fine.farthest});
  report("blocks at 32^3, at the start and drawn out",
         {static_cast<double>(fine.blocks), static_cast<double>(fine.most_blocks)});
  EXPECT_GT(fine.farthest, 0.45);    // three times the radius: the sheet nearly fills the cube's width
  EXPECT_LT(fine.mean, 0.003 / 32);  // 0.2 % of a cell: the field is the same both ways, so most errors go back as well
  EXPECT_LT(fine.mean, coarse.mean / 3.0);  // dt and dx are halved
}

}  // namespace
}  // namespace freshet::test
