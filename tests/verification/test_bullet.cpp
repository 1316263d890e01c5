// SPDX-License-Identifier: Apache-2.0
// Fast bodies through liquid, for long.
// timeout: 900
// ranks: 1 2 4
#include "support/body_distance.hpp"
#include "support/nightly.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace freshet {
namespace {

using test::make_case;
using test::position_rounding;
using test::report;
using test::smallest_distance;
using test::world;

/// Look for particles in the bullet after each of 300 steps, at night of 1000.
void shoot(Simulation& simulation, const char* what) {
  const GlobalIndex n = simulation.report().particles;
  const int n_steps = test::nightly() ? 1000 : 300;
  double smallest = 1.0;
  for (int step = 0; step < n_steps; ++step) {
    simulation.advance(simulation.largest_dt());
    smallest = std::min(smallest, smallest_distance(simulation));
  }
  report(what, {simulation.time(), smallest / simulation.domain().dx()});
  EXPECT_EQ(simulation.report().particles, n);
  EXPECT_GT(smallest, -position_rounding);
}

/// The scene of the papers, until long after the bullet has left it.
TEST(Bullet, no_particle_is_inside_the_bullet_of_the_papers) {
  const std::string path = FRESHET_SOURCE_DIR "/inputs/papers/000_5_bullet.toml";
  Simulation simulation(world(), parse_parameters(read_text_file(path), path, {"run.end_time=100.0"}));
  shoot(simulation, "the papers' bullet: time after the last step, smallest distance in cells");
}

/// Again and again, from all sides at several cells a step.
TEST(Bullet, no_particle_is_inside_a_bullet_that_comes_again) {
  Simulation simulation(world(), make_case(R"(
[run]
end_time = 100.0
[domain]
cells = [24, 24, 24]
cell_size = 0.041666666666666664
[time]
cfl = 5.0
max_dt = 0.01
[[liquid]]
shape = "box"
lower = [0.2, 0.0, 0.2]
upper = [0.8, 0.5, 0.8]
[[solid]]
shape = "sphere"
center = [0.5, 0.2, 0.5]
radius = 0.1
keyframes = [[0.0, 0, 0, 0], [0.2, 0, 0, 1.0], [0.6, 0, 0.3, -1.0], [0.8, 0.3, 0, 0], [1.0, -0.3, 0.1, 0], [2.0, 0, 0, 0],
  [3.0, 0, -0.1, 0.3], [4.0, 0.3, 0.2, -0.3], [5.0, 0, 0, 0], [6.0, 0, 0, 0.9], [7.0, 0, 0, -0.9], [8.0, 0, 0, 0]]
)"));
  shoot(simulation, "a bullet: time after the last step, smallest distance in cells");
}

}  // namespace
}  // namespace freshet
