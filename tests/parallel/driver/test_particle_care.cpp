// SPDX-License-Identifier: Apache-2.0
// The parts of particle care by themselves; runs with them stand in test_reseeding, test_density and test_distribution.
#include "freshet/driver/particle_care.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

TEST(ParticleCare, does_nothing_that_is_not_asked_for) {
  ParticleCare::Options options;
  options.density.correction = DensityMethod::off;
  const ParticleCare care(world(), options);
  EXPECT_FALSE(care.reseeds());
  EXPECT_FALSE(care.corrects_positions());
  EXPECT_EQ(care.largest_correction(), 0.0);
}

TEST(ParticleCare, says_how_far_it_moves_particles) {
  ParticleCare::Options options;
  options.density.correction = DensityMethod::implicit;
  options.density.max_displacement = 0.25;
  EXPECT_EQ(ParticleCare(world(), options).largest_correction(), 0.25);
  options.distribution.enabled = true;
  EXPECT_DOUBLE_EQ(ParticleCare(world(), options).largest_correction(), 0.35);
  options.density.correction = DensityMethod::off;
  EXPECT_EQ(ParticleCare(world(), options).largest_correction(), 0.1);
}

TEST(ParticleCare, puts_particles_that_are_stuck_in_a_solid_back_into_the_liquid) {
  Simulation simulation(world(), make_case(case_text({16, 16, 16}, 0.1) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [1.6, 0.8, 1.6]
[[solid]]
shape = "box"
lower = [1.2, 0, 1.2]
upper = [1.6, 0.4, 1.6]
)"));
  FlowFields flow;
  flow.carry_to(simulation.layout(), simulation.scene().bodies(), 0.0);
  ParticleStore& particles = simulation.particles();
  const BlockLayout& layout = simulation.layout();
  GlobalIndex placed = 0;  // one particle of each block is put into the solid, wherever the block is
  const Vec3 inside(1.4, 0.2, 1.4);
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const ParticleIndex p = particles.block_begin()[b];
    if (p == particles.block_begin()[b + 1]) continue;
    if ((layout.first_cell(b).array() != Vec3i(8, 0, 8).array()).any()) continue;
    for (int d = 0; d < 3; ++d)
      particles.position()[3 * p + d] = static_cast<ParticleReal>(inside[d] / 0.1 - layout.first_cell(b)[d]);
    ++placed;
  }
  const ParticleCare care(world(), {});
  const StuckReport freed = care.free_stuck(flow, 0.0, 1, particles);
  EXPECT_EQ(freed.repositioned, world().sum(placed));
  EXPECT_EQ(freed.repositioned, 1);
  EXPECT_EQ(freed.left, 0);
}

}  // namespace
}  // namespace freshet
