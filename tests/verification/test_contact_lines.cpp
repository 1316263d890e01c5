// SPDX-License-Identifier: Apache-2.0
// Bodies in the surface of a liquid with tension, beside exact statics in two dimensions. Lengths in cells; density and
// gravity are 1, so that the capillary length is a = sqrt(sigma).
// timeout: 900
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"
#include "support/nightly.hpp"
#include "support/statistics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::make_case;
using test::report;
using test::world;

constexpr double pi = std::numbers::pi;

enum class Form { box, cylinder };

/// A body in the middle of a tank of 14 x 8 a, filled to 5 a: a box 4 a wide, a below the level and 2 a above it, or a
/// cylinder of radius 2 a with its axis on the level.
struct Tank {
  Form form;
  double theta;  ///< contact angle [degrees]
  int a;         ///< capillary length [cells]
  double wide() const { return 14.0 * a; }
  double level() const { return 5.0 * a; }
  double tension() const { return static_cast<double>(a) * a; }
  /// Area of the liquid.
  double area() const { return wide() * level() - (form == Form::box ? 4.0 : 2.0 * pi) * a * a; }
};

/// The vertical force on a body at rest.
struct Force {
  double pressure;
  double line;
};

/// The number between low and high at which an increasing function is 0.
double root(double low, double high, const std::function<double(double)>& function) {
  for (int round = 0; round < 100; ++round) {
    const double middle = 0.5 * (low + high);
    (function(middle) > 0.0 ? high : low) = middle;
  }
  return low;
}

/// The exact force. A meniscus whose surface rises by the angle psi away from a body holds the weight -sigma sin(psi)
/// above the level far away, and begins -2 a sin(psi / 2) above it (Young and Laplace, in the plane). The force of the
/// pressure is the weight of the liquid that would fill the room between the wetted surface, verticals through the
/// contact points, and that level (Keller 1998). The tank is closed: what menisci hold is missing elsewhere.
Force exact(const Tank& tank) {
  const double theta = tank.theta * pi / 180.0, sigma = tank.tension(), a = tank.a;
  const double at_sides = 2.0 * sigma * std::cos(theta);
  if (tank.form == Form::box) {
    const double level = (tank.area() - 16.0 * a * a - 2.0 * at_sides) / (tank.wide() - 4.0 * a);
    return {4.0 * a * (level - 4.0 * a), -2.0 * sigma * std::cos(theta)};
  }
  const double radius = 2.0 * a;
  struct State {
    double angle, slope, chord, below, height;  // of the contact points; `below`: the circle's area below their chord
  };
  const auto state = [&](double level) {
    const auto slope_at = [&](double angle) { return angle + theta - pi; };
    const double angle = root(1e-6, pi - 1e-6, [&](double of) {
      return tank.level() - radius * std::cos(of) - level + 2.0 * a * std::sin(0.5 * slope_at(of));
    });
    return State{angle, slope_at(angle), 2.0 * radius * std::sin(angle),
                 radius * radius * (angle - std::sin(angle) * std::cos(angle)),
                 tank.level() - radius * std::cos(angle)};
  };
  const double level = root(0.0, tank.level() + radius, [&](double of) {
    const State s = state(of);
    return of * (tank.wide() - s.chord) + s.height * s.chord - s.below - 2.0 * sigma * std::sin(s.slope) + at_sides -
           tank.area();
  });
  const State s = state(level);
  return {s.below + s.chord * (level - s.height), 2.0 * sigma * std::sin(s.slope)};
}

Parameters held_body(const Tank& tank) {
  const double middle = 0.5 * tank.wide(), a = tank.a;
  const std::string body = tank.form == Form::box ? fmt::format("shape = \"box\"\nlower = [{}, {}]\nupper = [{}, {}]\n",
                                                                middle - 2.0 * a, 4.0 * a, middle + 2.0 * a, 7.0 * a)
                                                  : fmt::format("shape = \"sphere\"\ncenter = [{}, {}]\nradius = {}\n",
                                                                middle, 5.0 * a, 2.0 * a);
  return make_case(
      test::case_text({14 * tank.a, 8 * tank.a}, 1.0) +
      fmt::format("[particles]\njitter = 0.0\n[fluid]\ndensity = 1\ngravity = [0, -1]\nsurface_tension = "
                  "{}\ncontact_angle = {}\n[[liquid]]\nshape = \"box\"\nlower = [0, 0]\nupper = [{}, {}]\n"
                  "[[solid]]\n{}body.density = 0.3\nbody.fixed = [\"x\", \"y\"]\nbody.angular_damping = 1e6\n",
                  tank.tension(), tank.theta, tank.wide(), tank.level(), body));
}

/// The mean force on a held body once the liquid has come to rest.
Vec3 force_on(const Tank& tank) {
  Simulation simulation(world(), held_body(tank));
  const double end = 32.0 * std::sqrt(tank.a), from = 0.6 * end;
  Vec3 sum = Vec3::Zero();
  double time = 0.0;
  while (simulation.time() < end) {
    const double dt = simulation.largest_dt();
    simulation.advance(dt);
    if (simulation.time() < from) continue;
    sum += dt * simulation.free_bodies().report(0).force;
    time += dt;
  }
  return sum / time;
}

void expect_exact(const Tank& tank, double tolerance) {
  const Force wanted = exact(tank);
  const Vec3 force = force_on(tank);
  report("contact angle, a [cells], force, exact force, its part of the line",
         {tank.theta, static_cast<double>(tank.a), force.y(), wanted.pressure + wanted.line, wanted.line});
  EXPECT_NEAR(force.y(), wanted.pressure + wanted.line, tolerance * 2.0 * tank.tension());
}

/// Angles and capillary lengths in cells; at night on twice the cells, too.
std::vector<std::pair<double, int>> angles_and_lengths() {
  std::vector<std::pair<double, int>> cases = {{60.0, 4}, {90.0, 4}, {120.0, 4}};
  if (test::nightly()) cases.insert(cases.end(), {{60.0, 8}, {120.0, 8}});
  return cases;
}

// The bounds are less than a tenth of the line's force at 60 and 120 degrees, in units of 2 sigma.

TEST(ContactLines, a_box_is_pulled_down_or_up_by_the_line) {
  for (const auto& [theta, a] : angles_and_lengths()) expect_exact({Form::box, theta, a}, 0.04);
}

TEST(ContactLines, a_cylinder_is_pulled_down_or_up_by_the_line) {
  for (const auto& [theta, a] : angles_and_lengths()) expect_exact({Form::cylinder, theta, a}, 0.039);
}

}  // namespace
}  // namespace freshet
