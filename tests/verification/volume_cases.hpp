// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

/// What seconds of sloshing and settling do to the volume of a liquid. Volume is what liquid_volume() says, and, once
/// the pool is level, twice the height of its centre of mass times the floor's area.
namespace freshet::test {

const std::string dam = case_text({32, 32, 16}, 0.03125) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.4, 0.75, 0.5]
)";
const std::string flat_dam = case_text({64, 52}, 0.015625) + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.25, 0.5]
)";
const std::string correction = "[density]\ncorrection = \"implicit\"\n";

struct Drift {
  double volume;  ///< liquid_volume() over that of the particles, less 1
  double height;  ///< of the centre of mass over that of a level pool, less 1
};

/// After `end` seconds.
inline Drift drift_of(const std::string& text, double end = 20.0) {
  const Parameters parameters = make_case(text);
  Simulation simulation(world(), parameters);
  run_until(simulation, end);
  simulation.label();
  simulation.measure_particles();
  const auto particles = static_cast<double>(simulation.report().particles);
  const Domain& domain = simulation.domain();
  const double volume = particles / simulation.particles_per_cell() * domain.cell_volume();
  const double depth = volume / (domain.cells()[0] * domain.cells()[2] * std::pow(domain.dx(), 2));
  EXPECT_EQ(simulation.report().particles, simulation.seeding().seeded);
  return {simulation.report().volume / volume - 1.0, simulation.report().sums.center_of_mass[1] / (0.5 * depth) - 1.0};
}

}  // namespace freshet::test
