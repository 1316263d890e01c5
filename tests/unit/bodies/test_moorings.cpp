// SPDX-License-Identifier: Apache-2.0
// Mooring lines against the closed forms of the catenary.
#include "freshet/bodies/free_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace freshet {
namespace {

constexpr double g = 9.81;

TEST(HangingLine, a_line_that_does_not_stretch_is_a_catenary) {
  // y = H/w (cosh(w x / H) - 1) from its lowest point, where the anchor is
  const double w = 700.0, a = 30.0, span = 55.0, h = w * a;
  const double rise = a * (std::cosh(span / a) - 1.0), length = a * std::sinh(span / a);
  const LineForces forces = forces_of({length, w, 1e14, {}}, span, rise);
  EXPECT_NEAR(forces.horizontal / h, 1.0, 1e-8);  // the line stretches by 1e-9
  EXPECT_NEAR(forces.vertical / (w * length), 1.0, 1e-8);
  EXPECT_NEAR(forces.at_anchor / h, 1.0, 1e-8);
  EXPECT_EQ(forces.lying, 0.0);
}

TEST(HangingLine, a_line_between_points_of_one_height_hangs_in_the_middle) {
  // half of it is as above; its sag is H/w (cosh(w x / 2H) - 1)
  const double w = 5.0, a = 4.0, span = 10.0;
  const LineForces forces = forces_of({2.0 * a * std::sinh(0.5 * span / a), w, 1e12, {}}, span, 0.0);
  EXPECT_NEAR(forces.horizontal, w * a, 1e-7);
  EXPECT_NEAR(forces.vertical, w * a * std::sinh(0.5 * span / a), 1e-7);
  EXPECT_NEAR(forces.at_anchor, w * a * std::cosh(0.5 * span / a), 1e-7);
}

TEST(HangingLine, an_elastic_line_has_the_shape_of_theory) {
  // x(s) and z(s) of Irvine (1981) from the anchor with the tension (H, V_a)
  const double w = 900.0, length = 100.0, ea = 4e5, h = 8e4, va = -2e4;
  const double v = va + w * length;
  const double span = h * length / ea + h / w * (std::asinh(v / h) - std::asinh(va / h));
  const double rise = (v * v - va * va) / (2.0 * ea * w) +
                      h / w * (std::sqrt(1.0 + v * v / (h * h)) - std::sqrt(1.0 + va * va / (h * h)));
  const LineForces forces = forces_of({length, w, ea, {}}, span, rise);
  EXPECT_NEAR(forces.horizontal / h, 1.0, 1e-10);
  EXPECT_NEAR(forces.vertical / v, 1.0, 1e-10);
  EXPECT_NEAR(forces.at_anchor / std::hypot(h, va), 1.0, 1e-10);
}

TEST(HangingLine, a_taut_line_is_a_spring) {
  // without weight to speak of: T = EA (l / L - 1)
  const LineForces forces = forces_of({50.0, 1e-4, 1e6, {}}, 0.6 * 52.0, 0.8 * 52.0);
  EXPECT_NEAR(forces.horizontal / (0.6 * 1e6 * 0.04), 1.0, 1e-6);
  EXPECT_NEAR(forces.vertical / (0.8 * 1e6 * 0.04), 1.0, 1e-6);
}

TEST(HangingLine, a_part_lies_on_the_bed) {
  // the hanging part is the catenary from its lowest point, and the rest lies flat
  const double w = 700.0, a = 20.0, span = 40.0, lying = 25.0;
  const double rise = a * (std::cosh(span / a) - 1.0), hanging = a * std::sinh(span / a);
  const LineForces forces = forces_of({hanging + lying, w, 1e14, 0.0}, span + lying, rise);
  EXPECT_NEAR(forces.horizontal / (w * a), 1.0, 1e-7);
  EXPECT_NEAR(forces.vertical / (w * hanging), 1.0, 1e-7);
  EXPECT_NEAR(forces.lying, lying, 1e-6);
  EXPECT_NEAR(forces.at_anchor / (w * a), 1.0, 1e-7);
}

TEST(HangingLine, an_anchor_over_the_bed_holds_a_second_hanging_part) {
  const double w = 700.0, a = 20.0, span = 40.0, lying = 25.0, far = 15.0;
  const auto height = [&](double x) { return a * (std::cosh(x / a) - 1.0); };
  const auto length = [&](double x) { return a * std::sinh(x / a); };
  const LineForces forces = forces_of({length(span) + lying + length(far), w, 1e14, height(far)}, span + lying + far,
                                      height(span) - height(far));
  EXPECT_NEAR(forces.horizontal / (w * a), 1.0, 1e-7);
  EXPECT_NEAR(forces.vertical / (w * length(span)), 1.0, 1e-7);
  EXPECT_NEAR(forces.at_anchor / (w * a * std::cosh(far / a)), 1.0, 1e-7);
  EXPECT_NEAR(forces.lying, lying, 1e-6);
}

TEST(HangingLine, a_line_that_is_lifted_off_the_bed_changes_its_force_smoothly) {
  const HangingLine line{60.0, 300.0, 1e7, 0.0};
  double before = -1.0, lying = 60.0;
  for (double span = 20.0; span < 58.0; span += 0.05) {
    const LineForces forces = forces_of(line, span, 20.0);
    EXPECT_GE(forces.horizontal, before - 1e-6) << span;
    EXPECT_LE(forces.lying, lying + 1e-6) << span;
    if (before > 0.0 && forces.horizontal < 2e5) {
      EXPECT_LT(forces.horizontal - before, 0.25 * before + 100.0) << span;
    }
    before = forces.horizontal;
    lying = forces.lying;
  }
  EXPECT_EQ(lying, 0.0);
}

TEST(HangingLine, a_slack_line_lies_on_the_bed_and_hangs_straight_down) {
  const LineForces forces = forces_of({60.0, 300.0, 1e14, 0.0}, 20.0, 15.0);  // it stretches by 3e-10 m
  EXPECT_EQ(forces.horizontal, 0.0);
  EXPECT_NEAR(forces.vertical, 300.0 * 15.0, 1e-6);
  EXPECT_NEAR(forces.lying, 45.0, 1e-6);
  EXPECT_EQ(forces.at_anchor, 0.0);
}

TEST(HangingLine, a_line_hangs_straight_down_below_its_fairlead) {
  const LineForces forces = forces_of({10.0, 300.0, 1e12, {}}, 0.0, -4.0);  // a loop 7 m and 3 m deep
  EXPECT_NEAR(forces.vertical, 300.0 * 3.0, 1e-3);
  EXPECT_NEAR(forces.horizontal, 0.0, 1e-3);
}

Mooring catenary() {
  MooringParameters keys;
  keys.kind = MooringKind::catenary;
  keys.anchor = {0.0, -20.0, 0.0};
  keys.fairlead = {30.0, 0.0, 10.0};
  keys.length = 45.0;
  keys.weight = 200.0;
  keys.axial_stiffness = 1e6;
  keys.bed = -20.0;
  return make_mooring(keys, 0, {30.0, 0.0, 10.0}, {0.0, -g, 0.0}, 1.0);
}

TEST(Mooring, the_stiffness_of_a_catenary_is_the_derivative_of_its_force) {
  const Mooring mooring = catenary();
  for (const Vec3& at : {Vec3(30.0, 0.0, 10.0), Vec3(37.0, 1.0, 11.0), Vec3(10.0, 2.0, -25.0)}) {
    const MooringForce line = force_of(mooring, at, Vec3::Zero());
    Mat3 derivative;
    for (int d = 0; d < 3; ++d) {
      const Vec3 step = 1e-4 * Vec3::Unit(d);
      derivative.col(d) =
          -(force_of(mooring, at + step, Vec3::Zero()).force - force_of(mooring, at - step, Vec3::Zero()).force) / 2e-4;
    }
    EXPECT_NEAR((line.stiffness - derivative).norm() / derivative.norm(), 0.0, 1e-3) << at.transpose();
    EXPECT_NEAR((derivative - derivative.transpose()).norm() / derivative.norm(), 0.0, 1e-5);  // it keeps energy
    EXPECT_NEAR(line.force.norm(), line.tension, 1e-9 * line.tension);
  }
}

TEST(Mooring, a_tether_only_pulls) {
  MooringParameters keys;
  keys.anchor = {0.5, 0.0, 0.5};
  keys.fairlead = {0.5, 1.0, 0.5};
  keys.stiffness = 50.0;
  keys.damping = 10.0;
  const Mooring tether = make_mooring(keys, 0, {0.5, 1.0, 0.5}, {0.0, -g, 0.0}, 1.0);
  EXPECT_EQ(tether.length, 1.0);
  EXPECT_EQ(force_of(tether, {0.5, 0.9, 0.5}, {0.0, 5.0, 0.0}).force.norm(), 0.0);
  const MooringForce taut = force_of(tether, {0.5, 1.2, 0.5}, {3.0, 0.5, 0.0});
  EXPECT_NEAR((taut.force - Vec3(0.0, -50.0 * 0.2 - 10.0 * 0.5, 0.0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR(taut.tension, 15.0, 1e-12);
  EXPECT_EQ(force_of(tether, {0.5, 1.2, 0.5}, {0.0, -3.0, 0.0}).tension, 0.0);  // its damper would push
}

Domain small_domain() {
  DomainOptions options;
  options.cells = Vec3i(8, 8, 8);
  options.cell_size = 0.125;
  return Domain(options);
}

FreeBody weight_of(double mass, const Vec3& center) {
  FreeBody body;
  body.mass = {mass, center, Vec3(0.1, 0.1, 0.1).asDiagonal()};
  body.path = std::make_shared<FreePath>();
  return body;
}

TEST(Mooring, a_weight_comes_to_rest_where_lines_hold_it) {
  // two tethers at right angles hold 3 kg: each has m g / sqrt(2), and gets longer by that over its stiffness
  FreeBody body = weight_of(3.0, {0.5, 0.5, 0.5});
  body.damping = 10.0;
  body.fixed = 56U;  // rotations
  BodyLinks links;
  for (const double side : {-1.0, 1.0}) {
    MooringParameters keys;
    keys.anchor = {0.5 + 2.0 * side, 2.5, 0.5};
    keys.fairlead = {0.5, 0.5, 0.5};
    keys.stiffness = 1e6;  // stiff: it acts at the end of the step
    keys.damping = 1.0;
    links.moorings.push_back(make_mooring(keys, 0, body.mass.center, {0.0, -g, 0.0}, 1.0));
  }
  FreeBodies bodies(small_domain(), 1000.0, {0.0, -g, 0.0}, {body}, links);
  for (int step = 0; step < 4000; ++step) {
    bodies.predict(0.01, 0.01);
    bodies.end_step(0.01, 0.01 * (step + 1));
  }
  const double tension = 3.0 * g / std::sqrt(2.0);
  for (const int n : {0, 1}) EXPECT_NEAR(bodies.mooring_report(n).tension / tension, 1.0, 1e-4);
  EXPECT_NEAR(bodies.report(0).center.y(), 0.5 - std::sqrt(2.0) * tension / 1e6, 1e-7);
}

TEST(Mooring, a_weight_on_a_tether_swings_as_a_pendulum) {
  // 1 m, let go at 0.1 rad: the period is 2 pi sqrt(l/g) (1 + a^2/16), with l stretched by m g / k
  constexpr double start = 0.1, stiffness = 1e4;
  const double length = 1.0 + g / stiffness;
  FreeBody body = weight_of(1.0, Vec3(0.5, 1.0, 0.5) + length * Vec3(std::sin(start), -std::cos(start), 0.0));
  MooringParameters keys;
  keys.anchor = {0.5, 1.0, 0.5};
  keys.fairlead = body.mass.center;
  keys.length = 1.0;
  keys.stiffness = stiffness;
  FreeBodies bodies(small_domain(), 1000.0, {0.0, -g, 0.0}, {body},
                    {{}, {make_mooring(keys, 0, body.mass.center, {0.0, -g, 0.0}, 1.0)}});
  const double period = 2.0 * std::numbers::pi * std::sqrt(length / g) * (1.0 + start * start / 16.0);
  constexpr int n = 4000;  // a step resolves the spring
  for (int step = 0; step < n; ++step) {
    const double dt = 2.0 * period / n;
    bodies.predict(dt, step == 0 ? 0.5 * dt : dt);
    bodies.end_step(dt, dt * (step + 1));
  }
  EXPECT_NEAR(bodies.report(0).center.x() - 0.5, length * std::sin(start), 2e-4);
  EXPECT_NEAR(bodies.report(0).velocity.x(), 0.0, 5e-3);
}

}  // namespace
}  // namespace freshet
