// SPDX-License-Identifier: Apache-2.0
// Bodies that viscous liquid moves.
// timeout: 900
// nightly: 2 4
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double pi = std::numbers::pi;

/// Momentum of the liquid and of its bodies.
struct Momenta {
  Vec3 liquid = Vec3::Zero();
  Vec3 bodies = Vec3::Zero();
};

/// The liquid's momentum by the open parts of faces, as in the energies whose minima pressure and stress find.
Momenta momenta_of(const Simulation& simulation, const FaceField<double>& velocity) {
  Momenta sum;
  const BlockLayout& layout = simulation.layout();
  const Domain& domain = simulation.domain();
  for (int d = 0; d < domain.dimension(); ++d) {
    ExactSum part;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        part.add(static_cast<double>(simulation.solids().open_fraction()[d].block(b)[c]) * velocity[d].block(b)[c]);
    sum.liquid[d] = 1000.0 * domain.cell_volume() * world().sum(part);
  }
  for (int n = 0; n < simulation.free_bodies().count(); ++n)
    sum.bodies += simulation.free_bodies().body(n).mass.mass * simulation.free_bodies().velocity(n).head<3>();
  return sum;
}

/// Two bodies in a full periodic box whose liquid moves: a ball that cuts cells, and a box of whole cells that turns.
/// \param[in] number  viscosity dt / (density cell_size^2) in the steps of expect_kept_momentum()
std::string two_bodies(int dimension, const std::string& slip, const std::string& coupling, double viscosity) {
  const bool is_flat = dimension == 2;
  const auto point = [is_flat](const std::string& xy, const std::string& z) {
    return "[" + xy + (is_flat ? "" : ", " + z) + "]\n";
  };
  std::string text = (is_flat ? case_text({32, 32}, 0.03125) : case_text({32, 32, 16}, 0.03125)) + test::at_voxels +
                     test::full_periodic_box(dimension) + "velocity = " + point("1, 0.5", "-0.25");
  text.replace(text.find("[fluid]\n"), 8, fmt::format("[fluid]\nviscosity = {}\n", viscosity));
  return text + "[viscosity]\ntolerance = 1e-9\ncoupling = \"" + coupling + "\"\n[[solid]]\nshape = \"sphere\"\ncenter = " +
         point("0.4, 0.5", "0.25") + "radius = 0.17\nbody.density = 200\nbody.velocity = " + point("-1, 0", "0") +
         "slip = \"" + slip + "\"\n[[solid]]\nshape = \"box\"\nlower = " + point("0.7, 0.4", "0.1") + "upper = " +
         point("0.95, 0.6", "0.3") + "body.density = 3000\nbody.angular_velocity = [0, 0, 90]\nsurface = \"voxels\"\n" +
         "slip = \"" + slip + "\"\n";
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
        const double viscosity = number * 1000.0 * 0.03125 * 0.03125 / dt;
        const double lost = lost_momentum(two_bodies(dimension, slip, coupling, viscosity), dt, 2);
        SCOPED_TRACE(fmt::format("{}-D, {}, {}, {}", dimension, slip, coupling, number));
        report("momentum: error of a step over the liquid's", {static_cast<double>(dimension), number, lost});
        EXPECT_LT(lost, 1e-7);
      }
}

}  // namespace
}  // namespace freshet
