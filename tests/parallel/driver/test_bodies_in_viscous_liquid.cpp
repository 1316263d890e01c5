// SPDX-License-Identifier: Apache-2.0
// Bodies that viscous liquid moves.
// timeout: 900
// nightly: 1 2 4 8
#include "support/floating.hpp"
#include "support/liquid_momentum.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

/// Momentum of the liquid and of its bodies.
struct Momenta {
  Vec3 liquid = Vec3::Zero();
  Vec3 bodies = Vec3::Zero();
};

/// The liquid's momentum by the open parts of faces, as in the energies whose minima pressure and stress find.
Momenta momenta_of(const Simulation& simulation, const FaceField<double>& velocity) {
  Momenta sum;
  sum.liquid = test::liquid_momentum(simulation, velocity);
  for (int n = 0; n < simulation.free_bodies().count(); ++n)
    sum.bodies += simulation.free_bodies().body(n).mass.mass * simulation.free_bodies().velocity(n).head<3>();
  return sum;
}

/// Two bodies in a full periodic box whose liquid moves: a ball that cuts cells, and a box of whole cells that turns.
/// \param[in] viscosity  [Pa s]
std::string two_bodies(int dimension, const std::string& slip, const std::string& coupling, double viscosity) {
  const bool is_flat = dimension == 2;
  const auto point = [is_flat](const std::string& xy, const std::string& z) {
    return "[" + xy + (is_flat ? "" : ", " + z) + "]\n";
  };
  std::string text = (is_flat ? case_text({32, 32}, 0.03125) : case_text({32, 32, 16}, 0.03125)) + test::at_voxels +
                     test::full_periodic_box(dimension) + "velocity = " + point("1, 0.5", "-0.25");
  text.replace(text.find("[fluid]\n"), 8, fmt::format("[fluid]\nviscosity = {}\n", viscosity));
  return text + "[viscosity]\ntolerance = 1e-7\ncoupling = \"" + coupling +
         "\"\n[[solid]]\nshape = \"sphere\"\ncenter = " + point("0.4, 0.5", "0.25") +
         "radius = 0.17\nbody.density = 200\nbody.velocity = " + point("-1, 0", "0") + "slip = \"" + slip +
         "\"\n[[solid]]\nshape = \"box\"\nlower = " + point("0.7, 0.4", "0.1") +
         "upper = " + point("0.95, 0.6", "0.3") +
         "body.density = 3000\nbody.angular_velocity = [0, 0, 90]\nsurface = \"voxels\"\n" + "slip = \"" + slip +
         "\"\n";
}

/// \return largest change of momentum in a step, over the liquid's
double lost_momentum(const std::string& text, double dt, int n_steps) {
  Simulation simulation(world(), make_case(text));
  double worst = 0.0;
  for (int step = 0; step < n_steps; ++step) {
    simulation.begin_step();
    simulation.deposit_velocity();
    simulation.label();
    simulation.apply_forces(dt);
    const Momenta before = momenta_of(simulation, simulation.fields().velocity_old);
    EXPECT_EQ(simulation.project(dt), "");
    const Momenta after = momenta_of(simulation, simulation.velocity());
    EXPECT_TRUE(simulation.cancel_step());
    const Vec3 gained = after.bodies - before.bodies, lost = before.liquid - after.liquid;
    EXPECT_GT(gained.norm(), 1e-3);
    worst = std::max(worst, (gained - lost).norm() / before.liquid.norm());
    simulation.advance(dt);
  }
  return worst;
}

TEST(BodiesInViscousLiquid, gain_the_momentum_that_the_liquid_loses) {
  constexpr double dt = 2e-3;
  for (const int dimension : {2, 3})
    for (const std::string slip : {"no_slip", "free_slip"})
      for (const auto& [coupling, number] :
           {std::pair("split", 5e-4), std::pair("split", 0.5), std::pair("stokes", 0.5), std::pair("stokes", 50.0)}) {
        // in space one of each is enough
        if (dimension == 3 && number != (slip == "no_slip" ? 50.0 : 5e-4)) continue;
        const double viscosity = number * 1000.0 * 0.03125 * 0.03125 / dt;
        const double lost = lost_momentum(two_bodies(dimension, slip, coupling, viscosity), dt, 1);
        SCOPED_TRACE(fmt::format("{}-D, {}, {}, {}", dimension, slip, coupling, number));
        report("momentum: error of a step over the liquid's", {static_cast<double>(dimension), number, lost});
        EXPECT_LT(lost, 1e-7);
      }
}

/// A ball and a box without slip that fall into viscous liquid. \param[in] viscosity  [Pa s]
std::string viscous_splash(const std::string& coupling, double viscosity) {
  std::string text = test::splash_of_bodies;
  for (const char* const density : {"body.density = 300\n", "body.density = 600\n"})
    text.replace(text.find(density), std::string(density).size(), std::string(density) + "slip = \"no_slip\"\n");
  return text + fmt::format("[fluid]\nviscosity = {}\n[viscosity]\ncoupling = \"{}\"\n", viscosity, coupling);
}

TEST(BodiesInViscousLiquid, have_the_same_bits_on_any_number_of_ranks) {
  test::expect_same_bodies_on_any_ranks(viscous_splash("stokes", 20.0), 5);
  test::expect_same_bodies_on_any_ranks(viscous_splash("stokes", 0.01), 5);
}

TEST(BodiesInViscousLiquid, go_on_from_a_restart_with_the_same_bits) {
  test::expect_same_bodies_after_a_restart(viscous_splash("stokes", 20.0), 3, 2);
  test::expect_same_bodies_after_a_restart(viscous_splash("stokes", 0.01), 3, 2);
}

/// Impulses of a trial do not last beyond it.
TEST(BodiesInViscousLiquid, a_step_that_is_not_taken_leaves_no_impulse) {
  for (const double viscosity : {20.0, 0.01}) {
    Simulation direct(world(), make_case(viscous_splash("stokes", viscosity)));
    Simulation tried(world(), make_case(viscous_splash("stokes", viscosity)));
    for (int step = 0; step < 2; ++step) {
      direct.advance(2e-3);
      tried.begin_step();
      tried.deposit_velocity();
      tried.label();
      tried.apply_forces(5e-3);
      EXPECT_EQ(tried.project(5e-3), "");
      EXPECT_TRUE(tried.cancel_step());
      tried.advance(2e-3);
    }
    for (int n = 0; n < 2; ++n)
      EXPECT_LT((direct.free_bodies().velocity(n) - tried.free_bodies().velocity(n)).norm(), 1e-4);
  }
}

}  // namespace
}  // namespace freshet
