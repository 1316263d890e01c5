// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/prescribed.hpp"
#include "support/case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

Return run(int n) {
  Simulation simulation(world(), enright_case(n));
  std::map<ParticleId, Vec3> before;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) { before[id] = x; });
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
  std::map<ParticleId, Vec3> after;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) { after[id] = x; });
  double sum = 0.0;  // of particles that came back to the rank they began on; blocks are owned alike at the ends
  GlobalIndex count = 0;
  for (const auto& [id, x] : after) {
    const auto found = before.find(id);
    if (found == before.end()) continue;
    sum += (x - found->second).norm();
    ++count;
  }
  EXPECT_EQ(simulation.report().particles, simulation.seeding().seeded);
  EXPECT_GT(world().sum(count), simulation.seeding().seeded / 2);
  result.mean = world().sum(sum) / static_cast<double>(world().sum(count));
  return result;
}

TEST(Enright, particles_come_back_with_second_order) {
  const Return coarse = run(16);
  const Return fine = run(32);
  report("mean way from the start [m] at 16^3 and 32^3, farthest from the centre [m]",
         {coarse.mean, fine.mean, fine.farthest});
  report("blocks at 32^3, at the start and drawn out",
         {static_cast<double>(fine.blocks), static_cast<double>(fine.most_blocks)});
  EXPECT_GT(fine.farthest, 0.45);  // three times the radius: the sheet nearly fills the cube's width
  EXPECT_LT(fine.mean, 0.1 / 32);  // a tenth of a cell; the field is the same both ways, so most errors go back as well
  EXPECT_LT(fine.mean, coarse.mean / 3.0);  // dt and dx are halved
}

}  // namespace
}  // namespace freshet::test
