// SPDX-License-Identifier: Apache-2.0
// Bodies that the liquid moves.
// timeout: 900
// nightly: 2 4 8
#include "freshet/turbulence/friction.hpp"
#include "support/floating.hpp"
#include "support/liquid_momentum.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::splash_of_bodies;
using test::world;

constexpr double pi = std::numbers::pi;

/// Sums over the grid of a full periodic box and its bodies: momentum of the liquid, of the bodies.
struct Momenta {
  Vec3 liquid = Vec3::Zero();
  Vec3 bodies = Vec3::Zero();
};

/// The liquid's momentum by the open parts of faces, as in the energy whose minimum the pressure finds (Batty, Bertails
/// & Bridson 2007, section 3).
Momenta momenta_of(const Simulation& simulation, const FaceField<double>& velocity, double dt) {
  Momenta sum;
  sum.liquid = test::liquid_momentum(simulation, velocity);
  for (int n = 0; n < simulation.free_bodies().count(); ++n) {
    const FreeBody& body = simulation.free_bodies().body(n);
    const SolidBody& solid = simulation.solids().bodies()[static_cast<std::size_t>(body.solid)];
    sum.bodies += body.mass.mass * solid.motion->twist(simulation.time(), dt).linear;
  }
  return sum;
}

/// In a periodic box. \param[in] upper  end of the liquid along y [m] \return the largest number of separated faces in
/// a step
GlobalIndex expect_kept_momentum(int dimension, const std::string& condition, const std::string& upper,
                                 const std::string& slip = "slip = \"free_slip\"\n", int n_steps = 3) {
  const std::string wall = "wall = \"" + condition + "\"\n" + slip;
  GlobalIndex separated = 0;
  const std::string text = (dimension == 2 ? case_text({32, 32}, 0.03125) : case_text({32, 32, 16}, 0.03125)) +
                           test::at_voxels + test::full_periodic_box(dimension) +
                           (dimension == 2 ? "velocity = [1, 0.5]" : "velocity = [1, 0.5, -0.25]") +
                           R"(
[[solid]]
shape = "sphere"
center = [0.4, 0.5, 0.25]
radius = 0.17
body.density = 200
body.velocity = [-1, 0, 0]
)" + wall + R"([[solid]]
shape = "box"
lower = [0.7, 0.4, 0.1]
upper = [0.95, 0.6, 0.3]
body.density = 3000
body.angular_velocity = [0, 0, 90]
surface = "voxels"
)" + wall;
  // spheres in the plane lie in it
  std::string of_case = text;
  if (dimension == 2) {
    of_case.replace(of_case.find("0.4, 0.5, 0.25"), 14, "0.4, 0.5");
    of_case.replace(of_case.find("0.7, 0.4, 0.1]"), 14, "0.7, 0.4]");
    of_case.replace(of_case.find("0.95, 0.6, 0.3]"), 15, "0.95, 0.6]");
  }
  of_case.replace(of_case.find("upper = [10, 10"), 15, "upper = [10, " + upper);
  Simulation simulation(world(), make_case(of_case));
  double worst = 0.0;
  for (int step = 0; step < n_steps; ++step) {
    const double dt = 0.5 * simulation.largest_dt();
    simulation.begin_step();
    simulation.deposit_velocity();
    simulation.label();
    simulation.apply_forces(dt);
    const Momenta before = momenta_of(simulation, simulation.fields().velocity_old, dt);
    EXPECT_EQ(simulation.project(dt), "");
    const Momenta after = momenta_of(simulation, simulation.velocity(), dt);
    EXPECT_TRUE(simulation.cancel_step());
    const Vec3 gained = after.bodies - before.bodies, lost = before.liquid - after.liquid;
    EXPECT_GT(gained.norm(), 1e-3);  // they do push each other
    worst = std::max(worst, (gained - lost).norm() / before.liquid.norm());
    separated = std::max(separated, simulation.advance(dt).projection.separated_faces);
  }
  report("momentum: error of a step over the liquid's", {worst});
  EXPECT_LT(worst, 1e-10);
  return separated;
}

TEST(FreeBodies, what_the_liquid_loses_of_momentum_the_bodies_gain) {
  for (const int dimension : {2, 3}) {
    EXPECT_EQ(expect_kept_momentum(dimension, "sticky", "10"), 0);
    EXPECT_GT(expect_kept_momentum(dimension, "separating", "0.55"), 0);
    // later a cell here and there has no particle, and its faces count half to the wall law
    expect_kept_momentum(dimension, "sticky", "10", "slip = \"wall_law\"\nroughness = 0.01\n", 2);
  }
}

/// A disc that spins in still liquid.
std::string spinning_disc(double dx, double density) {
  return case_text({32, 32}, dx) + test::full_periodic_box(2) +
         fmt::format(R"(
[[solid]]
shape = "sphere"
center = [0.5, 0.5]
radius = 0.25
body.density = {}
body.angular_velocity = [0, 0, 360]
)",
                     density);
}
const char* const rough_wall = "slip = \"wall_law\"\nroughness = 0.001\n";

/// Angular acceleration of a disc of such a wall at 1 turn a second, in still liquid. Faces at the distance s from the
/// disc stand for the part w(s) of its surface (see WallFaces), each part of which has the stress of the mean over s.
double acceleration_by_law(double dx, double density) {
  constexpr double radius = 0.25, rate = 2.0 * pi, roughness = 1e-3;
  double moment = 0.0;
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    const double s = 1.25 * (i + 0.5) / n, weight = std::min({1.0, 4.0 * s, 4.0 * (1.25 - s)});
    const double friction = friction_velocity(rate * radius, std::max(s, 0.25) * dx, 0.0, roughness);
    moment -= 1.25 / n * weight * 2.0 * pi * radius * radius * 1000.0 * friction * friction;
  }
  return moment / (density * 0.5 * pi * std::pow(radius, 4));
}

TEST(FreeBodies, a_wall_law_slows_a_spinning_disc_down_by_its_stress) {
  constexpr double dx = 0.25 / 8.0, rate = 2.0 * pi, dt = 1e-3;
  const double expected = acceleration_by_law(dx, 2000.0);
  const auto acceleration = [&](const std::string& slip) {
    Simulation simulation(world(), make_case(spinning_disc(dx, 2000.0) + slip));
    simulation.advance(dt);
    return (simulation.free_bodies().report(0).angular.z() - rate) / dt;
  };
  const double without = acceleration("");  // not 0, as its faces do not point to its axis exactly
  const double slowed = acceleration(rough_wall) - without;
  report("spinning disc: angular acceleration, that of the law, that without", {slowed, expected, without});
  EXPECT_NEAR(slowed / expected, 1.0, 0.1);
}

/// A light disc and a heavy one feel the same friction in a step at the same rate: that of the velocities before it. It
/// would take 0.15 of the light one's rate, and be 0.13 smaller if it were that of the rate after the step.
TEST(FreeBodies, friction_is_that_of_the_velocities_before_the_step_whatever_the_mass) {
  constexpr double dx = 1.0 / 32.0, rate = 2.0 * pi, dt = 0.01;
  double moment[2];
  for (int n = 0; n < 2; ++n) {
    const double density = n == 0 ? 7.0 : 2000.0;
    const auto change = [&](const std::string& slip) {
      Simulation simulation(world(), make_case(spinning_disc(dx, density) + slip));
      EXPECT_EQ(simulation.advance(dt).dt, dt);
      return simulation.free_bodies().report(0).angular.z() - rate;
    };
    moment[n] = density * (change(rough_wall) - change(""));
  }
  report("spinning disc: change of its rate times density, 7 and 2000 kg/m^3", {moment[0], moment[1]});
  EXPECT_NEAR(moment[0] / moment[1], 1.0, 0.02);  // liquid that turns with the disc changes the pressure on it
}

/// A disc of the least mass, a thousandth of the liquid's, whose last step is as long as all before. A stress of the
/// square of the rate w has w' = -c w^2, w = w_0 / (1 + c w_0 t), and the disc comes to rest without turning back.
TEST(FreeBodies, a_wall_law_stops_a_disc_without_mass_and_does_not_turn_it_back) {
  constexpr double dx = 1.0 / 32.0, rate = 2.0 * pi;
  const double decay = -acceleration_by_law(dx, 1.0) / rate;  // c w_0
  Simulation simulation(world(), make_case(spinning_disc(dx, 0.0) + rough_wall));
  for (int step = 0; step < 5; ++step) {
    simulation.advance(simulation.largest_dt());
    const double found = simulation.free_bodies().report(0).angular.z();
    const double expected = rate / (1.0 + decay * simulation.time());
    report("disc without mass: rate, that of the law", {found, expected});
    EXPECT_NEAR(found / expected, 1.0, 0.1);  // of the faces, as above
  }
}

/// A ball in the air: m v' = -k v^2 has v = v_0 / (1 + k v_0 t / m), which its steps meet to the last digits, and
/// implicit steps of I w' = -c w have w_0 / (1 + c dt / I)^n. In 2-D all are those of one metre of thickness.
TEST(FreeBodies, dampers_of_a_case_slow_a_body_in_air_down_in_2d_and_3d) {
  constexpr double radius = 0.3, k = 800.0, c = 60.0, speed = 1.5, dt = 0.01;
  for (const int dimension : {2, 3}) {
    const double mass = 500.0 * (dimension == 2 ? pi * radius * radius : 4.0 / 3.0 * pi * std::pow(radius, 3));
    const double inertia = (dimension == 2 ? 0.5 : 0.4) * mass * radius * radius;
    const std::string rest = dimension == 2 ? "]" : ", 1.0]", flat = dimension == 2 ? "]" : ", 0.0]";
    const std::string head = dimension == 2 ? case_text({16, 16}, 0.125) : case_text({16, 16, 16}, 0.125);
    Simulation simulation(
        world(),
        make_case(head + "[fluid]\ngravity = [0.0, 0.0" + flat + "\n[[liquid]]\nshape = \"box\"\nlower = [0.0, 0.0" +
                  flat + "\nupper = [2.0, 0.25" + (dimension == 2 ? "]" : ", 2.0]") +
                  "\n[[solid]]\nshape = \"sphere\"\ncenter = [0.8, 1.2" + rest +
                  fmt::format("\nradius = {}\nbody.density = 500\nbody.velocity = [{}, {}", radius, 0.6 * speed,
                              0.8 * speed) +
                  flat +
                  fmt::format("\nbody.angular_velocity = [0, 0, 360]\nbody.quadratic_damping = {}\n"
                              "body.angular_damping = {}\n",
                              k, c)));
    for (int step = 1; step <= 8; ++step) {
      simulation.advance(dt);
      const BodyReport body = simulation.free_bodies().report(0);
      EXPECT_NEAR(body.velocity.norm() * (1.0 + k * speed * step * dt / mass) / speed, 1.0, 1e-9);
      EXPECT_NEAR(body.angular.z() * std::pow(1.0 + c * dt / inertia, step) / (2.0 * pi), 1.0, 1e-9);
    }
  }
}

/// A light and a heavy body that splash into a pool.
TEST(FreeBodies, bodies_have_the_same_bits_on_any_number_of_ranks) {
  test::expect_same_bodies_on_any_ranks(splash_of_bodies);
}

TEST(FreeBodies, bodies_go_on_from_a_restart_with_the_same_bits) {
  test::expect_same_bodies_after_a_restart(splash_of_bodies);
}

/// Two bodies at the surface and one below. The restart comes between the two steps of a pair, where bodies keep what
/// the pressure gave them.
TEST(FreeBodies, bodies_that_foresee_their_share_have_the_same_bits_on_any_ranks_and_after_a_restart) {
  const std::string text = splash_of_bodies + R"([[solid]]
shape = "sphere"
center = [0.6, 0.25, 0.4]
radius = 0.13
body.density = 500
body.velocity = [2, 0, 0]
[time]
splitting = "reflection"
)";
  test::expect_same_bodies_on_any_ranks(text);
  Simulation whole(world(), make_case(text));
  for (int step = 0; step < 7; ++step) whole.advance(whole.largest_dt());
  ASSERT_TRUE(whole.free_bodies().kept().contains("pressed"));
  Simulation restarted(world(), make_case(text), whole.restart_state());
  for (int step = 0; step < 4; ++step) {
    whole.advance(whole.largest_dt());
    restarted.advance(restarted.largest_dt());
  }
  EXPECT_EQ(whole.free_bodies().kept(), restarted.free_bodies().kept());
}

TEST(FreeBodies, a_step_that_is_not_taken_leaves_the_bodies_as_they_were) {
  Simulation simulation(world(), make_case(splash_of_bodies));
  simulation.advance(simulation.largest_dt());
  const auto before = simulation.free_bodies().kept();
  simulation.begin_step();
  test::find_velocity(simulation, 0.01);
  ASSERT_TRUE(simulation.cancel_step());
  EXPECT_EQ(simulation.free_bodies().kept(), before);
}

}  // namespace
}  // namespace freshet
