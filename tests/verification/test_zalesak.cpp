// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// nightly: 1 3
#include "freshet/fluid/prescribed.hpp"
#include "support/case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

/// Zalesak's test on particles: a notched disk comes back after one turn.
namespace freshet::test {
namespace {

/// Largest distance of a particle from where it started, after one turn. [m]
double farthest_after_a_turn(int n) {
  Simulation simulation(world(), make_case(fmt::format(R"(
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [{0}, {0}]
cell_size = {1}
[fluid]
gravity = [0, 0]
[motion]
field = "zalesak"
[[liquid]]
shape = "difference"
parts = [{{ shape = "cylinder", start = [0.5, 0.75, -1.0], end = [0.5, 0.75, 1.0], radius = 0.15 }},
         {{ shape = "box", lower = [0.475, 0.0, -1.0], upper = [0.525, 0.85, 1.0] }}]
)",
                                                       n, 1.0 / n)));
  const auto positions = [&] {
    std::vector<double> all(2 * static_cast<std::size_t>(simulation.seeding().seeded), 0.0);
    for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId id) {
      all[2 * id] = x.x();
      all[2 * id + 1] = x.y();
    });
    world().sum_in_place(all);
    return all;
  };
  const std::vector<double> before = positions();
  run_until(simulation, zalesak_period);
  EXPECT_EQ(simulation.report().particles, simulation.seeding().seeded);
  const std::vector<double> after = positions();
  double farthest = 0.0;
  for (std::size_t p = 0; p < after.size(); p += 2)
    farthest = std::max(farthest, std::hypot(after[p] - before[p], after[p + 1] - before[p + 1]));
  return farthest;
}

// The velocity is linear, so that its interpolation is exact and the scheme of third order alone errs.
TEST(Zalesak, the_disk_comes_back_with_third_order) {
  const double coarse = farthest_after_a_turn(25);
  const double fine = farthest_after_a_turn(50);
  report("farthest particle from its start [m] at 25^2 and 50^2", {coarse, fine});
  EXPECT_LT(fine, 0.05 / 100);    // a hundredth of the notch
  EXPECT_GT(coarse / fine, 6.0);  // 2^3, with steps that do not quite halve
}

}  // namespace
}  // namespace freshet::test
