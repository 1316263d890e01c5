// SPDX-License-Identifier: Apache-2.0
// Contact of bodies that the liquid moves.
// ranks: 1 2 3
// timeout: 900
// nightly: 3
#include "support/case.hpp"
#include "support/case_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::run_until;
using test::world;

constexpr double g = 9.81;

/// A dry room of the given size [m] with cells of 0.05 m; what little water there is stands behind a wall at its left
/// end, a body without contact.
std::string dry_room(int dimension, double width, double height, const std::string& gravity) {
  constexpr double dx = 0.05;
  const int across = static_cast<int>(std::lround(width / dx)), high = static_cast<int>(std::lround(height / dx));
  const std::string head = dimension == 2 ? case_text({across + 4, high}, dx) : case_text({across + 4, high, 12}, dx);
  return head + fmt::format(R"(origin = [-0.2, 0.0{}]
[fluid]
gravity = {}
[[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [-0.1, 0.1, 1]
[[solid]]
shape = "box"
lower = [-0.1, -1, -1]
upper = [-0.05, 10, 1]
body.contact = false
)",
                            dimension == 2 ? "" : ", 0.0", gravity);
}

const std::string downwards = "[0.0, -9.81, 0.0]";

/// Height of the top of the first jump of a ball of radius 0.1 m that falls through `height`. [m]
double first_jump(int dimension, double height, double restitution, double dt, const std::string& splitting) {
  const std::string text = dry_room(dimension, 0.6, 1.0, downwards) + splitting +
                           fmt::format(R"([[solid]]
shape = "sphere"
center = [0.3, {}, 0.3]
radius = 0.1
body.density = 2000
body.restitution = {}
)",
                                       0.1 + height, restitution);
  std::string of_case = text;
  if (dimension == 2) of_case.replace(of_case.find(", 0.3]\nradius"), 6, "]");
  Simulation simulation(world(), make_case(of_case));
  const double fall = std::sqrt(2.0 * height / g), rise = restitution * fall;
  double highest = 0.0;
  while (simulation.time() < fall + 1.5 * rise) {
    simulation.advance(dt);
    const BodyReport body = simulation.free_bodies().report(0);
    EXPECT_GT(body.center.y(), 0.1 - 1e-9);
    if (simulation.time() > fall + 0.2 * rise) highest = std::max(highest, body.center.y() - 0.1);
  }
  return highest;
}

TEST(Contact, a_ball_jumps_as_high_as_its_restitution_says) {
  const double height = 0.4, e = 0.7, speed = std::sqrt(2.0 * g * height);
  for (const int dimension : {2, 3}) {
    for (const auto& [dt, splitting] :
         {std::pair(2e-3, "first_order"), std::pair(1e-3, "first_order"), std::pair(5e-4, "strang")}) {
      const double top = first_jump(dimension, height, e, dt, fmt::format("[time]\nsplitting = \"{}\"\n", splitting));
      report("first jump: step, height, height of theory", {dt, top, e * e * height});
      // it turns round where the step of the impact begins, at most one way of a step above the floor, and the speed of
      // the impact is one of the time steps' ends
      EXPECT_NEAR(top, e * e * height, speed * dt) << dimension << " " << dt;
    }
  }
}

/// Two bars that overlap at the joint between them.
std::string joined_bars(const std::string& kind) {
  return dry_room(2, 1.0, 1.0, "[0.0, 0.0, 0.0]") + fmt::format(R"([[solid]]
shape = "box"
lower = [0.2, 0.4]
upper = [0.52, 0.5]
body.density = 500
body.velocity = [0.1, 0.0]
[[solid]]
shape = "box"
lower = [0.49, 0.4]
upper = [0.8, 0.5]
body.density = 900
[[joint]]
name = "middle"
kind = "{}"
solids = [1, 2]
anchor = [0.5, 0.45]
)",
                                                                kind);
}

TEST(Contact, bodies_of_one_joint_may_overlap_there) {
  for (const char* kind : {"hinge", "fixed"}) {
    Simulation simulation(world(), make_case(joined_bars(kind)));
    for (int step = 0; step < 20; ++step) {
      simulation.advance(0.005);
      EXPECT_EQ(simulation.report().contacts, 0) << kind;
    }
    const double momentum = 500.0 * 0.32 * 0.1 * 0.1, mass = (500.0 * 0.32 + 900.0 * 0.31) * 0.1;
    const BodyReport first = simulation.free_bodies().report(0), second = simulation.free_bodies().report(1);
    const double found = 500.0 * 0.032 * first.velocity.x() + 900.0 * 0.031 * second.velocity.x();
    EXPECT_NEAR(found, momentum, 1e-9 * momentum) << kind;
    if (std::string(kind) == "fixed") {
      EXPECT_NEAR(first.velocity.x(), momentum / mass, 1e-9);
    }
  }
}

/// Way down a slope after a time [m], and the speed [m/s], of a block that lies on it from the start.
std::pair<double, double> slide(int dimension, double degrees, double friction, double time) {
  const double angle = degrees * std::numbers::pi / 180.0;
  const Vec3 along(std::cos(angle), -std::sin(angle), 0.0);
  std::string text = dry_room(dimension, 1.2, 1.0, downwards) +
                     fmt::format(R"([[solid]]
shape = "intersection"
parts = [
  {{ shape = "half_space", point = [0.0, 0.6, 0.0], normal = [{}, {}, 0.0] }},
  {{ shape = "box", lower = [-0.05, -1.0, -1.0], upper = [2.0, 2.0, 2.0] }},
]
body.friction = {}
[[solid]]
shape = "box"
lower = [0.1, 0.6{}]
upper = [0.3, 0.7{}]
rotate.axis = [0, 0, 1]
rotate.angle = {}
rotate.center = [0.0, 0.6, 0.0]
body.density = 700
body.friction = {}
)",
                                 std::sin(angle), std::cos(angle), friction, dimension == 2 ? "" : ", 0.2",
                                 dimension == 2 ? "" : ", 0.4", -degrees, friction);
  Simulation simulation(world(), make_case(text));
  const Vec3 start = simulation.free_bodies().report(0).center;
  const int steps = static_cast<int>(std::lround(time / 0.004));
  for (int step = 0; step < steps; ++step) simulation.advance(0.004);
  const BodyReport body = simulation.free_bodies().report(0);
  EXPECT_LT(std::abs((body.center - start).dot(Vec3(std::sin(angle), std::cos(angle), 0.0))), 1e-6);
  EXPECT_LT(body.angular.norm(), 1e-6);
  return {along.dot(body.center - start), along.dot(body.velocity)};
}

TEST(Contact, a_block_slides_on_a_slope_beyond_the_angle_of_friction) {
  const double degrees = 20.0, angle = degrees * std::numbers::pi / 180.0, time = 0.4;
  for (const int dimension : {2, 3}) {
    const auto held = slide(dimension, degrees, 1.03 * std::tan(angle), time);
    EXPECT_LT(std::abs(held.first), 1e-8);
    const double mu = 0.8 * std::tan(angle);
    const auto slid = slide(dimension, degrees, mu, time);
    const double acceleration = g * (std::sin(angle) - mu * std::cos(angle));  // Coulomb
    report("slope: way over that of theory", {slid.first / (0.5 * acceleration * time * time)});
    EXPECT_NEAR(slid.second, acceleration * time, 1e-6);
    EXPECT_NEAR(slid.first, 0.5 * acceleration * time * time, 0.51 * acceleration * time * 0.004);  // of first order
  }
}

TEST(Contact, balls_that_meet_keep_their_momentum) {
  // 3-D, off centre, with friction: momenta are kept, and the restitution is that along the line of centres
  const std::string text = dry_room(3, 1.2, 0.6, "[0.0, 0.0, 0.0]") + R"([[solid]]
shape = "sphere"
center = [0.35, 0.3, 0.3]
radius = 0.1
body.density = 500
body.velocity = [1.0, 0.0, 0.0]
body.restitution = 0.5
[[solid]]
shape = "sphere"
center = [0.75, 0.36, 0.32]
radius = 0.12
body.density = 1500
body.velocity = [-0.5, 0.0, 0.0]
body.restitution = 0.8
)";
  Simulation simulation(world(), make_case(text));
  const FreeBodies& bodies = simulation.free_bodies();
  const auto mass = [&](int n) { return bodies.body(n).mass.mass; };
  const auto spin = [&](const BodyReport& body, int n) {
    return Vec3(body.rotation * bodies.body(n).mass.inertia * body.rotation.transpose() * body.angular +
                mass(n) * body.center.cross(body.velocity));
  };
  const auto momentum = [&] { return Vec3(mass(0) * bodies.report(0).velocity + mass(1) * bodies.report(1).velocity); };
  const auto angular = [&] { return Vec3(spin(bodies.report(0), 0) + spin(bodies.report(1), 1)); };
  const Vec3 p = momentum(), l = angular();
  double approach = 0.0, parted = 0.0;
  for (int step = 0; step < 40; ++step) {
    const BodyReport a = bodies.report(0), b = bodies.report(1);
    const Vec3 normal = (b.center - a.center).normalized();
    const double before = (a.velocity - b.velocity).dot(normal);
    simulation.advance(0.008);
    const double after = (bodies.report(1).velocity - bodies.report(0).velocity).dot(normal);
    if (before > 0.0 && after > 0.0) {
      approach = before;
      parted = after;
    }
  }
  EXPECT_GT(approach, 1.0);
  EXPECT_NEAR(parted, 0.8 * approach, 1e-6);  // the larger of both; normals are differences of distances
  EXPECT_NEAR((momentum() - p).norm(), 0.0, 1e-12 * mass(0));
  EXPECT_NEAR((angular() - l).norm(), 0.0, 1e-11 * l.norm());
  EXPECT_GT(bodies.report(0).angular.norm(), 0.1);  // friction turns them
}

/// A wall of crates: rows of boxes that lie on each other, each row half a box aside.
std::string crates(double left, double floor, double density) {
  std::string text;
  for (int row = 0; row < 3; ++row)
    for (int n = 0; n < 3 - row; ++n) {
      const double x = left + 0.16 * n + 0.08 * row, y = floor + 0.1 * row;
      text += fmt::format("[[solid]]\nshape = \"box\"\nlower = [{}, {}]\nupper = [{}, {}]\nbody.density = {}\n", x, y,
                          x + 0.15, y + 0.1, density);
    }
  return text;
}

struct Rest {
  double fastest = 0.0;  ///< largest speed of a body's centre [m/s]
  double moved = 0.0;    ///< largest way of a body between two times [m]
};

/// Run on from a time of rest. \param[in] step  length of steps; 0: as long as the solver allows [s]
Rest rest_of(Simulation& simulation, double begin, double end, double step) {
  const auto run = [&](double until) {
    while (simulation.time() < until) simulation.advance(step > 0.0 ? step : simulation.largest_dt());
  };
  run(begin);
  std::vector<Vec3> places;
  const FreeBodies& bodies = simulation.free_bodies();
  for (int n = 0; n < bodies.count(); ++n) places.push_back(bodies.report(n).center);
  run(end);
  Rest rest;
  for (int n = 0; n < bodies.count(); ++n) {
    rest.fastest = std::max(rest.fastest, bodies.report(n).velocity.norm());
    rest.moved = std::max(rest.moved, (bodies.report(n).center - places[static_cast<std::size_t>(n)]).norm());
  }
  return rest;
}

TEST(Contact, a_pile_of_boxes_comes_to_rest_on_a_dry_floor) {
  // they fall a little first, onto the floor and onto each other
  Simulation simulation(world(), make_case(dry_room(2, 1.0, 0.6, downwards) + crates(0.2, 0.03, 600.0)));
  const Rest rest = rest_of(simulation, 0.8, 1.4, 0.004);
  report("dry pile: speed, way in 0.6 s [cells]", {rest.fastest, rest.moved / 0.05});
  EXPECT_LT(rest.fastest, 1e-6);
  EXPECT_LT(rest.moved, 1e-4 * 0.05);
  for (int n = 0; n < 3; ++n) EXPECT_NEAR(simulation.free_bodies().report(n).center.y(), 0.05, 2e-3 * 0.05);
  EXPECT_NEAR(simulation.free_bodies().report(5).center.y(), 0.25, 4e-3 * 0.05);  // the top one
}

TEST(Contact, a_pile_of_boxes_comes_to_rest_under_water) {
  const std::string text = case_text({32, 24}, 0.025) + R"([[liquid]]
shape = "box"
lower = [-1, -1]
upper = [2, 0.45]
)" + crates(0.2, 0.0, 2500.0);
  Simulation simulation(world(), make_case(text));
  const Rest rest = rest_of(simulation, 0.3, 0.8, 0.0);
  report("pile under water: speed, way in 0.5 s [cells]", {rest.fastest, rest.moved / 0.025});
  EXPECT_LT(rest.fastest, 0.01);
  EXPECT_LT(rest.moved, 0.05 * 0.025);
  EXPECT_LT(std::abs(simulation.report().volume_drift), 0.01);
}

TEST(Contact, a_ball_falls_into_a_bowl_and_stays) {
  // a container made of a difference, and one of a mesh would do as well: the ball lies on the bottom of the hollow
  const std::string text = dry_room(3, 0.6, 0.6, downwards) + R"([[solid]]
shape = "difference"
parts = [
  { shape = "box", lower = [0.05, 0.0, 0.05], upper = [0.55, 0.3, 0.55] },
  { shape = "sphere", center = [0.3, 0.35, 0.3], radius = 0.25 },
]
[[solid]]
shape = "sphere"
center = [0.34, 0.35, 0.28]
radius = 0.08
body.density = 800
body.friction = 0.5
)";
  Simulation simulation(world(), make_case(text));
  double deepest = 0.0;
  while (simulation.time() < 0.5) {
    simulation.advance(0.004);
    const double from_middle = (simulation.free_bodies().report(0).center - Vec3(0.3, 0.35, 0.3)).norm();
    deepest = std::max(deepest, from_middle - 0.17);
  }
  EXPECT_LT(deepest, 2e-3 * 0.05);  // it never leaves the hollow
  EXPECT_LT(simulation.free_bodies().report(0).center.y(), 0.2);
}

/// A plate that sinks onto another, which lies on the floor: the water between them is squeezed out to the sides.
std::string plates(int dimension, const std::string& wall) {
  const std::string head = dimension == 2 ? case_text({40, 24}, 0.025, test::reproducible)
                                          : case_text({32, 20, 16}, 0.025, test::reproducible);
  const double left = dimension == 2 ? 0.3 : 0.2;
  const auto plate = [&](double low, double high, double density) {
    return fmt::format(
        "[[solid]]\nshape = \"box\"\nlower = [{}, {}, 0.1]\nupper = [{}, {}, 0.3]\nbody.density = {}\nwall = \"{}\"\n",
        left, low, left + 0.4, high, density, wall);
  };
  std::string text = head + "[[liquid]]\nshape = \"box\"\nlower = [-1, -1, -1]\nupper = [2, 0.3, 2]\n" +
                     plate(0.0, 0.06, 4000.0) + plate(0.11, 0.17, 4000.0);
  if (dimension == 2)
    for (const char* third : {", 0.1]", ", 0.3]"})
      for (std::size_t at = 0; (at = text.find(third, at)) != std::string::npos;) text.replace(at, 6, "]");
  return text;
}

/// The upper plate loses at most the energy of its fall, by g and the depth of the gap: what water has of it, it has
/// from there.
TEST(Contact, a_plate_that_sinks_onto_another_presses_the_water_out_and_rests) {
  for (const auto& [dimension, condition] :
       {std::pair(2, "sticky"), std::pair(2, "separating"), std::pair(3, "sticky")}) {
    Simulation simulation(world(), make_case(plates(dimension, condition)));
    const double volume = 0.4 * 0.06 * (dimension == 2 ? 0.025 : 0.2), depth = 0.05;
    double most = 0.0;
    while (simulation.time() < 0.9)
      most = std::max(most, simulation.advance(simulation.largest_dt()).sums.kinetic_energy);
    const BodyReport upper = simulation.free_bodies().report(1);
    const double of_fall = 3000.0 * volume * g * depth;
    report("plates: gap [cells], speed, largest energy of the water over that of the fall",
           {(upper.center.y() - 0.09) / 0.025, upper.velocity.norm(), most / of_fall});
    EXPECT_NEAR(upper.center.y(), 0.09, 2e-3 * 0.025) << dimension << condition;  // on the lower plate
    EXPECT_LT(upper.velocity.norm(), 1e-6) << dimension << condition;
    EXPECT_LT(most, of_fall) << dimension << condition;
    EXPECT_LT(std::abs(simulation.report().volume_drift), 0.02) << dimension << condition;
  }
}

/// A heap of boxes in water, some of them without mass. Lower left corners [m], and densities [kg/m^3].
std::string boxes_without_mass() {
  constexpr struct {
    double x, y, density;
  } boxes[] = {{0.2836, 0.0789, 0}, {0.5816, 0.0513, 0},    {0.8848, 0.0800, 0},   {0.2940, 0.2809, 800},
               {0.5972, 0.2948, 0}, {0.9238, 0.2921, 800},  {0.2841, 0.5106, 300}, {0.6012, 0.5242, 800},
               {0.9136, 0.5299, 0}, {0.3295, 0.7419, 2500}, {0.6198, 0.7432, 0},   {0.8903, 0.7607, 800}};
  std::string text = case_text({32, 24}, 0.05) + R"([[liquid]]
shape = "box"
lower = [-1, -1]
upper = [3, 0.8]
)";
  for (const auto& box : boxes)
    text += fmt::format("[[solid]]\nshape = \"box\"\nlower = [{}, {}]\nupper = [{}, {}]\nbody.density = {}\n", box.x,
                        box.y, box.x + 0.2, box.y + 0.2, box.density);
  return text;
}

/// Thin films between such boxes, and contacts that hold one box of no mass between others, must not set free energy
/// that nothing has brought in.
TEST(Contact, boxes_without_mass_in_a_heap_are_not_thrown_about) {
  Simulation simulation(world(), make_case(boxes_without_mass()));
  double most = 0.0;
  int steps = 0;
  while (simulation.time() < 0.5) {
    most = std::max(most, simulation.advance(simulation.largest_dt()).sums.kinetic_energy);
    ++steps;
  }
  report("boxes without mass: largest energy [J], steps", {most, static_cast<double>(steps)});
  EXPECT_LT(most, 20.0);  // 7 J here; the six boxes without mass set 59 J free where each rises by 0.5 m
  EXPECT_LT(steps, 60);   // 22 to 27 here; boxes that are thrown about make steps tiny
  EXPECT_LT(std::abs(simulation.report().volume_drift), 0.03);
}

TEST(Contact, bodies_without_contact_pass_through_each_other) {
  std::string text = dry_room(2, 0.6, 0.6, downwards) + crates(0.1, 0.03, 600.0);
  for (std::size_t at = 0; (at = text.find("body.density = 600", at)) != std::string::npos; at += 40)
    text.replace(at, 18, "body.contact = false\nbody.density = 600");
  Simulation simulation(world(), make_case(text));
  while (simulation.time() < 0.1) simulation.advance(0.005);
  EXPECT_LT(simulation.free_bodies().report(0).center.y(), 0.04);
  EXPECT_EQ(simulation.report().contacts, 0);
}

}  // namespace
}  // namespace freshet
