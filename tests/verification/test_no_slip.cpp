// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr double cell_size = 0.1;  // [m]
constexpr double duration = 2.0;   // [s]

struct Lost {
  double momentum = 0.0;  ///< that a square metre of the floor has taken [kg/(m s)]
  int n_solves = 0;       ///< steps with a viscous solve
};

/// Liquid that slides over a no-slip floor at 1 m/s, and fills a periodic box of 1.6 m x 3.2 m; its density is 1
/// kg/m^3.
Lost lost_to_floor(double viscosity, double max_dt = 1.0) {
  const Parameters parameters = make_case(
      test::case_text({16, 32}, cell_size) +
      fmt::format("boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\nboundary.y_low = \"no_slip\"\n"
                  "[fluid]\ngravity = [0, 0]\ndensity = 1\nviscosity = {}\n[transfer]\nflip_fraction = 0.9\n"
                  "[[liquid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [4, 4]\nvelocity = [1, 0]\n",
                  viscosity) +
      fmt::format("[time]\nmax_dt = {}\n", max_dt));
  Simulation simulation(world(), parameters);
  Lost lost;
  while (simulation.time() < duration - 1e-9) {
    const StepReport report = simulation.advance(std::min(simulation.largest_dt(), duration - simulation.time()));
    lost.n_solves += report.viscosity.iterations > 0 ? 1 : 0;
  }
  double sum = 0.0;
  double n_particles = 0.0;
  test::for_each_particle(simulation, [&](const Vec3&, const Vec3& u, ParticleId) {
    sum += u[0];
    n_particles += 1.0;
  });
  lost.momentum = (1.0 - world().sum(sum) / world().sum(n_particles)) * 32.0 * cell_size;
  return lost;
}

/// A boundary layer of many cells: Stokes' first problem (Batchelor 1967, section 4.3).
TEST(NoSlip, drags_as_much_as_a_resolved_boundary_layer) {
  const double viscosity = 0.05;
  const double exact = 2.0 * std::sqrt(viscosity * duration / std::numbers::pi);
  const double lost = lost_to_floor(viscosity).momentum;
  test::report("momentum lost to a resolved layer, and in theory", {lost, exact});
  EXPECT_NEAR(lost, exact, 0.03 * exact);
}

/// A layer of an eighth of a cell: the stress of the first cell's velocity over half a cell, and nothing else, drags
/// it.
TEST(NoSlip, drags_no_more_than_viscosity_does_where_the_layer_is_thinner_than_a_cell) {
  const double viscosity = 1e-4;
  const double rate = viscosity / (0.5 * cell_size * cell_size);  // at which the first cell slows down [1/s]
  const double exact = cell_size * (1.0 - std::exp(-rate * duration));
  const double lost = lost_to_floor(viscosity).momentum;
  test::report("momentum lost to a thin layer, and by the stress of half a cell", {lost, exact});
  EXPECT_NEAR(lost, exact, 0.25 * exact);
}

/// Where viscosity dt / (density dx^2) rises above 1e-3, the explicit stress gives way to an implicit one.
TEST(NoSlip, drags_alike_with_an_explicit_and_an_implicit_stress) {
  constexpr double max_dt = 0.04;
  constexpr double at_switch = 1e-3 * cell_size * cell_size / max_dt;
  const Lost thin = lost_to_floor(0.99 * at_switch, max_dt);
  const Lost thick = lost_to_floor(1.01 * at_switch, max_dt);
  test::report("momentum lost to the floor with an explicit and an implicit stress", {thin.momentum, thick.momentum});
  EXPECT_EQ(thin.n_solves, 0);
  EXPECT_GT(thick.n_solves, 45);  // of 50
  // it is in proportion to the viscosity, but for the little that the first cells have slowed down, a tenth
  EXPECT_NEAR(thick.momentum / thin.momentum, 1.01 / 0.99, 0.004);
}

/// Energy of a small dam break after 0.3 s. [J]
double energy_of_dam(const std::string& condition) {
  std::string sides;
  for (const char* side : {"x_low", "x_high", "y_low", "y_high"})
    sides += fmt::format("boundary.{} = \"{}\"\n", side, condition);
  Simulation simulation(world(), make_case(test::case_text({32, 24}, 0.03) + sides +
                                           "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [0.3, 0.5]\n"));
  test::run_until(simulation, 0.3);
  return simulation.report().sums.kinetic_energy;
}

/// An ideal liquid has no stress that could drag it.
TEST(NoSlip, does_not_drag_a_liquid_without_viscosity) {
  const double held = energy_of_dam("no_slip"), free = energy_of_dam("free_slip");
  test::report("dam without viscosity: kinetic energy between walls without slip over that between others",
               {held / free});
  EXPECT_NEAR(held / free, 1.0, 0.01);
}

}  // namespace
}  // namespace freshet
