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

/// A periodic tank under a wind from rest.
struct Tank {
  const char* method;
  double depth;
  int columns = 32;    ///< of cells
  double until = 1.5;  ///< [s]
  int seed = 0;
};

/// Momentum of the water / what drag along its surface has given.
double share_passed_on(const Tank& tank) {
  const Parameters parameters = make_case(
      test::case_text({tank.columns, 24}, cell_size, fmt::format("seed = {}\n", tank.seed)) +
      fmt::format("boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\n"
                  "[fluid.wind]\nvelocity = [{}, 0]\n[density]\ncorrection = \"implicit\"\n"
                  "[transfer]\nmethod = \"{}\"\n[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [{}, {}]\n",
                  wind, tank.method, tank.columns * cell_size, tank.depth));
  Simulation simulation(world(), parameters);
  test::run_until(simulation, tank.until);
  double sum = 0.0;
  double n_particles = 0.0;
  test::for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
    sum += u[0];
    n_particles += 1.0;
  });
  const WindOptions& drag = std::get<WindOptions>(parameters.forces);
  const double stress = drag.drag * drag.density * wind * wind;  // [Pa]; the surface's own speed makes it 0.5 % less
  return world().sum(sum) / world().sum(n_particles) * parameters.fluid.density * tank.depth /
         (stress * simulation.time());
}

TEST(Wind, water_gains_the_momentum_that_the_drag_gives) {
  const double aligned = 0.3;
  for (const double part_of_a_cell : {0.0, 0.2, 0.4, 0.6, 0.8}) {
    const double flip = share_passed_on({"flip", aligned + part_of_a_cell * cell_size});
    test::report("part of a cell that the surface lies above a face, momentum gained from the wind / given (FLIP)",
                 {part_of_a_cell, flip});
    EXPECT_NEAR(flip, 1.0, 0.06);
  }
  const double apic = share_passed_on({"apic", aligned});
  test::report("the same with APIC, at a face", {apic});
  EXPECT_NEAR(apic, 1.0, 0.02);
}

/// The current is a layer of one or two cells then, and cells of air have particles that are faster than the liquid
/// below. Runs differ by chance by a tenth and more: the limit holds for the mean over seeds.
TEST(Wind, water_of_apic_keeps_the_momentum_of_a_thin_current) {
  constexpr int n_seeds = 16;
  for (const double part_of_a_cell : {0.0, 0.55, 0.6}) {
    double share = 0.0;
    for (int seed = 0; seed < n_seeds; ++seed)
      share += share_passed_on({"apic", 0.3 + part_of_a_cell * cell_size, 64, 3.0, seed}) / n_seeds;
    test::report("part of a cell that the surface lies above a face, mean momentum after 3 s / given (APIC)",
                 {part_of_a_cell, share});
    EXPECT_NEAR(share, 1.0, 0.12);  // with the liquid's velocity in the air: 0.4 at 0.55 and 0.6
  }
}

/// What particles take from faces in the air does not feed the flow of a violent surface.
TEST(Wind, dam_of_apic_breaks_as_without_it) {
  const auto energy_left = [](double speed) {
    Simulation simulation(
        world(), make_case(test::case_text({64, 48}, 0.0156) +
                           fmt::format("[fluid.wind]\nvelocity = [{}, 0]\n[transfer]\nmethod = \"apic\"\n[[liquid]]\n"
                                       "shape = \"box\"\nlower = [0, 0]\nupper = [0.25, 0.5]\n",
                                       speed)));
    const auto energy = [&] {
      return simulation.report().sums.kinetic_energy + simulation.report().sums.potential_energy;
    };
    const double before = energy();
    test::run_until(simulation, 0.7);
    return energy() / before;
  };
  const double without = energy_left(0.0);
  const double with = energy_left(0.5);
  test::report("energy left of a dam without and with a light wind", {without, with});
  EXPECT_NEAR(with, without, 0.03);
}

}  // namespace
}  // namespace freshet
