// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace freshet {
namespace {

using test::make_case;
using test::world;

constexpr double depth = 0.4;  // [m]
constexpr double pull = 0.1;   // of gravity along the channel [m/s^2]
constexpr double kappa = 0.4;
const double friction = std::sqrt(pull * depth);  // u_tau of the uniform flow [m/s]

/// Mean velocity over the depth of the logarithmic law above a rough wall. [m/s]
double mean_of_log_law(double roughness) {
  return friction / kappa * std::log(30.0 * depth / (std::numbers::e * roughness));
}

/// Velocity of the logarithmic law above a rough wall. [m/s]
double log_law(double y, double roughness) {
  return friction / kappa * std::log1p(30.0 * y / roughness);
}

struct Channel {
  double mean = 0.0;    ///< velocity over the depth and the last seconds [m/s]
  double lower = 0.0;   ///< the same over the lower half of the depth [m/s]
  double taken = 0.0;   ///< power that the wall and the eddies take, over that of gravity
  double stress = 0.0;  ///< of the gauge on the floor, over density times u_tau^2
  double force = 0.0;   ///< of the gauge of the floor, over the weight along the channel
};

/// A periodic channel, two-dimensional, driven along x. APIC has the least viscosity of its own, and the density
/// correction keeps voids away that particles in layers would make.
/// \param[in] n  cells a depth \param[in] wall  keys of the wall in [domain] \param[in] is_open  whether the liquid has
/// a surface, or a lid with free slip in its place \param[in] start  velocity at a height at the start [m/s]
template <class Start>
Channel run_channel(int n, const std::string& wall, bool is_open, Start&& start, const std::string& viscosity = "") {
  const double dx = depth / n;
  const std::string text =
      test::case_text({8, is_open ? n + 4 : n}, dx) + wall +
      "boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\nboundary.y_low = \"wall_law\"\n" +
      fmt::format("[fluid]\ngravity = [{}, {}]\n{}", pull, is_open ? -9.81 : 0.0, viscosity) +
      "[turbulence]\nmodel = \"mixing_length\"\n[transfer]\nmethod = \"apic\"\n[density]\ncorrection = \"implicit\"\n" +
      fmt::format("[[liquid]]\nshape = \"box\"\nlower = [-9, -9]\nupper = [99, {}]\n", depth) +
      fmt::format("[[gauge]]\nname = \"bed\"\ntype = \"wall_stress\"\npoint = [{}, 0]\n", 4.0 * dx) +
      "[[gauge]]\nname = \"floor\"\ntype = \"force\"\nside = \"y_low\"\n";
  Simulation simulation(world(), make_case(text));
  simulation.set_particle_velocity([&](const Vec3& x) { return Vec3(start(x[1]), 0.0, 0.0); });
  Channel channel;
  double sum = 0.0, count = 0.0, of_lower = 0.0, in_lower = 0.0, lost = 0.0, given = 0.0, late = 0.0;
  const double turnover = depth / friction;
  while (simulation.time() < 12.0 * turnover) {
    const StepReport report = simulation.advance(simulation.largest_dt());
    if (simulation.time() < 8.0 * turnover) continue;
    lost += report.turbulent_loss;
    given += pull * report.sums.momentum[0] * report.dt;
    late += report.dt;
    constexpr std::size_t viscous_force_x = 7;  // column of the force gauge
    channel.stress += simulation.gauges().values(0)[0] * report.dt / (1000.0 * friction * friction);
    channel.force +=
        simulation.gauges().values(1)[viscous_force_x] * report.dt / (1000.0 * pull * depth * 8.0 * dx * dx);
    test::for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
      sum += u[0];
      count += 1.0;
      if (x[1] > 0.5 * depth) return;
      of_lower += u[0];
      in_lower += 1.0;
    });
  }
  channel.mean = world().sum(sum) / world().sum(count);
  channel.lower = world().sum(of_lower) / world().sum(in_lower);
  channel.taken = lost / given;
  channel.stress /= late;
  channel.force /= late;
  return channel;
}

/// Liquid that slides along a body whose surface lies anywhere in a cell: the gauge of stress is the force on the body
/// over its area.
TEST(TurbulentChannel, has_the_stress_of_the_force_on_a_body_wherever_it_cuts_cells) {
  constexpr double dx = 0.02;
  for (const double top : {0.080, 0.085, 0.090, 0.095}) {
    Simulation simulation(
        world(),
        make_case(test::case_text({64, 32}, dx) +
                  "boundary.x_low = \"periodic\"\nboundary.x_high = \"periodic\"\n[fluid]\nviscosity = 0.001\n"
                  "[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [2, 0.4]\nvelocity = [1.0, 0.0]\n" +
                  fmt::format("[[solid]]\nshape = \"box\"\nlower = [-1, -1]\nupper = [3, {}]\n", top) +
                  "slip = \"wall_law\"\nroughness = 0.002\n" +
                  fmt::format("[[gauge]]\nname = \"stress\"\ntype = \"wall_stress\"\npoint = [0.6, {}]\n", top) +
                  "[[gauge]]\nname = \"force\"\ntype = \"force\"\nsolid = 0\n"));
    simulation.advance(simulation.largest_dt());
    constexpr std::size_t viscous_force_x = 7;  // column of the force gauge
    const double of_force = simulation.gauges().values(1)[viscous_force_x] / (64 * dx * dx);
    const double ratio = simulation.gauges().values(0)[0] / of_force;
    test::report("top of the body [m], stress of the gauge / force over area", {top, ratio});
    EXPECT_NEAR(ratio, 1.0, 0.03) << top;
  }
}

/// The mixing length 0.4 y turns the stress u_tau^2 (1 - y / h) into a velocity gradient of sqrt(1 - y / h) u_tau /
/// (0.4 y), below that of the logarithmic law: in the mean over the depth the velocity is 0.28 u_tau / 0.4 lower, 3.6 %
/// here.
TEST(TurbulentChannel, has_the_mean_velocity_of_the_logarithmic_law_from_8_cells_on) {
  constexpr double roughness = 0.002;  // [m]
  const double expected = mean_of_log_law(roughness);
  const double lower = friction / kappa * std::log(15.0 * depth / (std::numbers::e * roughness));
  for (const int n : {8, 16}) {
    const Channel channel = run_channel(n, fmt::format("roughness = {}\n", roughness), false,
                                        [](double y) { return log_law(y, roughness); });
    test::report(
        "cells, mean velocity / logarithmic law, over half of the depth, power taken / given, stress and force over "
        "theory",
        {static_cast<double>(n), channel.mean / expected, channel.lower / lower, channel.taken, channel.stress,
         channel.force});
    EXPECT_NEAR(channel.mean / expected, 1.0, 0.05) << n;
    EXPECT_NEAR(channel.lower / lower, 1.0, 0.05) << n;
    EXPECT_NEAR(channel.taken, 1.0, 0.05) << n;  // it is uniform, and nothing else slows it down
    EXPECT_NEAR(channel.stress, 1.0, 0.05) << n;
    EXPECT_NEAR(channel.force, channel.stress, 0.02) << n;  // over the whole floor, not four cells of it
  }
}

TEST(TurbulentChannel, with_a_surface_has_mannings_mean_velocity) {
  constexpr double manning = 0.015;  // [s/m^(1/3)]; as a roughness: 3 mm
  const double expected = std::pow(depth, 2.0 / 3.0) * std::sqrt(pull / 9.80665) / manning;
  for (const int n : {8, 16}) {
    const Channel channel =
        run_channel(n, fmt::format("manning = {}\n", manning), true, [](double y) { return log_law(y, 0.003); });
    test::report("cells, mean velocity / Manning's, power taken / given",
                 {static_cast<double>(n), channel.mean / expected, channel.taken});
    EXPECT_NEAR(channel.mean / expected, 1.0, 0.05) << n;
  }
}

TEST(TurbulentChannel, over_a_smooth_wall_has_the_mean_velocity_of_its_logarithmic_law) {
  constexpr double viscosity = 1e-6;  // [m^2/s]
  const double expected = friction / kappa * (std::log(depth * friction / viscosity) - 1.0) + 5.5 * friction;
  const auto law = [](double y) { return friction / kappa * std::log1p(y * friction / viscosity) + 5.5 * friction; };
  const Channel channel = run_channel(8, "", false, law, "viscosity = 0.001\n");
  test::report("mean velocity / logarithmic law, power taken / given", {channel.mean / expected, channel.taken});
  EXPECT_NEAR(channel.mean / expected, 1.0, 0.05);
}

}  // namespace
}  // namespace freshet
