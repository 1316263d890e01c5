// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr double wind = 20.0;       // [m/s]
constexpr double cell_size = 0.02;  // [m]

/// A periodic tank under a wind from rest. \return momentum of the water / what drag along its surface has given
double share_passed_on(const char* method, double depth) {
  const Parameters parameters = make_case(
      test::case_text({32, 24}, cell_size) +
      fmt::format("boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\n"
                  "[fluid.wind]\nvelocity = [{}, 0]\n[density]\ncorrection = \"implicit\"\n"
                  "[transfer]\nmethod = \"{}\"\n[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [0.64, {}]\n",
                  wind, method, depth));
  Simulation simulation(world(), parameters);
  test::run_until(simulation, 1.5);
  double sum = 0.0;
  double n_particles = 0.0;
  test::for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
    sum += u[0];
    n_particles += 1.0;
  });
  const WindOptions& drag = parameters.fluid.wind;
  const double stress = drag.drag * drag.density * wind * wind;  // [Pa]; the surface's own speed makes it 0.5 % less
  return world().sum(sum) / world().sum(n_particles) * parameters.fluid.density * depth / (stress * simulation.time());
}

TEST(Wind, water_gains_the_momentum_that_the_drag_gives) {
  const double aligned = 0.3;
  for (const double part_of_a_cell : {0.0, 0.2, 0.4, 0.6, 0.8}) {
    const double flip = share_passed_on("flip", aligned + part_of_a_cell * cell_size);
    test::report("part of a cell that the surface lies above a face, momentum gained from the wind / given (FLIP)",
                 {part_of_a_cell, flip});
    EXPECT_NEAR(flip, 1.0, 0.06);
  }
  const double apic = share_passed_on("apic", aligned);
  test::report("the same with APIC, at a face", {apic});
  EXPECT_NEAR(apic, 1.0, 0.02);
}

}  // namespace
}  // namespace freshet
