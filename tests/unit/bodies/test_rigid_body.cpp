// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>

namespace freshet {
namespace {

double energy(const Mat3& inertia, const Mat3& rotation, const Vec3& momentum) {
  const Vec3 of_body = rotation.transpose() * momentum;
  return 0.5 * of_body.dot(inertia.inverse() * of_body);
}

/// A book thrown about its middle axis, whose rotation is unstable.
const Mat3 book = Vec3(1.0, 2.0, 2.8).asDiagonal();

TEST(FreeSpin, a_tumbling_book_keeps_its_energy) {
  Mat3 rotation = turn_by({0.3, -0.7, 0.2});
  const Vec3 momentum = rotation * Vec3(book * Vec3(0.01, 3.0, 0.02));
  const double start = energy(book, rotation, momentum);
  const double dt = 0.05;
  double turned_over = 1.0;
  for (int step = 0; step < 4000; ++step) {
    rotation = without_drift(turn_by(dt * free_spin(book, rotation, momentum, dt)) * rotation);
    turned_over = std::min(turned_over, (rotation.transpose() * momentum).normalized().y());
  }
  EXPECT_NEAR(energy(book, rotation, momentum), start, 1e-12 * start);  // 4000 roundings
  EXPECT_LT(turned_over, -0.99);                                        // it does tumble (Dzhanibekov)
}

TEST(FreeSpin, a_symmetric_top_precesses_at_the_rate_of_theory) {
  // I1 = I2 = 1, I3 = 2: the axis goes round the momentum at |L| / I1, exactly
  const Mat3 top = Vec3(1.0, 1.0, 2.0).asDiagonal();
  const Vec3 momentum = top * Vec3(0.4, 0.0, 1.5);
  const double time = 2.3;
  const Vec3 exact = turn_by(time * momentum) * Vec3::UnitZ();
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int steps = refined == 0 ? 40 : 80;
    const double dt = time / steps;
    Mat3 rotation = Mat3::Identity();
    for (int step = 0; step < steps; ++step) rotation = turn_by(dt * free_spin(top, rotation, momentum, dt)) * rotation;
    errors[refined] = (rotation * Vec3::UnitZ() - exact).norm();
  }
  EXPECT_LT(errors[1], 2e-4);
  EXPECT_GT(errors[0] / errors[1], 3.8);  // at least of second order
}

/// A body 1 m wide whose shape is not needed.
FreeBody plain_body() {
  FreeBody body;
  body.mass = {2.0, {0.5, 0.5, 0.5}, Vec3(1.0, 2.0, 2.5).asDiagonal()};
  body.path = std::make_shared<FreePath>();
  return body;
}

Domain unit_domain(int dimension = 3) {
  DomainOptions options;
  options.dimension = dimension;
  options.cells = dimension == 3 ? Vec3i(8, 8, 8) : Vec3i(8, 8, 1);
  options.cell_size = 0.125;
  return Domain(options);
}

TEST(FreeBodies, a_body_in_air_falls_as_gravity_says) {
  const Vec3 gravity(0.5, -9.81, 0.0);
  FreeBodies bodies(unit_domain(), 1000.0, gravity, {plain_body()});
  const double dt = 0.01;
  for (int step = 0; step < 10; ++step) {
    bodies.predict(dt, dt);
    bodies.end_step(dt, (step + 1) * dt);
  }
  const BodyReport report = bodies.report(0);
  EXPECT_NEAR((report.velocity - 0.1 * gravity).norm(), 0.0, 1e-14);
  EXPECT_NEAR((report.center - Vec3(0.5, 0.5, 0.5) - 55 * dt * dt * gravity).norm(), 0.0, 1e-14);  // symplectic Euler
  EXPECT_EQ(report.force.norm(), 0.0);
}

/// Without liquid, over hundreds of turns of a body that tumbles: V' of its steps, not only the scheme by itself.
TEST(FreeBodies, a_body_that_tumbles_alone_keeps_its_energy_and_angular_momentum) {
  FreeBody body = plain_body();
  body.mass.inertia = book;
  body.velocity = {0.4, -0.2, 0.1};
  body.angular = {0.01, 3.0, 0.02};
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
  const Vec3 momentum = book * body.angular;
  const double start = 0.5 * body.angular.dot(momentum);
  double turned_over = 1.0, turns = 0.0, worst_energy = 0.0, worst_momentum = 0.0;
  for (int step = 0; step < 10000; ++step) {
    bodies.predict(0.05, 0.05);
    bodies.end_step(0.05, 0.05 * (step + 1));
    const KeptArrays kept = bodies.kept();
    const Vec3 now(kept.at("momentum")[0], kept.at("momentum")[1], kept.at("momentum")[2]);
    const Mat3 rotation = bodies.report(0).rotation;
    worst_energy = std::max(worst_energy, std::abs(energy(book, rotation, now) / start - 1.0));
    worst_momentum = std::max(worst_momentum, (now - momentum).norm() / momentum.norm());
    turned_over = std::min(turned_over, (rotation.transpose() * now).normalized().y());
    turns += 0.05 / (2.0 * std::numbers::pi) * bodies.report(0).angular.norm();
  }
  EXPECT_LT(worst_energy, 1e-11);  // 10000 roundings
  EXPECT_LT(worst_momentum, 1e-11);
  EXPECT_GT(turns, 200.0);
  EXPECT_LT(turned_over, -0.99);  // it does tumble
  EXPECT_NEAR((bodies.report(0).center - Vec3(0.5, 0.5, 0.5) - 500.0 * body.velocity).norm(), 0.0, 1e-9);
}

TEST(FreeBodies, the_motion_of_the_solid_is_the_body_s) {
  FreeBody body = plain_body();
  body.velocity = {1.0, 2.0, -0.5};
  body.angular = {0.0, 0.0, 3.0};
  const RigidMotion motion(body.mass.center, body.path);
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
  bodies.predict(0.1, 0.1);
  const Vec3 point = motion.pose(0.1).to_world({0.6, 0.5, 0.5});  // 0.1 m beside the centre, turned by 0.3
  EXPECT_NEAR((point - Vec3(0.6 + 0.1 * std::cos(0.3), 0.7 + 0.1 * std::sin(0.3), 0.45)).norm(), 0.0, 1e-14);
  const Vec3 before = motion.twist(0.0, 0.1).at({0.6, 0.5, 0.5});
  EXPECT_NEAR((before - Vec3(1.0, 2.3, -0.5)).norm(), 0.0, 1e-14);
  bodies.end_step(0.1, 0.1);
  EXPECT_NEAR((motion.pose(0.1).to_world({0.6, 0.5, 0.5}) - point).norm(), 0.0, 1e-14);
  bodies.predict(0.1, 0.1);
  bodies.give_up();  // a step that is not taken
  EXPECT_NEAR((motion.pose(0.1).to_world({0.6, 0.5, 0.5}) - point).norm(), 0.0, 1e-14);
}

TEST(FreeBodies, held_axes_keep_the_velocity_of_the_start) {
  FreeBody body = plain_body();
  body.velocity = {1.0, 0.0, 0.0};
  body.angular = {0.0, 0.7, 0.0};
  body.fixed = 1U | 1U << 3U | 1U << 5U;  // x, rx, rz
  body.force = {5.0, 4.0, 0.0};
  body.moment = {1.0, 2.0, 3.0};
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
  bodies.predict(0.1, 0.1);
  bodies.end_step(0.1, 0.1);
  const BodyReport report = bodies.report(0);
  EXPECT_NEAR((report.velocity - Vec3(1.0, 0.2, 0.0)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((report.angular - Vec3(0.0, 0.7 + 0.1 * 2.0 / 2.0, 0.0)).norm(), 0.0, 1e-14);
}

TEST(FreeBodies, a_spring_without_water_swings_at_its_frequency) {
  FreeBody body = plain_body();  // 2 kg at 50 N/m: 5 rad/s
  body.springs = {{0.5, 0.5, 0.5, 0.5, 1.5, 0.5, 50.0, 0.9}};
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
  const double dt = 2.0 * M_PI / 5.0 / 1000.0;
  double largest_energy = 0.0, least_energy = 1e30;
  for (int step = 0; step < 10000; ++step) {
    bodies.predict(dt, dt);
    bodies.end_step(dt, (step + 1) * dt);
    const double y = bodies.report(0).center.y() - 0.6, v = bodies.report(0).velocity.y();
    const double energy = 0.5 * 2.0 * v * v + 0.5 * 50.0 * y * y;
    largest_energy = std::max(largest_energy, energy);
    least_energy = std::min(least_energy, energy);
  }
  EXPECT_NEAR(bodies.report(0).center.y(), 0.5, 2e-5);  // after ten periods, each long by (w dt)^2 / 24
  EXPECT_LT(largest_energy / least_energy, 1.01);       // symplectic: it swings by w dt
}

TEST(FreeBodies, a_stiff_damper_stops_a_body_without_overshoot) {
  FreeBody body = plain_body();
  body.velocity = {0.0, 3.0, 0.0};
  body.damping = 1e6;
  FreeBodies bodies(unit_domain(), 1000.0, {0.0, -9.81, 0.0}, {body});
  bodies.predict(0.01, 0.01);
  bodies.end_step(0.01, 0.01);
  EXPECT_NEAR(bodies.report(0).velocity.y(), (2.0 * 3.0 - 0.01 * 2.0 * 9.81) / (2.0 + 0.01 * 1e6), 1e-12);
}

/// m v' = -k |v| v: v = v_0 / (1 + k |v_0| t / m), which steps with the last velocity in |v| meet to the last digits.
TEST(FreeBodies, quadratic_damping_slows_a_body_down_as_the_exact_solution) {
  constexpr double mass = 2.0, k = 5.0, dt = 0.02;
  FreeBody body = plain_body();
  body.velocity = {3.0, -4.0, 12.0};
  body.quadratic_damping = k;
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
  for (int step = 0; step < 10; ++step) {
    bodies.predict(dt, dt);
    bodies.end_step(dt, (step + 1) * dt);
    const Vec3 exact = body.velocity / (1.0 + k * 13.0 * (step + 1) * dt / mass);
    EXPECT_NEAR((bodies.report(0).velocity - exact).norm(), 0.0, 1e-13);
  }
}

/// Its weight and the drag are equal at sqrt(m g / k), whatever the step is.
TEST(FreeBodies, quadratic_damping_gives_a_falling_body_its_last_speed) {
  FreeBody body = plain_body();
  body.quadratic_damping = 5.0;
  for (const double dt : {0.01, 0.1}) {
    FreeBodies bodies(unit_domain(), 1000.0, {0.0, -9.81, 0.0}, {body});
    for (int step = 0; step < 400; ++step) {
      bodies.predict(dt, dt);
      bodies.end_step(dt, (step + 1) * dt);
    }
    EXPECT_NEAR(bodies.report(0).velocity.y(), -std::sqrt(2.0 * 9.81 / 5.0), 1e-12);
  }
}

/// I w' = -c w about a principal axis: w = w_0 exp(-c t / I), by implicit steps of first order.
TEST(FreeBodies, angular_damping_slows_a_spin_down_as_the_exact_solution) {
  constexpr double inertia = 2.5, c = 4.0, time = 1.0;  // the inertia of plain_body about z
  FreeBody body = plain_body();
  body.velocity = {0.3, 0.0, 0.0};
  body.angular = {0.0, 0.0, 6.0};
  body.angular_damping = c;
  double errors[2];
  for (int refined = 0; refined < 2; ++refined) {
    const int steps = refined == 0 ? 20 : 40;
    const double dt = time / steps;
    FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body});
    for (int step = 0; step < steps; ++step) {
      bodies.predict(dt, dt);
      bodies.end_step(dt, (step + 1) * dt);
    }
    const BodyReport report = bodies.report(0);
    EXPECT_NEAR(report.angular.z(), 6.0 / std::pow(1.0 + c * dt / inertia, steps), 1e-12);
    errors[refined] = report.angular.z() / (6.0 * std::exp(-c * time / inertia)) - 1.0;
    EXPECT_NEAR(report.angular.head<2>().norm(), 0.0, 1e-14);
    EXPECT_NEAR((report.velocity - body.velocity).norm(), 0.0, 1e-14);
  }
  EXPECT_LT(errors[1], 0.04);
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.1);
}

TEST(FreeBodies, a_push_changes_momenta_by_its_impulse) {
  FreeBody body = plain_body();
  body.velocity = {1.0, 2.0, -0.5};
  body.angular = {0.3, 2.0, 3.0};
  FreeBody held = plain_body();
  held.solid = 1;
  held.fixed = 1U << 1U;  // y
  FreeBodies bodies(unit_domain(), 1000.0, Vec3::Zero(), {body, held});
  Vec6 impulse;
  impulse << 4.0, -2.0, 6.0, 0.1, -0.2, 0.3;
  bodies.predict(0.01, 0.01);
  const Vec6 before = bodies.velocity(0);
  const std::array<Vec6, 2> impulses = {impulse, impulse};
  bodies.push(impulses);
  EXPECT_NEAR((bodies.velocity(0) - before - bodies.inverse_mass(0, 0) * impulse).norm(), 0.0, 1e-14);
  EXPECT_EQ((bodies.inverse_mass(0, 1) * impulse).norm(), 0.0);
  EXPECT_NEAR((bodies.velocity(0) - before).head<3>().norm(), impulse.head<3>().norm() / 2.0, 1e-14);  // 2 kg
  EXPECT_EQ(bodies.velocity(1)[1], 0.0);
  EXPECT_NEAR(bodies.velocity(1)[2], 3.0, 1e-14);
  bodies.end_step(0.01, 0.01);
  // the angular momentum: that of the start and the push's, in the axes of space
  const Vec3 start = body.mass.inertia * body.angular;
  const std::vector<double> momenta = bodies.kept().at("momentum");
  const Vec3 found(momenta[0], momenta[1], momenta[2]);
  EXPECT_NEAR((found - start - impulse.tail<3>()).norm(), 0.0, 1e-14);
}

TEST(FreeBodies, a_restart_goes_on_with_the_same_bits) {
  FreeBody body = plain_body();
  body.velocity = {1.0, 2.0, -0.5};
  body.angular = {0.3, 2.0, 3.0};
  FreeBodies whole(unit_domain(), 1000.0, Vec3(0.0, -9.81, 0.0), {body});
  const auto advance = [](FreeBodies& bodies, int from, int to) {
    for (int step = from; step < to; ++step) {
      bodies.predict(0.01, 0.01);
      bodies.end_step(0.01, 0.01 * (step + 1));
    }
  };
  advance(whole, 0, 7);
  const KeptArrays kept = whole.kept();
  FreeBody again = body;
  again.path = std::make_shared<FreePath>();
  FreeBodies restarted(unit_domain(), 1000.0, Vec3(0.0, -9.81, 0.0), {again});
  restarted.go_on(kept, 0.07);
  advance(whole, 7, 20);
  advance(restarted, 7, 20);
  EXPECT_EQ(whole.kept(), restarted.kept());
}

/// Arrays of two bodies, the solids 2 and 5, that have moved for a while.
FreeBodies two_bodies() {
  FreeBody one = plain_body(), other = plain_body();
  one.solid = 2;
  other.solid = 5;
  other.path = std::make_shared<FreePath>();
  one.angular = {0.3, 2.0, 3.0};
  other.velocity = {1.0, 2.0, -0.5};
  return {unit_domain(), 1000.0, Vec3(0.0, -9.81, 0.0), {one, other}};
}

TEST(FreeBodies, numbers_of_an_earlier_checkpoint_are_the_same_arrays) {
  FreeBodies bodies = two_bodies();
  bodies.predict(0.01, 0.01);
  bodies.end_step(0.01, 0.01);
  const KeptArrays kept = bodies.kept();
  EXPECT_EQ(kept.at("solid"), (std::vector<double>{2.0, 5.0}));
  std::map<std::string, double> numbers;  // as they were named, column after column of a rotation
  for (const auto& [name, values] : kept)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t width = values.size() / 2;
      numbers["body." + std::string(i < width ? "2." : "5.") + name + std::to_string(i % width)] = values[i];
    }
  const BodyReport report = bodies.report(1);
  EXPECT_EQ(numbers.at("body.5.center1"), report.center[1]);
  EXPECT_EQ(numbers.at("body.5.velocity5"), report.angular[2]);
  EXPECT_EQ(numbers.at("body.2.rotation1"), bodies.report(0).rotation(1, 0));
  const auto find = [&](const std::string& name) {
    const auto found = numbers.find(name);
    return found != numbers.end() ? &found->second : nullptr;
  };
  EXPECT_EQ(bodies.kept_as_numbers(find), kept);
  numbers.erase("body.5.momentum1");
  EXPECT_THROW(bodies.kept_as_numbers(find), FileError);
}

TEST(FreeBodies, arrays_that_do_not_fit_the_bodies_are_refused) {
  FreeBodies bodies = two_bodies();
  const KeptArrays kept = bodies.kept();
  EXPECT_NO_THROW(bodies.go_on(kept, 0.0));
  const auto refused = [&](const std::function<void(KeptArrays&)>& change) {
    KeptArrays changed = kept;
    change(changed);
    try {
      bodies.go_on(changed, 0.0);
    } catch (const FileError& error) {
      const std::string text = error.what();
      const std::string start = "the checkpoint does not fit together: ";
      EXPECT_EQ(text.substr(0, start.size()), start);
      return text.substr(std::min(start.size(), text.size()));
    }
    return std::string();
  };
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays.clear(); }), "it has no solid of bodies.");
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays.erase("force"); }), "it has no force of bodies.");
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays["center"].pop_back(); }), "center of bodies has another length.");
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays["solid"][1] = 4.0; }), "its bodies are other solids.");
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays["rotation"][9] = 2.0; }), "the rotation of a body is none.");
  EXPECT_EQ(refused([](KeptArrays& arrays) { arrays["velocity"][7] = 1e13; }), "a body is out of all bounds.");
}

TEST(BodyMass, keys_go_before_the_shape) {
  BodyParameters keys;
  VolumeMoments cube{8.0, {1.0, 1.0, 1.0}, Mat3(8.0 / 3.0 * Mat3::Identity())};  // of side 2
  keys.density = 500.0;
  BodyMass mass = body_mass(keys, cube, 1000.0, 1.0, 3, "solid.0");
  EXPECT_DOUBLE_EQ(mass.mass, 4000.0);
  EXPECT_NEAR(mass.inertia(0, 0), 4000.0 * 8.0 / 12.0, 1e-9);  // m (a^2 + b^2) / 12
  keys.center = {1.0, 0.5, 1.0};
  mass = body_mass(keys, cube, 1000.0, 1.0, 3, "solid.0");
  EXPECT_NEAR(mass.inertia(0, 0), 4000.0 * (8.0 / 12.0 + 0.25), 1e-9);
  EXPECT_NEAR(mass.inertia(1, 1), 4000.0 * 8.0 / 12.0, 1e-9);
  keys.density.reset();
  keys.mass = 3.0;
  keys.inertia = {1.0, 2.0, 2.5};
  mass = body_mass(keys, {}, 1000.0, 1.0, 3, "solid.0");
  EXPECT_DOUBLE_EQ(mass.mass, 3.0);
  EXPECT_EQ(mass.center, Vec3(1.0, 0.5, 1.0));
  keys.inertia.clear();
  EXPECT_THROW(body_mass(keys, {}, 1000.0, 1.0, 3, "solid.0"), InputError);
}

TEST(BodyMass, a_mass_of_zero_counts_as_a_thousandth_of_the_water) {
  BodyParameters keys;
  keys.density = 0.0;
  const VolumeMoments cube{8.0, {1.0, 1.0, 1.0}, Mat3(8.0 / 3.0 * Mat3::Identity())};
  EXPECT_DOUBLE_EQ(body_mass(keys, cube, 1000.0, 1.0, 3, "solid.0").mass, 1e-3 * 8000.0);
}

TEST(BodyMass, two_dimensions_take_a_slab) {
  BodyParameters keys;
  keys.density = 500.0;
  Mat3 second = Mat3::Zero();
  second(0, 0) = second(1, 1) = 16.0 / 12.0;  // square of side 2
  const BodyMass mass = body_mass(keys, VolumeMoments{4.0, {1.0, 1.0, 0.05}, second}, 1000.0, 0.1, 2, "solid.0");
  EXPECT_DOUBLE_EQ(mass.mass, 200.0);
  EXPECT_NEAR(mass.inertia(2, 2), 200.0 * 8.0 / 12.0, 1e-10);
}

}  // namespace
}  // namespace freshet
