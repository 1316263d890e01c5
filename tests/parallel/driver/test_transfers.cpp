// SPDX-License-Identifier: Apache-2.0
// nightly: 2 3 4 8
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

/// Transfers and vortex boost in whole steps of drops that fly without gravity.
namespace freshet {
namespace {

using test::at_voxels;
using test::case_text;
using test::for_each_particle;
using test::full_periodic_box;
using test::make_case;
using test::world;

const std::string disc = case_text({64, 64}, 0.015625) + at_voxels + test::uncorrected + R"(
[fluid]
gravity = [0, 0]
[time]
cfl = 0.5
[[liquid]]
shape = "sphere"
center = [0.5, 0.5]
radius = 0.2
)";

/// sum of (x - middle) x u over all particles, about z.
double angular_momentum(const Simulation& simulation) {
  double sum = 0.0;
  for_each_particle(
      simulation, [&](const Vec3& x, const Vec3& u, ParticleId) { sum += (x[0] - 0.5) * u[1] - (x[1] - 0.5) * u[0]; });
  return world().sum(sum);
}

Vec3 spin(const Vec3& x) {
  return {-(x[1] - 0.5), x[0] - 0.5, 0.0};
}

/// What a disc keeps of its angular momentum in a quarter of a turn.
double kept_in_a_quarter_turn(const std::string& transfer) {
  Simulation simulation(world(), make_case(disc + "[transfer]\n" + transfer));
  simulation.set_particle_velocity(spin);
  const double at_start = angular_momentum(simulation);
  test::run_until(simulation, 1.5707963267948966);
  return angular_momentum(simulation) / at_start;
}

TEST(Transfers, of_a_spinning_disc_keep_its_angular_momentum_but_pic) {
  const double apic = kept_in_a_quarter_turn("method = \"apic\"\n");
  const double flip = kept_in_a_quarter_turn("flip_fraction = 1.0\n");
  const double pic = kept_in_a_quarter_turn("flip_fraction = 0.0\n");
  test::report("share of the angular momentum after a quarter of a turn: APIC, FLIP, PIC", {apic, flip, pic});
  EXPECT_GT(apic, 0.95);          // the voxels of its rim and its motion take some of it, from FLIP as well;
  EXPECT_NEAR(apic, flip, 0.02);  // of the transfers only the first, of particles without slopes yet
  EXPECT_LT(pic, apic - 0.05);
}

/// Mean square of the velocities of each of two tags, over that at the start, after one step.
std::array<double, 2> noise_kept(const std::string& second_liquid) {
  Simulation simulation(world(), make_case(case_text({32, 16, 16}, 0.0625) + R"(
[fluid]
gravity = [0, 0, 0]
[transfer]
flip_per = "step"
[[liquid]]
shape = "box"
lower = [0.25, 0.25, 0.25]
upper = [0.75, 0.75, 0.75]
flip_fraction = 1.0
[[liquid]]
shape = "box"
lower = [1.25, 0.25, 0.25]
upper = [1.75, 0.75, 0.75]
tag = 1
)" + second_liquid));
  std::array<double, 4> sums{};  // by tag: before, after
  const auto add = [&](std::size_t offset) {
    for (ParticleIndex p = 0; p < simulation.particles().size(); ++p)
      for (int d = 0; d < 3; ++d) {
        const double u = simulation.particles().velocity()[3 * p + d];
        sums[offset + simulation.particles().tag()[p]] += u * u;
      }
  };
  simulation.set_particle_velocity([](const Vec3& x) {  // without any pattern on the scale of cells
    return Vec3(std::sin(7919.0 * x[0]), std::sin(7907.0 * x[1] + 3.0 * x[0]), std::sin(7901.0 * x[2] + 5.0 * x[1]));
  });
  add(0);
  simulation.advance(1e-4);
  add(2);
  for (double& sum : sums) sum = world().sum(sum);
  return {sums[2] / sums[0], sums[3] / sums[1]};
}

TEST(Transfers, blend_each_liquid_by_its_own_viscosity_coefficient) {
  const auto [flip, pic] = noise_kept("viscosity_coefficient = 1.0\n");
  const auto [flip_beside, half] = noise_kept("viscosity_coefficient = 0.5\n");
  test::report("share of the noise's energy after a step: FLIP, half, PIC", {flip, half, pic});
  EXPECT_EQ(flip_beside, flip);  // the other liquid is not touched
  EXPECT_GT(flip, 0.6);
  EXPECT_LT(pic, 0.15);  // about a ninth of the noise of 8 particles a cell is left on the grid
  EXPECT_GT(half, pic + 0.05);
  EXPECT_LT(half, flip - 0.2);
}

/// Centre of mass after some steps of two jets that cross, as its bits tell any change of a velocity.
Vec3 center_of_jets(const std::string& share_of_all, const std::string& share_of_jets) {
  const std::string jet = "[[source]]\nshape = \"box\"\n";
  Simulation simulation(
      world(),
      make_case(case_text({24, 24, 24}, 0.05, test::reproducible) + "[transfer]\nflip_fraction = " + share_of_all +
                "\n" + jet + "lower = [0.1, 0.4, 0.4]\nupper = [0.3, 0.7, 0.7]\nvelocity = " + "[2, 0, 0]\ntag = 1\n" +
                share_of_jets + jet + "lower = [0.4, 0.1, 0.4]\nupper = [0.7, 0.3, " +
                "0.7]\nvelocity = [0, 2, 0]\ntag = 2\n" + share_of_jets));
  for (int n = 0; n < 12; ++n) simulation.advance(0.02);
  EXPECT_GT(simulation.report().particles, 1000);
  return simulation.report().sums.center_of_mass;
}

TEST(Transfers, blend_what_sources_bring_by_their_own_viscosity_coefficient) {
  const Vec3 pic = center_of_jets("0.95", "viscosity_coefficient = 1.0\n");
  EXPECT_EQ(pic, center_of_jets("0.0", ""));
  EXPECT_EQ(pic, center_of_jets("0.95", "flip_fraction = 0.0\n"));
  EXPECT_GT((pic - center_of_jets("0.95", "")).norm(), 1e-6);
}

/// A ball in uniform flight with a vortex boost: energy that the boost gives to the grid, over that of the ball.
double gain_in_flight(const std::string& vortex) {
  Simulation simulation(world(), make_case(case_text({24, 24, 24}, 0.05) + R"(
[fluid]
gravity = [0, 0, 0]
[[liquid]]
shape = "sphere"
center = [0.6, 0.6, 0.6]
radius = 0.3
velocity = [1, 0.5, -0.25]
[vortex]
)" + vortex));
  const StepReport report = simulation.advance(simulation.largest_dt());
  EXPECT_LE(report.cfl, 1.0);  // what a boost adds is foreseen by largest_dt()
  return report.boost_energy / report.sums.kinetic_energy;
}

TEST(VortexBoost, by_confinement_is_galilean_invariant_and_by_weights_is_not) {
  EXPECT_EQ(gain_in_flight("boost = 0.0\n"), 0.0);
  // velocities are equal up to the rounding of doubles, 1e-16 of them, a cell's vorticity is 1e-15 u / dx
  EXPECT_LT(std::abs(gain_in_flight("boost = 10.0\n")), 1e-12);
  const double weights = gain_in_flight("boost = 1.0\nmethod = \"weights\"\n");
  test::report("energy that the weights give to a uniform flight, over its own", {weights});
  EXPECT_GT(weights, 0.2);
}

TEST(VortexBoost, reports_the_energy_of_a_step_s_last_trial_only) {
  Simulation simulation(world(), make_case(case_text({24, 24, 24}, 0.05) + R"(
[[liquid]]
shape = "sphere"
center = [0.6, 0.6, 0.6]
radius = 0.4
[vortex]
boost = 10.0
)"));
  simulation.set_particle_velocity(
      [](const Vec3& x) { return Vec3(std::sin(9.0 * x.y()), std::cos(7.0 * x.x()), 0.0); });
  simulation.begin_step();
  simulation.deposit_velocity();
  simulation.label();
  simulation.apply_forces(0.01);
  const double once = simulation.report().boost_energy;
  simulation.apply_forces(0.01);  // the step is tried again
  EXPECT_GT(once, 0.0);
  EXPECT_EQ(simulation.report().boost_energy, once);
  simulation.cancel_step();
}

/// Kinetic energy of a vortex patch after a while, and what the boost gave it. [J]
std::array<double, 2> energies_of_whirls(double boost) {
  Simulation simulation(world(), make_case(case_text({48, 48}, 0.020833333333333332) + full_periodic_box(2) +
                                           R"(
[transfer]
flip_fraction = 0.5
[vortex]
boost = )" + std::to_string(boost)));
  simulation.set_particle_velocity([](const Vec3& x) {
    const Vec3 k = 6.283185307179586 * x;
    return Vec3(std::sin(3.0 * k[0]) * std::cos(3.0 * k[1]), -std::cos(3.0 * k[0]) * std::sin(3.0 * k[1]), 0.0);
  });
  double gained = 0.0;
  while (simulation.time() < 0.2) gained += simulation.advance(simulation.largest_dt()).boost_energy;
  return {simulation.report().sums.kinetic_energy, gained};
}

TEST(VortexBoost, by_confinement_gives_whirls_energy_that_the_grid_takes) {
  const auto [energy, nothing] = energies_of_whirls(0.0);
  const auto [boosted, gained] = energies_of_whirls(2.0);
  test::report("kinetic energy of whirls without and with confinement, energy given [J]", {energy, boosted, gained});
  EXPECT_EQ(nothing, 0.0);
  EXPECT_GT(gained, 0.0);
  EXPECT_GT(boosted, energy);
}

/// In short steps weights amplify what a transfer smooths, so that PIC and APIC are refused; FLIP smooths little.
TEST(VortexBoost, by_weights_leaves_a_dam_of_flip_no_more_energy_than_it_had) {
  for (const std::string boost : {"0.1", "0.3"}) {
    Simulation simulation(world(), make_case(case_text({32, 32}, 0.03) + R"(
[time]
cfl = 0.3
[vortex]
method = "weights"
boost = )" + boost + R"(
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.36, 0.7]
)"));
    const auto energy = [&] {
      return simulation.report().sums.kinetic_energy + simulation.report().sums.potential_energy;
    };
    const double start = energy();
    double largest = 0.0;
    while (simulation.time() < 1.0) {
      simulation.advance(simulation.largest_dt());
      largest = std::max(largest, energy());
    }
    test::report("dam with weights: energy at the start, largest later, last [J]", {start, largest, energy()});
    EXPECT_LT(largest, start) << boost;
  }
}

}  // namespace
}  // namespace freshet
