// SPDX-License-Identifier: Apache-2.0
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::for_each_particle;
using test::make_case;
using test::world;

constexpr double width = 0.25;     ///< [m]
constexpr double height = 0.4;     ///< [m]
constexpr double viscosity = 1e4;  ///< [Pa s]
constexpr double cell_size = 0.02;
constexpr double viscous_time = width * width * 1000.0 / viscosity;  ///< in which viscosity evens the block [s]

/// A block of honey on a floor with free slip, half a metre from one wall or against it.
struct Block {
  double low = 0.5;  ///< its side [m]
  std::string more = {};
};

Parameters block_case(const Block& block, double max_dt) {
  return make_case(test::case_text({64, 32}, cell_size) +
                   fmt::format("[fluid]\nviscosity = {}\n[particles]\njitter = 0\n[[liquid]]\nshape = \"box\"\n"
                               "lower = [{}, 0]\nupper = [{}, {}]\n[time]\nmax_dt = {}\n{}",
                               viscosity, block.low, block.low + width, height, max_dt, block.more));
}

/// Mean velocity of the particles near the top / exact, when the block has come to creep. Its sides are free: the mean
/// of the stress along y is -rho g h / 2, that of the stress across it 0, so that the top sinks at rho g h^2 / (8 mu):
/// Trouton's 4 mu resist.
double rate_of_sinking(double max_dt, const std::string& more = {}) {
  Simulation simulation(world(), block_case({0.5, more}, max_dt));
  const double end = std::max(2.0 * max_dt, 2.0 * viscous_time);
  while (simulation.time() < end * (1.0 - 1e-9)) simulation.advance(simulation.largest_dt());
  double sum = 0.0, n = 0.0;
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
    if (x.y() < height - cell_size) return;
    sum += u.y();
    n += 1.0;
  });
  return world().sum(sum) / world().sum(n) / (-1000.0 * 9.81 * height * height / (8.0 * viscosity));
}

TEST(ViscousStretching, block_sinks_at_its_rate_however_long_the_steps) {
  const double shorter = rate_of_sinking(0.05 * viscous_time);
  const double longer = rate_of_sinking(5.0 * viscous_time);
  const double split = rate_of_sinking(5.0 * viscous_time, "[viscosity]\ncoupling = \"split\"\n");
  test::report("rate / exact with steps of 0.05 and 5 width^2 / nu; with viscosity.coupling = split",
               {shorter, longer, split});
  EXPECT_NEAR(shorter, 1.0, 0.02);
  EXPECT_NEAR(longer, 1.0, 0.02);
  EXPECT_GT(split, 1.5);
}

/// What creeps is in balance: the floor carries the weight, by pressure and by viscous stress.
TEST(ViscousStretching, floor_carries_the_weight_of_a_creeping_block) {
  for (const char* condition : {"no_slip", "free_slip"}) {
    const std::string more = fmt::format(
        "[domain.boundary]\ny_low = \"{}\"\n[[gauge]]\nname = \"floor\"\ntype = \"force\"\nside = \"y_low\"\n",
        condition);
    Simulation simulation(world(), block_case({0.5, more}, 5.0 * viscous_time));
    for (int step = 0; step < 3; ++step) simulation.advance(simulation.largest_dt());
    const std::vector<double> row = simulation.gauges().values(0);  // of a layer as thick as a cell
    const double weight = 1000.0 * 9.81 * width * height * cell_size;
    test::report("force on the floor / weight", {-(row[1] + row[8]) / weight});
    EXPECT_NEAR(-(row[1] + row[8]) / weight, 1.0, 0.02);
  }
}

/// So do the floor and the wall that the block leans on, at the high end of the domain, whether the walls store their
/// faces or not.
TEST(ViscousStretching, floor_and_high_wall_carry_the_weight_of_a_creeping_block) {
  for (const char* condition : {"sticky", "separating"}) {
    const std::string more = fmt::format(
        "[domain.boundary]\ny_low = \"no_slip\"\nx_high = \"no_slip\"\n[pressure.walls]\ncondition = \"{}\"\n"
        "[[gauge]]\nname = \"floor\"\ntype = \"force\"\nside = \"y_low\"\n"
        "[[gauge]]\nname = \"wall\"\ntype = \"force\"\nside = \"x_high\"\n",
        condition);
    Simulation simulation(world(), block_case({64 * cell_size - width, more}, 5.0 * viscous_time));
    for (int step = 0; step < 3; ++step) simulation.advance(simulation.largest_dt());
    double force = 0.0;
    for (const int gauge : {0, 1}) force -= simulation.gauges().values(gauge)[1] + simulation.gauges().values(gauge)[8];
    const double weight = 1000.0 * 9.81 * width * height * cell_size;
    test::report("force on floor and wall / weight", {force / weight});
    EXPECT_NEAR(force / weight, 1.0, 0.02);
  }
}

/// So do the floor and a body together that hangs in the block and cuts cells.
TEST(ViscousStretching, floor_and_body_carry_the_weight_of_a_creeping_block) {
  constexpr double radius = 0.062;
  const std::string more = fmt::format(
      "[domain.boundary]\ny_low = \"no_slip\"\n"
      "[[solid]]\nshape = \"sphere\"\ncenter = [0.62, 0.19]\nradius = {}\nslip = \"no_slip\"\nsurface = "
      "\"fractions\"\n[[gauge]]\nname = \"floor\"\ntype = \"force\"\nside = \"y_low\"\n"
      "[[gauge]]\nname = \"body\"\ntype = \"force\"\nsolid = 0\n",
      radius);
  Simulation simulation(world(), block_case({0.5, more}, 5.0 * viscous_time));
  for (int step = 0; step < 3; ++step) simulation.advance(simulation.largest_dt());
  const double area = width * height - std::numbers::pi * radius * radius;
  const double weight = 1000.0 * 9.81 * area * cell_size;
  double force = 0.0;
  for (const int gauge : {0, 1}) force -= simulation.gauges().values(gauge)[1] + simulation.gauges().values(gauge)[8];
  test::report("force on floor and body / weight", {force / weight});
  EXPECT_NEAR(force / weight, 1.0, 0.02);
}

/// Against a wall the liquid's weight presses, while its viscous pressure pulls there: what lets go is decided by the
/// former, and a creeping block moves alike between walls of both kinds.
TEST(ViscousStretching, block_creeps_alike_along_walls_that_let_go) {
  const auto height_of_centre = [](const std::string& more) {
    Simulation simulation(world(), block_case({0.0, more}, 5.0 * viscous_time));
    GlobalIndex separated = 0;
    for (int step = 0; step < 10; ++step)
      separated += simulation.advance(simulation.largest_dt()).projection.separated_faces;
    EXPECT_EQ(separated, 0);
    double sum = 0.0, n = 0.0;
    for_each_particle(simulation, [&](const Vec3& x, const Vec3&, ParticleId) {
      sum += x.y();
      n += 1.0;
    });
    return world().sum(sum) / world().sum(n);
  };
  const double sticky = height_of_centre("");
  const double separating = height_of_centre("[pressure.walls]\ncondition = \"separating\"\n");
  EXPECT_LT(sticky, 0.495 * height);
  EXPECT_NEAR(separating, sticky, 1e-4 * height);
}

/// Viscosity holds a body together that spins, and takes nothing from it: as much of its angular momentum is left after
/// many short steps of viscous liquid as of water.
TEST(ViscousStretching, disc_that_spins_in_free_air_spins_on) {
  std::vector<double> left;
  for (const double of_liquid : {0.0, viscosity}) {
    const Vec3 centre(0.5, 0.47, 0.0);
    Simulation simulation(
        world(), make_case(test::case_text({48, 48}, cell_size) +
                           fmt::format("[fluid]\nviscosity = {}\ngravity = [0, 0]\n[transfer]\nflip_fraction = 1\n"
                                       "[[liquid]]\nshape = \"sphere\"\ncenter = [{}, {}]\nradius = 0.25\n",
                                       of_liquid, centre.x(), centre.y())));
    simulation.set_particle_velocity([&](const Vec3& x) { return Vec3::UnitZ().cross(x - centre); });
    const auto angular_momentum = [&] {
      double sum = 0.0;
      for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId) {
        sum += Vec3::UnitZ().dot((x - centre).cross(u));
      });
      return world().sum(sum);
    };
    const double start = angular_momentum();
    for (int step = 0; step < 200; ++step) simulation.advance(1e-3);
    left.push_back(angular_momentum() / start);
  }
  test::report("angular momentum left of water and of viscous liquid after 200 steps", {left[0], left[1]});
  EXPECT_GT(left[1], left[0] - 0.01);
  EXPECT_GT(left[1], 0.98);
}

}  // namespace
}  // namespace freshet
