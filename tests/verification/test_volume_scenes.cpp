// SPDX-License-Identifier: Apache-2.0
// Beside reseeding and walls that let go.
// ranks: 1 2 4
// timeout: 900
#include "support/nightly.hpp"
#include "volume_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace freshet::test {
namespace {

/// Reseeding as in the literature would fill up the film on the sphere until it is as thick as a cell.
TEST(Volume, liquid_poured_on_a_sphere_keeps_it) {
  const std::string path = FRESHET_SOURCE_DIR "/inputs/pour_on_sphere.toml";
  Simulation simulation(world(), parse_parameters(read_text_file(path), path));
  run_until(simulation, nightly() && world().size() <= 2 ? 4.0 : 2.0);  // there may be fewer cores than ranks
  const auto seeded = static_cast<double>(simulation.seeding().seeded);
  const double volume = seeded / simulation.particles_per_cell() * simulation.domain().cell_volume();
  const double particles = static_cast<double>(simulation.report().particles) / seeded;
  simulation.label();
  simulation.measure_particles();
  const double of_volume = simulation.report().volume / volume;
  report("poured on a sphere: particles and volume, of those poured", {particles, of_volume});
  EXPECT_NEAR(particles, 1.0, 0.005);
  EXPECT_NEAR(of_volume, 1.0, 0.01);
}

TEST(Volume, flat_dam_with_a_level_set_keeps_it) {
  const Drift drift =
      drift_of(flat_dam + correction + sticky_walls + "[labels]\nsurface = \"level_set\"\n", nightly() ? 20.0 : 3.0);
  report("2-D dam with a level set, corrected: drift of volume", {drift.volume});
  EXPECT_LT(std::abs(drift.volume), 0.01);  // a cell is 0.2 %
}

const std::string separating_walls = "[pressure.walls]\ncondition = \"separating\"\n";

TEST(Volume, dam_between_separating_walls_keeps_it_too) {
  const double end = nightly() ? 20.0 : 8.0;
  const Drift drift = drift_of(dam + correction + separating_walls + at_voxels, end);
  report("3-D dam, separating walls, corrected: drift of volume and height", {drift.volume, drift.height});
  EXPECT_LT(std::abs(drift.volume), 0.01);
  if (nightly()) {  // the pool is level
    EXPECT_LT(std::abs(drift.height), 0.01);
  }
}

TEST(Volume, dam_with_a_level_set_between_separating_walls_keeps_it) {
  const Drift drift = drift_of(dam + correction + separating_walls, nightly() ? 20.0 : 3.0);
  report("3-D dam with a level set, separating walls, corrected: drift of volume and height",
         {drift.volume, drift.height});
  EXPECT_LT(std::abs(drift.volume), 0.01);  // the water still swings after 20 s, so that its height says nothing
}

}  // namespace
}  // namespace freshet::test
