// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// nightly: 1
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// Particles have the viscosity of their tag: fluid.viscosity is that of tags without one of their own.
namespace freshet {
namespace {

/// Of each step.
struct Numbers {
  double kinetic_energy = 0.0;
  GlobalIndex viscous_iterations = 0;
  GlobalIndex iterations = 0;
  bool operator==(const Numbers&) const = default;
};

/// A ball falls into a pool; both have a viscosity of their own. [Pa s]
std::vector<Numbers> run(double of_pool, double of_ball, double of_nobody) {
  Simulation simulation(
      test::world(), test::make_case(test::case_text({32, 40}, 0.05, test::reproducible) +
                                     fmt::format("[fluid]\nviscosity = {}\n"
                                                 "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [1.6, 0.72]\n"
                                                 "tag = 1\nviscosity = {}\n"
                                                 "[[liquid]]\nshape = \"sphere\"\ncenter = [0.6, 1.1]\nradius = 0.277\n"
                                                 "tag = 2\nvelocity = [-0.83, -1.5]\nviscosity = {}\n",
                                                 of_nobody, of_pool, of_ball)));
  std::vector<Numbers> steps;
  for (int n = 0; n < 8; ++n) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    steps.push_back({report.sums.kinetic_energy, report.viscosity.iterations, report.projection.solve.iterations});
  }
  return steps;
}

TEST(Viscosities, one_that_no_liquid_has_changes_no_bit) {
  for (const auto& [of_pool, of_ball] : {std::pair{0.5, 0.5}, std::pair{0.5, 30.0}, std::pair{0.0, 0.0}}) {
    SCOPED_TRACE(fmt::format("{} and {} Pa s", of_pool, of_ball));
    const std::vector<Numbers> without = run(of_pool, of_ball, 0.0);
    EXPECT_EQ(run(of_pool, of_ball, 1e4), without);
    EXPECT_EQ(without.back().viscous_iterations > 0, of_pool > 0.0);
  }
}

/// Eddies over a floor with no slip, in a pool that a source fills; all particles have tag 1, whose viscosity the pool
/// says. \param[in] of_nobody  fluid.viscosity [Pa s]
std::vector<Numbers> run_turbulent(double of_nobody) {
  Simulation simulation(
      test::world(), test::make_case(test::case_text({32, 24}, 0.05, test::reproducible) +
                                     fmt::format("[fluid]\nviscosity = {}\n[domain.boundary]\ny_low = \"no_slip\"\n"
                                                 "[turbulence]\nmodel = \"smagorinsky\"\n"
                                                 "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [0.8, 0.72]\n"
                                                 "tag = 1\nviscosity = 0.001\n"
                                                 "[[source]]\nshape = \"box\"\nlower = [1.2, 0.8]\nupper = [1.4, 0.9]\n"
                                                 "velocity = [0, -1]\ntag = 1\n",
                                                 of_nobody)));
  std::vector<Numbers> steps;
  for (int n = 0; n < 8; ++n) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    steps.push_back({report.sums.kinetic_energy, report.viscosity.iterations, report.projection.solve.iterations});
  }
  return steps;
}

TEST(Viscosities, one_that_no_source_has_changes_no_bit_of_turbulent_water) {
  EXPECT_EQ(run_turbulent(10.0), run_turbulent(0.001));
}

/// Kinetic energy of a sheared square of honey after three steps; it ends a fifth of a cell before cell 24. [J]
double sheared_beside_an_open_side(int cells) {
  Simulation simulation(test::world(), test::make_case(test::case_text({cells, 32}, 0.05, test::reproducible) + R"(
[domain.boundary]
x_high = "open"
[fluid]
viscosity = 1000.0
gravity = [0, 0]
[time]
max_dt = 0.005
[[liquid]]
shape = "box"
lower = [0.6, 0.6]
upper = [0.9, 1.1]
velocity = [0.0, 1.0]
[[liquid]]
shape = "box"
lower = [0.9, 0.6]
upper = [1.19, 1.1]
velocity = [0.0, -1.0]
)"));
  for (int n = 0; n < 3; ++n) simulation.advance(simulation.largest_dt());
  return simulation.report().sums.kinetic_energy;
}

TEST(Viscosities, do_not_reach_beyond_an_open_side) {
  const double far = sheared_beside_an_open_side(32);
  test::report("energy of honey beside an open side of 24, 28 and 32 cells [J]",
               {sheared_beside_an_open_side(24), sheared_beside_an_open_side(28), far});
  for (const int cells : {24, 28}) EXPECT_NEAR(sheared_beside_an_open_side(cells), far, 0.01 * far) << cells;
}

}  // namespace
}  // namespace freshet
