// SPDX-License-Identifier: Apache-2.0
// timeout: 600
// nightly: 1 2 4 8
#include "support/alone.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::computed_alone;
using test::make_case;
using test::reproducible;
using test::world;

const std::string dam = case_text({40, 28, 12}, 0.02, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.2, 0.4, 1]
[[solid]]
shape = "sphere"
center = [0.4, 0.03, 0.12]
radius = 0.06
[particles.distribution]
enabled = true
[labels]
method = "density"
[balance]
threshold = 1.02
)";

/// Sums that every bit of a particle's place and velocity enters.
struct Outcome {
  double kinetic_energy = 0.0;
  double potential_energy = 0.0;
  GlobalIndex spread = 0;
  GlobalIndex liquid_cells = 0;
};
Outcome run(const Communicator& comm, const std::string& text, int n_steps) {
  Simulation simulation(comm, make_case(text));
  Outcome outcome;
  for (int n = 0; n < n_steps; ++n) outcome.spread += simulation.advance(simulation.largest_dt()).spread;
  outcome.kinetic_energy = simulation.report().sums.kinetic_energy;
  outcome.potential_energy = simulation.report().sums.potential_energy;
  outcome.liquid_cells = simulation.report().liquid_cells;
  return outcome;
}

TEST(Distribution, dam_by_density_labels_is_the_same_on_any_number_of_ranks) {
  for (const std::string more : {"", "[density]\ncorrection = \"implicit\"\n", "[transfer]\nmethod = \"apic\"\n"}) {
    const Outcome expected =
        computed_alone([&](const Communicator& alone) { return std::vector{run(alone, dam + more, 10)}; }).at(0);
    const Outcome found = run(world(), dam + more, 10);
    EXPECT_GT(expected.spread, 1000);
    EXPECT_EQ(found.spread, expected.spread);
    EXPECT_EQ(found.liquid_cells, expected.liquid_cells);
    EXPECT_EQ(found.kinetic_energy, expected.kinetic_energy);
    EXPECT_EQ(found.potential_energy, expected.potential_energy);
  }
}

/// A drop of one particle is air to the pressure, and falls as a stone does.
TEST(DensityLabels, spray_falls_freely) {
  const std::string text = case_text({16, 32, 16}, 0.1) + R"(
[particles]
jitter = 0
[labels]
method = "density"
[[liquid]]
shape = "box"
lower = [0.8, 2.4, 0.8]
upper = [0.85, 2.45, 0.85]
)";
  Simulation simulation(world(), make_case(text));
  EXPECT_EQ(simulation.report().liquid_cells, 0);
  const double height = simulation.report().sums.center_of_mass[1];
  for (int n = 0; n < 20; ++n) simulation.advance(0.01);
  // steps add g dt to the speed first: the fall is g t (t + dt) / 2
  EXPECT_NEAR(simulation.report().sums.center_of_mass[1], height - 0.5 * 9.81 * 0.2 * 0.21, 1e-5);  // 32-bit numbers
}

}  // namespace
}  // namespace freshet
