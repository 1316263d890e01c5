// SPDX-License-Identifier: Apache-2.0
// Bodies that the liquid moves: at sides of the domain, far from the origin, and pushed out of rest.
// ranks: 1 3
// nightly: 3
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double dx = 1.0 / 32.0;

/// A raft that drifts in a periodic channel. \param[in] left  its lower end [m] \param[in] speed  along the channel
/// [m/s] \param[in] viscosity  of the liquid [Pa s]
std::string raft(double left, double speed, double viscosity) {
  return case_text({32, 24}, dx) + fmt::format("[fluid]\nviscosity = {}\n", viscosity) + R"([domain.boundary]
x_low = "periodic"
x_high = "periodic"
[viscosity]
tolerance = 1e-10
[particles]
jitter = 0.0
[pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 0.45]
)" +
         fmt::format(
             "[[solid]]\nshape = \"box\"\nlower = [{}, 0.36]\nupper = [{}, 0.53]\nbody.density = 500\n"
             "slip = \"no_slip\"\nbody.velocity = [{}, 0]\nbody.angular_velocity = [0, 0, 40]\n",
             left, left + 0.25, speed);
}

/// A body ends at the low side or at the high one and crosses it.
TEST(BodiesAtSides, a_body_that_ends_exactly_at_a_periodic_side_moves_as_one_far_from_it) {
  struct Case {
    double left, speed, viscosity;
  };
  for (const auto& [left, speed, viscosity] :
       {Case{0.0, -0.4, 0.0}, Case{0.75, 0.4, 0.0}, Case{0.0, -0.4, 50.0}, Case{0.75, 0.4, 50.0}}) {
    const double away = left < 0.5 ? 0.5 : -0.5;
    Simulation at_side(world(), make_case(raft(left, speed, viscosity)));
    Simulation far_off(world(), make_case(raft(left + away, speed, viscosity)));
    double worst = 0.0, way = 0.0;
    for (int step = 0; step < 20; ++step) {
      at_side.advance(5e-3);
      far_off.advance(5e-3);
      const BodyReport here = at_side.free_bodies().report(0), there = far_off.free_bodies().report(0);
      worst = std::max(worst, (here.center + away * Vec3::UnitX() - there.center).norm());
      worst = std::max(worst, dx * (here.rotation - there.rotation).norm());
      way = std::max(way, std::abs(here.center.x() - left - 0.125));
    }
    report("raft at a periodic side: largest difference, its way [cells]", {worst / dx, way / dx});
    EXPECT_GT(way, 0.3 * dx) << left << ' ' << viscosity;
    EXPECT_LT(worst, 1e-6 * dx) << left << ' ' << viscosity;  // the solves' tolerance
  }
}

TEST(BodiesAtSides, a_body_leaves_through_an_open_side_and_flies_on) {
  const std::string text = case_text({32, 32}, dx) + R"([domain.boundary]
x_high = "open"
[fluid]
gravity = [0, -1]
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [0.4, 0.19]
[[solid]]
shape = "box"
lower = [-1, 0.2]
upper = [2, 0.25]
[[solid]]
shape = "sphere"
center = [0.8, 0.7]
radius = 0.1
body.density = 500
body.velocity = [2, 0]
body.angular_velocity = [0, 0, 90]
)";
  // the first solid is a floor above the water, so that nothing splashes into the way
  Simulation simulation(world(), make_case(text));
  while (simulation.time() < 0.6) simulation.advance(std::min(0.01, simulation.largest_dt()));
  const BodyReport body = simulation.free_bodies().report(0);
  EXPECT_NEAR(body.center.x(), 0.8 + 2.0 * simulation.time(), 1e-12);  // it has left by a domain's width
  EXPECT_NEAR(body.velocity.y(), -simulation.time(), 1e-12);
  EXPECT_NEAR(body.angular.z(), std::numbers::pi / 2.0, 1e-12);
}

/// A box half under water. \param[in] bottom  the domain's lowest height [m]
double first_acceleration(double bottom) {
  const std::string text =
      case_text({32, 24}, dx) + fmt::format(
                                    "origin = [0.0, {}]\n[particles]\njitter = 0.0\n[pressure]\ntolerance = "
                                    "1e-10\n[[liquid]]\nshape = \"box\"\nlower = [-1, {}]\nupper = [2, {}]\n"
                                    "[[solid]]\nshape = \"box\"\nlower = [0.3, {}]\nupper = [0.6, {}]\n"
                                    "body.density = 300\n",
                                    bottom, bottom - 1.0, bottom + 0.5, bottom + 0.375, bottom + 0.625);
  Simulation simulation(world(), make_case(text));
  simulation.advance(1e-3);
  return simulation.free_bodies().report(0).velocity.y() / 1e-3;
}

TEST(BodiesAtSides, buoyancy_does_not_know_the_height_of_the_origin) {
  const double here = first_acceleration(-0.5), deep = first_acceleration(-1000.5);
  report("box half under water: first acceleration at y = 0 and at y = -1000 m", {here, deep});
  EXPECT_GT(here, 1.0);
  EXPECT_NEAR(deep, here, 1e-7 * here);
}

/// A box that has come to rest on the floor is not asleep: what pushes it later moves it.
TEST(BodiesAtSides, a_body_at_rest_on_the_floor_gives_way_to_a_later_force) {
  const std::string text = case_text({32, 24}, dx) + R"([[liquid]]
shape = "box"
lower = [-1, -1]
upper = [0.1, 0.1]
[[solid]]
shape = "box"
lower = [0.1, -1]
upper = [0.15, 10]
[[solid]]
shape = "box"
lower = [0.3, 0.001]
upper = [0.5, 0.201]
body.density = 2000
body.friction = 0.0
)";
  constexpr double push = 3.0;  // [m/s^2]
  Simulation simulation(world(), make_case(text));
  const double mass = simulation.free_bodies().body(0).mass.mass;
  simulation.add_body_loads([mass](double time, double, std::span<Vec6> loads) {
    if (time >= 0.5) loads[0][0] += push * mass;
  });
  while (simulation.time() < 0.4999) simulation.advance(0.01);
  const double start = simulation.free_bodies().report(0).center.x();
  EXPECT_LT(simulation.free_bodies().report(0).velocity.norm(), 1e-9);
  EXPECT_NEAR(start, 0.4, 1e-9);
  simulation.set_time(0.5);
  for (int step = 0; step < 20; ++step) simulation.advance(0.01);
  EXPECT_NEAR(simulation.free_bodies().report(0).velocity.x(), push * 0.2, 1e-9);
}

}  // namespace
}  // namespace freshet
