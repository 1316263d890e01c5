// SPDX-License-Identifier: Apache-2.0
// Bodies that joints connect, without liquid, against equations of motion that the tests integrate for themselves.
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace freshet {
namespace {

constexpr double g = 9.81;
const Vec3 down(0.0, -g, 0.0);

Domain domain_of(int dimension) {
  DomainOptions options;
  options.dimension = dimension;
  options.cells = dimension == 3 ? Vec3i(8, 8, 8) : Vec3i(8, 8, 1);
  options.cell_size = 0.125;
  return Domain(options);
}

/// A body whose moments of inertia about x, y, z are given.
FreeBody body_at(const Vec3& center, double mass, const Vec3& inertia) {
  FreeBody body;
  body.mass = {mass, center, inertia.asDiagonal()};
  body.path = std::make_shared<FreePath>();
  return body;
}

/// The joint of a case whose bodies are its solids.
Joint joint_of(JointKind kind, std::vector<double> solids, const Vec3& anchor, const std::vector<FreeBody>& bodies,
               const std::function<void(JointParameters&)>& change = {}) {
  JointParameters keys;
  keys.name = "joint";
  keys.kind = kind;
  keys.solids = std::move(solids);
  keys.anchor = anchor;
  if (change) change(keys);
  std::vector<int> of_solid;
  std::vector<Vec3> centers;
  for (const FreeBody& body : bodies) {
    of_solid.push_back(static_cast<int>(of_solid.size()));
    centers.push_back(body.mass.center);
  }
  return make_joint(keys, of_solid, centers, 1.0);
}

/// Let bodies move without liquid for n steps of dt, the first of which forces act in for half of it, so that
/// velocities belong to the middles of steps.
void advance(FreeBodies& bodies, int n, double dt, const std::function<void()>& look = {}) {
  for (int step = 0; step < n; ++step) {
    bodies.predict(dt, step == 0 ? 0.5 * dt : dt);
    bodies.end_step(dt, (step + 1) * dt);
    if (look) look();
  }
}

using Numbers = std::vector<double>;

/// Integrate y' = f(y) by the classical Runge-Kutta method in n steps.
Numbers integrate(const std::function<Numbers(const Numbers&)>& f, Numbers y, double time, int n) {
  const double dt = time / n;
  const auto plus = [](const Numbers& a, double factor, const Numbers& b) {
    Numbers sum = a;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * b[i];
    return sum;
  };
  for (int step = 0; step < n; ++step) {
    const Numbers k1 = f(y), k2 = f(plus(y, 0.5 * dt, k1)), k3 = f(plus(y, 0.5 * dt, k2)), k4 = f(plus(y, dt, k3));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
  return y;
}

/// The angle of a rod that hangs down at rest, from its direction away from the pivot.
double angle_of(const Vec3& along) {
  return std::atan2(along.x(), -along.y());
}

TEST(Joints, a_compound_pendulum_swings_as_its_equation_says) {
  // a body of 2 kg, 0.4 m from the hinge, let go at 60 degrees: (I + m r^2) a'' = -m g r sin a
  constexpr double mass = 2.0, arm = 0.4, inertia = 0.1, start = std::numbers::pi / 3.0, time = 1.5;
  const Numbers exact = integrate(
      [&](const Numbers& y) {
        return Numbers{y[1], -mass * g * arm / (inertia + mass * arm * arm) * std::sin(y[0])};
      },
      {start, 0.0}, time, 20000);
  const Vec3 pivot(0.5, 0.5, 0.5);
  for (const int dimension : {2, 3}) {
    double errors[2];
    for (int refined = 0; refined < 2; ++refined) {
      const int n = refined == 0 ? 150 : 300;
      const std::vector<FreeBody> list = {
          body_at(pivot + arm * Vec3(std::sin(start), -std::cos(start), 0.0), mass, {0.2, 0.15, inertia})};
      FreeBodies bodies(domain_of(dimension), 1000.0, down, list,
                        {{joint_of(JointKind::hinge, {0.0}, pivot, list)}, {}});
      double farthest = 0.0;
      advance(bodies, n, time / n,
              [&] { farthest = std::max(farthest, std::abs((bodies.report(0).center - pivot).norm() - arm)); });
      EXPECT_LT(farthest, 1e-13);
      errors[refined] = std::abs(angle_of(bodies.report(0).center - pivot) - exact[0]);
      EXPECT_NEAR(bodies.joint_report(0).value, exact[0] - start, 0.01);
    }
    EXPECT_LT(errors[1], 1e-4) << dimension;
    EXPECT_GT(errors[0] / errors[1], 3.7) << dimension;  // second order
  }
}

TEST(Joints, a_rod_that_spins_about_its_end_keeps_its_energy) {
  constexpr double mass = 3.0, arm = 0.5, inertia = 0.2, rate = 5.0, dt = 0.02;  // 0.1 rad a step
  std::vector<FreeBody> list = {body_at({0.5 + arm, 0.5, 0.5}, mass, {inertia, inertia, inertia})};
  list[0].velocity = {0.0, rate * arm, 0.0};
  list[0].angular = {0.0, 0.0, rate};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::ball, {0.0}, {0.5, 0.5, 0.5}, list)}, {}});
  advance(bodies, 1, dt);
  const double first = bodies.report(0).angular.z();
  advance(bodies, 5000, dt);
  EXPECT_NEAR(bodies.report(0).angular.z() / first, 1.0, 1e-11);
  EXPECT_NEAR(first, rate, 0.01 * rate);  // the first chord is off by half the square of the angle of a step
  // the joint holds the centrifugal force, over the circle's chord
  EXPECT_NEAR(bodies.joint_report(0).force.norm() / (mass * arm * rate * rate), 1.0, 0.01);
}

TEST(Joints, a_double_pendulum_swings_as_its_equations_say) {
  // two rods of length l and mass m, hinged to each other end to end; angles from straight down
  constexpr double m = 1.5, l = 0.6, time = 1.2;
  constexpr double own = m * l * l / 12.0, of_end = own + 0.25 * m * l * l;
  const auto rates = [&](const Numbers& y) {
    const double difference = y[0] - y[1];
    const double m11 = of_end + m * l * l, m12 = 0.5 * m * l * l * std::cos(difference), m22 = of_end;
    const double r1 = -0.5 * m * l * l * std::sin(difference) * y[3] * y[3] - 1.5 * m * l * g * std::sin(y[0]);
    const double r2 = 0.5 * m * l * l * std::sin(difference) * y[2] * y[2] - 0.5 * m * l * g * std::sin(y[1]);
    const double determinant = m11 * m22 - m12 * m12;
    return Numbers{y[2], y[3], (m22 * r1 - m12 * r2) / determinant, (m11 * r2 - m12 * r1) / determinant};
  };
  const double a = 2.0, b = 1.2;  // they turn over each other
  const Numbers exact = integrate(rates, {a, b, 0.0, 0.0}, time, 40000);
  const auto along = [](double angle) { return Vec3(std::sin(angle), -std::cos(angle), 0.0); };
  const Vec3 pivot(0.5, 0.5, 0.5), elbow = pivot + l * along(a);
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int n = refined == 0 ? 600 : 1200;
    const std::vector<FreeBody> list = {body_at(pivot + 0.5 * l * along(a), m, {own, own, own}),
                                        body_at(elbow + 0.5 * l * along(b), m, {own, own, own})};
    FreeBodies bodies(
        domain_of(3), 1000.0, down, list,
        {{joint_of(JointKind::hinge, {0.0}, pivot, list), joint_of(JointKind::hinge, {1.0, 0.0}, elbow, list)}, {}});
    advance(bodies, n, time / n);
    const Vec3 first = bodies.report(0).center, second = bodies.report(1).center;
    const Vec3 end = pivot + 2.0 * (first - pivot);
    EXPECT_NEAR((second - end).norm(), 0.5 * l, 1e-13);
    const auto apart = [](double x, double y) { return std::abs(std::remainder(x - y, 2.0 * std::numbers::pi)); };
    errors[refined] = apart(angle_of(first - pivot), exact[0]) + apart(angle_of(second - end), exact[1]);
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_GT(errors[0] / errors[1], 3.5);
}

TEST(Joints, a_parallelogram_of_bars_swings_though_its_joints_repeat_themselves) {
  // Two bars hang from hinges and carry a third, which stays level: 18 velocities, 20 rows of rank 17.
  // (2 m l^2 / 3 + M l^2) a'' = -(m l + M l) g sin a
  constexpr double m = 1.0, l = 0.3, heavy = 2.0, start = 0.9, time = 1.0;
  const Numbers exact = integrate(
      [&](const Numbers& y) {
        return Numbers{y[1], -(m + heavy) * g / ((2.0 / 3.0 * m + heavy) * l) * std::sin(y[0])};
      },
      {start, 0.0}, time, 20000);
  const Vec3 left(0.3, 0.8, 0.5), right(0.7, 0.8, 0.5), way = l * Vec3(std::sin(start), -std::cos(start), 0.0);
  const double own = m * l * l / 12.0;
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int n = refined == 0 ? 200 : 400;
    const std::vector<FreeBody> list = {body_at(left + 0.5 * way, m, {own, own, own}),
                                        body_at(right + 0.5 * way, m, {own, own, own}),
                                        body_at(0.5 * (left + right) + way, heavy, {0.01, 0.03, 0.03})};
    const auto hinge = [&](std::vector<double> solids, const Vec3& at) {
      return joint_of(JointKind::hinge, std::move(solids), at, list);
    };
    FreeBodies bodies(
        domain_of(3), 1000.0, down, list,
        {{hinge({0.0}, left), hinge({1.0}, right), hinge({2.0, 0.0}, left + way), hinge({2.0, 1.0}, right + way)}, {}});
    advance(bodies, n, time / n);
    const BodyReport bar = bodies.report(2);
    EXPECT_NEAR((bar.rotation - Mat3::Identity()).norm(), 0.0, 1e-12);
    EXPECT_NEAR(bar.center.z(), 0.5, 1e-13);
    const Vec3 carried = bar.center - 0.5 * (left + right);
    EXPECT_NEAR(carried.norm(), l, 1e-12);
    errors[refined] = std::abs(angle_of(carried) - exact[0]);
  }
  EXPECT_LT(errors[1], 1e-3);
  EXPECT_GT(errors[0] / errors[1], 3.7);
}

TEST(Joints, a_heavy_top_keeps_its_energy) {
  const Vec3 pivot(0.5, 0.5, 0.5), inertia(0.01, 0.02, 0.02);
  const double mass = 1.0, arm = 0.2;
  std::vector<FreeBody> list = {body_at(pivot + Vec3(arm, 0.0, 0.0), mass, inertia)};
  list[0].angular = {60.0, 0.0, 0.0};  // about its own axis, which is level
  double swings[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int n = refined == 0 ? 1000 : 2000;
    std::vector<FreeBody> here = list;
    here[0].path = std::make_shared<FreePath>();
    FreeBodies bodies(domain_of(3), 1000.0, down, here, {{joint_of(JointKind::ball, {0.0}, pivot, here)}, {}});
    double largest = -1e30, least = 1e30;
    double far = 0.0;
    advance(bodies, n, 1.0 / n, [&] {
      const BodyReport top = bodies.report(0);
      const Vec3 spin = top.rotation.transpose() * top.angular;
      const double energy = 0.5 * mass * top.velocity.squaredNorm() + 0.5 * spin.dot(inertia.cwiseProduct(spin)) +
                            mass * g * top.center.y();
      largest = std::max(largest, energy);
      least = std::min(least, energy);
      far = std::max(far, std::abs((top.center - pivot).norm() - arm));
    });
    swings[refined] = (largest - least) / 18.0;  // over the energy of the spin
    EXPECT_LT(far, 1e-13);
  }
  EXPECT_LT(swings[1], 0.01);
  EXPECT_GT(swings[0] / swings[1], 1.7);  // velocities of middles with heights of ends: it swings by the step's length
}

TEST(Joints, bodies_fixed_to_each_other_are_one_body) {
  // two cubes side by side against one body with the moments of both (Steiner)
  const double mass = 2.0, own = 0.3, half = 0.25;
  const std::vector<FreeBody> pair = {body_at({0.5 - half, 0.5, 0.5}, mass, {own, own, own}),
                                      body_at({0.5 + half, 0.5, 0.5}, mass, {own, own, own})};
  const double across = 2.0 * own + 2.0 * mass * half * half;
  const std::vector<FreeBody> whole = {body_at({0.5, 0.5, 0.5}, 2.0 * mass, {2.0 * own, across, across})};
  FreeBodies two(domain_of(3), 1000.0, down, pair,
                 {{joint_of(JointKind::fixed, {0.0, 1.0}, {0.5, 0.5, 0.5}, pair)}, {}});
  FreeBodies one(domain_of(3), 1000.0, down, whole);
  two.predict(0.01, 0.01);
  one.predict(0.01, 0.01);
  Vec6 impulse;
  impulse << 1.0, -2.0, 0.5, 0.3, 0.1, -0.2;  // on the right cube, about its centre
  std::array<Vec6, 2> on_pair = {Vec6::Zero(), impulse};
  two.push(on_pair);
  Vec6 about_middle = impulse;
  about_middle.tail<3>() += Vec3(half, 0.0, 0.0).cross(Vec3(impulse.head<3>()));
  one.push(std::span<const Vec6>(&about_middle, 1));
  for (const int n : {0, 1}) {
    const Vec3 arm(n == 0 ? -half : half, 0.0, 0.0);
    const Vec3 angular = one.velocity(0).tail<3>();
    EXPECT_NEAR((two.velocity(n).tail<3>() - angular).norm(), 0.0, 1e-13);
    EXPECT_NEAR((two.velocity(n).head<3>() - one.velocity(0).head<3>() - angular.cross(arm)).norm(), 0.0, 1e-13);
  }
  EXPECT_GT((two.inverse_mass(0, 1) * impulse).norm(), 0.1);
  two.end_step(0.01, 0.01);
  // momenta of both together: what gravity and the push gave
  Vec3 linear = Vec3::Zero();
  for (const int n : {0, 1}) linear += mass * two.report(n).velocity;
  EXPECT_NEAR((linear - 0.01 * 2.0 * mass * down - impulse.head<3>()).norm(), 0.0, 1e-13);
}

TEST(Joints, joints_keep_linear_and_angular_momentum) {
  // three bodies in a chain of a ball, a hinge and a spring tumble freely
  std::vector<FreeBody> list = {body_at({0.3, 0.5, 0.5}, 1.0, {0.01, 0.02, 0.02}),
                                body_at({0.5, 0.5, 0.5}, 2.0, {0.02, 0.03, 0.04}),
                                body_at({0.7, 0.6, 0.5}, 0.5, {0.01, 0.01, 0.01})};
  list[0].velocity = {0.0, 1.0, 0.5};
  list[1].angular = {2.0, -1.0, 3.0};
  list[2].velocity = {-0.5, 0.0, 1.0};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::ball, {0.0, 1.0}, {0.4, 0.5, 0.5}, list),
                      joint_of(JointKind::hinge, {1.0, 2.0}, {0.6, 0.5, 0.5}, list),
                      joint_of(JointKind::spring, {0.0, 2.0}, {0.3, 0.55, 0.5}, list,
                               [](JointParameters& keys) {
                                 keys.end = {0.7, 0.65, 0.5};
                                 keys.length = 0.2;
                                 keys.stiffness = 30.0;
                                 keys.damping = 0.4;
                               })},
                     {}});
  const auto momenta = [&] {
    Vec6 sum = Vec6::Zero();
    for (int n = 0; n < 3; ++n) {
      const BodyReport body = bodies.report(n);
      const Vec3 linear = list[static_cast<std::size_t>(n)].mass.mass * body.velocity;
      sum.head<3>() += linear;
      sum.tail<3>() += body.center.cross(linear);
    }
    const std::vector<double> angular = bodies.kept().at("momentum");
    for (std::size_t n = 0; n < angular.size(); ++n) sum[static_cast<int>(3 + n % 3)] += angular[n];
    return sum;
  };
  advance(bodies, 1, 0.002);
  const Vec6 before = momenta();
  advance(bodies, 1500, 0.002);
  const Vec6 after = momenta();
  EXPECT_NEAR((after - before).head<3>().norm(), 0.0, 1e-12);
  EXPECT_GT(before.tail<3>().norm(), 0.1);
  EXPECT_NEAR((after - before).tail<3>().norm(), 0.0, 1e-11);  // 1500 roundings
}

TEST(Joints, a_slider_s_power_take_off_takes_the_energy_that_the_body_loses) {
  constexpr double mass = 2.0, damping = 3.0, speed = 1.5, dt = 1e-3;
  std::vector<FreeBody> list = {body_at({0.5, 0.5, 0.5}, mass, {0.1, 0.1, 0.1})};
  const Vec3 axis = Vec3(3.0, 0.0, 4.0) / 5.0;
  list[0].velocity = speed * axis;
  FreeBodies bodies(domain_of(3), 1000.0, down, list,
                    {{joint_of(JointKind::slider, {0.0}, {0.5, 0.4, 0.5}, list,
                               [&](JointParameters& keys) {
                                 keys.axis = 2.0 * axis;
                                 keys.damping = damping;
                               })},
                     {}});
  double taken = 0.0;
  advance(bodies, 1000, dt, [&] { taken += dt * bodies.joint_report(0).power; });
  const double exact = speed * std::exp(-damping * 1.0 / mass);  // m v' = -c v; gravity is across the axis
  EXPECT_NEAR(bodies.joint_report(0).rate / exact, 1.0, 2.0 * damping * dt / mass);
  EXPECT_NEAR(bodies.joint_report(0).value, mass / damping * (speed - exact), 2e-3);
  EXPECT_NEAR(taken / (0.5 * mass * (speed * speed - exact * exact)), 1.0, 2.0 * damping * dt / mass);
  EXPECT_NEAR((bodies.report(0).center - Vec3(0.5, 0.5, 0.5)).cross(axis).norm(), 0.0, 1e-13);
  EXPECT_NEAR((bodies.joint_report(0).force - Vec3(0.0, mass * g, 0.0)).norm(), 0.0, 1e-10);
  EXPECT_NEAR((bodies.report(0).rotation - Mat3::Identity()).norm(), 0.0, 1e-13);
}

TEST(Joints, a_hinge_with_a_spring_swings_at_its_frequency) {
  constexpr double inertia = 0.4, mass = 1.0, arm = 0.2, stiffness = 11.0;  // about the hinge: 0.44
  const std::vector<FreeBody> list = {body_at({0.5 + arm, 0.5, 0.5}, mass, {0.1, 0.3, inertia})};
  const double period = 2.0 * std::numbers::pi / 5.0;  // sqrt(11 / 0.44) = 5 rad/s
  FreeBodies bodies(domain_of(2), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::hinge, {0.0}, {0.5, 0.5, 0.5}, list,
                               [](JointParameters& keys) {
                                 keys.stiffness = stiffness;
                                 keys.angle = 20.0;
                               })},
                     {}});
  double farthest = 0.0;
  advance(bodies, 5500, period / 1000.0, [&] { farthest = std::max(farthest, bodies.joint_report(0).value); });
  const double rest = std::numbers::pi / 9.0;
  EXPECT_NEAR(farthest, 2.0 * rest, 1e-4);                      // it swings about its rest
  EXPECT_NEAR(bodies.joint_report(0).value, 2.0 * rest, 1e-4);  // half a period after five
}

TEST(Joints, an_angle_counts_whole_turns) {
  std::vector<FreeBody> list = {body_at({0.5, 0.5, 0.5}, 1.0, {1.0, 1.0, 1.0})};
  list[0].angular = {0.0, 0.0, 4.0};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::hinge, {0.0}, {0.5, 0.5, 0.5}, list)}, {}});
  advance(bodies, 500, 0.01);
  EXPECT_NEAR(bodies.joint_report(0).value, 20.0, 1e-9);
}

TEST(Joints, a_stiff_spring_between_bodies_does_not_blow_up) {
  std::vector<FreeBody> list = {body_at({0.3, 0.5, 0.5}, 1.0, {0.1, 0.1, 0.1}),
                                body_at({0.7, 0.5, 0.5}, 3.0, {0.1, 0.1, 0.1})};
  list[0].velocity = {1.0, 0.0, 0.0};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::spring, {0.0, 1.0}, {0.3, 0.5, 0.5}, list,
                               [](JointParameters& keys) {
                                 keys.end = {0.7, 0.5, 0.5};
                                 keys.stiffness = 1e9;
                               })},
                     {}});
  advance(bodies, 300, 0.01);
  EXPECT_NEAR(bodies.joint_report(0).value, 0.4, 1e-6);  // 4e-9 m would hold the momentum; the start is longer by less
  for (const int n : {0, 1}) EXPECT_NEAR(bodies.report(n).velocity.x(), 0.25, 1e-6);  // that of both together
}

TEST(Joints, held_axes_and_joints_go_together) {
  // a body that may only move along x is hinged to one that turns: a crank
  std::vector<FreeBody> list = {body_at({0.5, 0.5, 0.5}, 1.0, {0.1, 0.1, 0.1}),
                                body_at({0.8, 0.5, 0.5}, 1.0, {0.1, 0.1, 0.1})};
  list[1].fixed = 62U;  // all but x
  list[0].angular = {0.0, 0.0, 1.0};
  const double l = 0.3;
  FreeBodies bodies(domain_of(2), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::hinge, {0.0, 1.0}, {0.8, 0.5, 0.5}, list)}, {}});
  advance(bodies, 400, 0.005, [&] {
    EXPECT_NEAR(bodies.report(1).center.y(), 0.5, 1e-14);
    const Vec3 end = bodies.report(0).center + bodies.report(0).rotation * Vec3(l, 0.0, 0.0);
    ASSERT_NEAR((end - bodies.report(1).center).norm(), 0.0, 1e-13);
  });
  EXPECT_GT(std::abs(bodies.report(1).velocity.x()), 1e-3);
}

TEST(Joints, a_rod_that_held_axes_pull_apart_is_refused) {
  // both ends of a rod of 0.1 m move apart along x, which its bodies hold: it is straight, and too short, after 0.25 s
  const double half = 0.05 * 0.5, across = std::sqrt(0.1 * 0.1 - 4.0 * half * half);
  std::vector<FreeBody> list = {body_at({0.5 + half, 0.5 + across, 0.5}, 1.0, {0.1, 0.1, 0.1}),
                                body_at({0.5 - half, 0.5, 0.5}, 1.0, {0.1, 0.1, 0.1})};
  for (FreeBody& body : list) body.fixed = 1U;  // x
  list[0].velocity = {0.1, 0.0, 0.0};
  list[1].velocity = {-0.1, 0.0, 0.0};
  FreeBodies bodies(domain_of(2), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::hinge, {0.0, 1.0}, list[0].mass.center, list)}, {}});
  double time = 0.0, farthest = 0.0;
  std::string message;
  try {
    for (; time < 1.0; time += 0.01) {
      bodies.predict(0.01, 0.01);
      bodies.end_step(0.01, time + 0.01);
      farthest = std::max(farthest, std::abs(bodies.report(0).center.y() - 0.5));
    }
  } catch (const RunError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("the joint 'joint' stands open"), std::string::npos) << message;
  EXPECT_NEAR(time, 0.25, 0.011);
  EXPECT_LT(farthest, 0.5);  // no body is thrown away before
}

TEST(Joints, a_body_that_is_set_takes_its_assembly_along) {
  const std::vector<FreeBody> list = {body_at({0.3, 0.5, 0.5}, 1.0, {0.01, 0.01, 0.01}),
                                      body_at({0.5, 0.5, 0.5}, 1.0, {0.01, 0.01, 0.01})};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list,
                    {{joint_of(JointKind::ball, {0.0, 1.0}, {0.4, 0.5, 0.5}, list)}, {}});
  Vec6 velocity;
  velocity << 1.0, 0.0, 0.0, 0.0, 0.0, 2.0;
  bodies.set_state(1, {{0.5, 0.58, 0.5}, turn_by({0.0, 0.0, 0.3})}, velocity);
  const BodyReport first = bodies.report(0), second = bodies.report(1);
  const Vec3 here = first.center + first.rotation * Vec3(0.1, 0.0, 0.0);
  const Vec3 there = second.center + second.rotation * Vec3(-0.1, 0.0, 0.0);
  EXPECT_NEAR((here - there).norm(), 0.0, 1e-13);
  EXPECT_GT((first.center - Vec3(0.3, 0.5, 0.5)).norm(), 1e-3);
  EXPECT_NEAR((second.velocity - Vec3(1.0, 0.0, 0.0)).norm(), 0.0, 1e-15);
}

TEST(Joints, loads_act_like_the_forces_of_a_case) {
  const std::vector<FreeBody> list = {body_at({0.5, 0.5, 0.5}, 2.0, {0.1, 0.2, 0.4})};
  FreeBodies bodies(domain_of(3), 1000.0, Vec3::Zero(), list);
  Vec6 load;
  load << 4.0, 0.0, -2.0, 0.0, 0.0, 0.8;
  bodies.set_loads(std::span<const Vec6>(&load, 1));
  bodies.predict(0.1, 0.1);
  bodies.end_step(0.1, 0.1);
  EXPECT_NEAR((bodies.report(0).velocity - Vec3(0.2, 0.0, -0.1)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((bodies.report(0).angular - Vec3(0.0, 0.0, 0.2)).norm(), 0.0, 1e-14);
}

TEST(Joints, a_restart_goes_on_with_the_same_bits) {
  const auto make = [] {
    std::vector<FreeBody> list = {body_at({0.4, 0.5, 0.5}, 1.0, {0.01, 0.02, 0.02}),
                                  body_at({0.6, 0.5, 0.5}, 2.0, {0.02, 0.03, 0.04})};
    for (int n : {0, 1}) list[static_cast<std::size_t>(n)].solid = n;
    for (const int n : {0, 1}) {  // both turn about the hinge as one
      list[static_cast<std::size_t>(n)].velocity = {0.0, n == 0 ? 0.9 : 2.7, 0.0};
      list[static_cast<std::size_t>(n)].angular = {0.0, 0.0, 9.0};
    }
    std::vector<Joint> joints = {
        joint_of(JointKind::hinge, {0.0}, {0.3, 0.5, 0.5}, list, [](JointParameters& keys) { keys.stiffness = 0.1; }),
        joint_of(JointKind::ball, {1.0, 0.0}, {0.5, 0.5, 0.5}, list)};
    return std::make_unique<FreeBodies>(domain_of(3), 1000.0, Vec3::Zero(), list, BodyLinks{joints, {}});
  };
  const auto whole = make(), restarted = make();
  const auto go = [](FreeBodies& bodies, int from, int to) {
    for (int step = from; step < to; ++step) {
      bodies.predict(0.005, 0.005);
      bodies.end_step(0.005, 0.005 * (step + 1));
    }
  };
  go(*whole, 0, 300);
  EXPECT_GT(whole->joint_report(0).value, 4.0);  // beyond half a turn: the angle is more than the pose
  restarted->go_on(whole->kept(), 1.5);
  go(*whole, 300, 350);
  go(*restarted, 300, 350);
  EXPECT_EQ(whole->kept(), restarted->kept());
}

TEST(SemidefiniteFactor, rows_that_depend_on_others_do_not_count) {
  // A = B B^T of rank 2 with rows of very different size, one of them zero
  const double b[4][2] = {{1.0, 2.0}, {1e-4, -3e-4}, {0.0, 0.0}, {2.0, 4.0}};
  Dense matrix;
  matrix.reset(4, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) matrix(i, j) = b[i][0] * b[j][0] + b[i][1] * b[j][1];
  SemidefiniteFactor factor;
  const std::array<double, 4> reference = {1.0, 1.0, 1.0, 1.0};
  factor.compute(matrix, reference);
  EXPECT_EQ(factor.rank(), 2);
  const auto times = [&](const std::array<double, 4>& x) {
    std::array<double, 4> product{};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) product[static_cast<std::size_t>(i)] += matrix(i, j) * x[static_cast<std::size_t>(j)];
    return product;
  };
  const std::array<double, 4> right = times({0.3, -1.0, 2.0, 0.7});
  std::array<double, 4> x = right;
  factor.solve(x);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(times(x)[i], right[i], 1e-12);
  Dense half;
  factor.halve(matrix, half);
  ASSERT_EQ(half.rows, 2);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(half(0, i) * half(0, j) + half(1, i) * half(1, j), matrix(i, j), 1e-12);  // A A^+ A = A
}

TEST(Dense, the_inverse_times_the_matrix_is_one) {
  Dense matrix, inverse, lower;
  matrix.reset(5, 5);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) matrix(i, j) = 1.0 / (1.0 + i + j) + (i == j ? 0.5 : 0.0);
  inverse = matrix;
  invert(inverse, lower);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      double product = 0.0;
      for (int k = 0; k < 5; ++k) product += matrix(i, k) * inverse(k, j);
      EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-14);
    }
}

}  // namespace
}  // namespace freshet
