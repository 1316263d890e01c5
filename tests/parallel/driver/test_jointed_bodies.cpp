// SPDX-License-Identifier: Apache-2.0
// Bodies with joints and moorings in liquid.
// timeout: 900
// nightly: 2 4 8
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

/// A cylinder as heavy as water, deep below the surface, with what joins it.
std::string deep_cylinder(double radius, const std::string& links) {
  const double dx = radius / 8.0;
  return case_text({80, 104}, dx) + fmt::format(R"(
[fluid]
gravity = [0.0, -{}]
[pressure]
tolerance = 1e-8
[[liquid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [10.0, {}]
[[solid]]
shape = "sphere"
center = [{}, {}]
radius = {}
body.density = 1000.0
{}
)",
                                                g, 11.0 * radius, 5.0 * radius, 5.0 * radius, radius, links);
}

TEST(JointedBodies, a_hinge_with_a_spring_in_still_water_is_let_go_as_theory_says) {
  // The cylinder's centre goes up and down, and its own rotation moves no water:
  // (m R^2 / 2 + (m + C m_w) r^2) a'' = k (angle of rest)
  constexpr double radius = 0.1, arm = 0.3, stiffness = 2000.0, rest = 0.2, dt = 1e-4;
  const std::string text =
      deep_cylinder(radius, fmt::format(R"([[joint]]
name = "arm"
kind = "hinge"
solids = [0]
anchor = [{}, {}]
stiffness = {}
angle = {}
)",
                                        5.0 * radius - arm, 5.0 * radius, stiffness, rest * 180.0 / pi));
  Simulation simulation(world(), make_case(text));
  simulation.advance(dt);
  const double mass = 1000.0 * pi * radius * radius;
  const double inertia = 0.5 * mass * radius * radius + mass * (1.0 + test::cylinder_in({5.0, 6.0, 5.0})) * arm * arm;
  const double exact = stiffness * rest / inertia;
  const BodyReport body = simulation.free_bodies().report(0);
  const double found = body.angular.z() / dt;
  report("hinge in still water: angular acceleration [rad/s^2], relative error", {found, found / exact - 1.0});
  EXPECT_NEAR(found / exact, 1.0, 0.02);
  EXPECT_NEAR(body.velocity.y(), arm * body.angular.z(), 1e-11);  // places round by 1e-16 m, over dt
}

TEST(JointedBodies, a_tether_holds_a_light_cylinder_by_its_lift) {
  // at rest the tension is the lift less the weight: (rho_w - rho) g V
  constexpr double radius = 0.1;
  std::string text = deep_cylinder(radius, fmt::format(R"([[mooring]]
name = "line"
kind = "tether"
solid = 0
anchor = [{0}, {1}]
fairlead = [{0}, {2}]
stiffness = 1e7
)",
                                                       5.0 * radius, 2.0 * radius, 4.0 * radius));
  text.replace(text.find("body.density = 1000.0"), 21, "body.density = 300.0");
  Simulation simulation(world(), make_case(text));
  double tension = 0.0;
  const double thickness = radius / 8.0;
  for (int step = 0; step < 40; ++step) {
    simulation.advance(std::min(2e-3, simulation.largest_dt()));
    if (step >= 20) tension += simulation.free_bodies().mooring_report(0).tension / thickness / 20.0;
  }
  const double exact = 700.0 * g * pi * radius * radius;
  report("tether: tension over the lift", {tension / exact});
  EXPECT_NEAR(tension / exact, 1.0, 0.02);
}

/// Two bodies of a full periodic box without gravity, joined by a ball and a spring.
std::string drifting_pair(int dimension) {
  const bool is_flat = dimension == 2;
  const auto point = [&](double x, double y) {
    return is_flat ? fmt::format("[{}, {}]", x, y) : fmt::format("[{}, {}, 0.2]", x, y);
  };
  return (is_flat ? case_text({32, 32}, 0.03125) : case_text({32, 32, 16}, 0.03125)) +
         test::full_periodic_box(dimension) + (is_flat ? "velocity = [1, 0.5]" : "velocity = [1, 0.5, -0.25]") +
         fmt::format(R"(
[[solid]]
shape = "sphere"
center = {}
radius = 0.15
body.density = 200
body.velocity = {}
[[solid]]
shape = "sphere"
center = {}
radius = 0.12
body.density = 3000
body.angular_velocity = [0, 0, 90]
[[joint]]
name = "ball"
kind = "ball"
solids = [0, 1]
anchor = {}
[[joint]]
name = "spring"
kind = "spring"
solids = [1, 0]
anchor = {}
end = {}
stiffness = 300.0
damping = 5.0
length = 0.2
)",
                     point(0.35, 0.5), is_flat ? "[-1, 0]" : "[-1, 0, 0]", point(0.7, 0.5), point(0.53, 0.5),
                     point(0.7, 0.6), point(0.35, 0.62));
}

TEST(JointedBodies, what_the_liquid_loses_of_momentum_the_jointed_bodies_gain) {
  for (const int dimension : {2, 3}) {
    Simulation simulation(world(), make_case(drifting_pair(dimension)));
    const BlockLayout& layout = simulation.layout();
    const auto of_liquid = [&] {
      Vec3 sum = Vec3::Zero();
      for (int d = 0; d < dimension; ++d) {
        ExactSum part;
        for (LocalIndex b = 0; b < layout.n_owned(); ++b)
          for (int c = 0; c < layout.cells_per_block(); ++c)
            part.add(static_cast<double>(simulation.solids().open_fraction()[d].block(b)[c]) *
                     simulation.velocity()[d].block(b)[c]);
        sum[d] = 1000.0 * simulation.domain().cell_volume() * world().sum(part);
      }
      return sum;
    };
    const auto of_bodies = [&] {
      Vec3 sum = Vec3::Zero();
      for (const int n : {0, 1})
        sum += simulation.free_bodies().body(n).mass.mass * simulation.free_bodies().velocity(n).head<3>();
      return sum;
    };
    for (int step = 0; step < 3; ++step) {
      const double dt = 0.5 * simulation.largest_dt();
      simulation.begin_step();
      simulation.deposit_velocity();
      simulation.label();
      simulation.apply_forces(dt);
      const Vec3 liquid = of_liquid(), bodies = of_bodies();
      ASSERT_EQ(simulation.project(dt), "");
      const Vec3 gained = of_bodies() - bodies, lost = liquid - of_liquid();
      ASSERT_TRUE(simulation.cancel_step());
      EXPECT_GT(gained.norm(), 1e-3);
      EXPECT_LT((gained - lost).norm(), 1e-10 * liquid.norm());
      simulation.advance(dt);
    }
  }
}

TEST(JointedBodies, the_liquid_feels_both_bodies_of_a_fixed_joint_as_one) {
  // two halves of a box, side by side, against the whole box: the same first acceleration to the solver's tolerance
  const std::string start = case_text({64, 48}, 0.025) + R"(
[pressure]
tolerance = 1e-10
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [3, 0.8]
)";
  const auto half = [](double x, double width) {
    return fmt::format(
        "[[solid]]\nshape = \"box\"\nlower = [{}, 0.5]\nupper = [{}, 0.9]\nbody.density = 600\nbody.moment = [0, 0, "
        "{}]\n",
        x, x + width, 100.0 * width);
  };
  Simulation whole(world(), make_case(start + half(0.5, 0.6)));
  Simulation halves(world(), make_case(start + half(0.5, 0.3) + half(0.8, 0.3) + R"([[joint]]
name = "weld"
kind = "fixed"
solids = [0, 1]
anchor = [0.8, 0.7]
)"));
  constexpr double dt = 1e-3;
  whole.advance(dt);
  halves.advance(dt);
  const BodyReport one = whole.free_bodies().report(0);
  const BodyReport left = halves.free_bodies().report(0), right = halves.free_bodies().report(1);
  report("welded halves: angular velocity of whole and halves", {one.angular.z(), left.angular.z()});
  EXPECT_GT(std::abs(one.angular.z()), 1e-4);
  EXPECT_NEAR(left.angular.z() / one.angular.z(), 1.0, 1e-6);
  // closed parts of faces are floats: parts of 1e-7 of the weight are theirs
  EXPECT_NEAR((0.5 * (left.velocity + right.velocity) - one.velocity).norm(), 0.0, 1e-6 * g * dt);
}

/// Bodies that splash into a pool, joined to each other and moored.
const std::string moored_splash = test::splash_of_bodies + R"(
[[joint]]
name = "arm"
kind = "hinge"
solids = [0, 1]
anchor = [0.8, 0.75, 0.4]
axis = [0, 0.2, 1]
stiffness = 3
damping = 0.5
[[joint]]
name = "post"
kind = "spring"
solids = [0]
anchor = [0.5, 0.9, 0.4]
end = [0.3, 1.5, 0.4]
stiffness = 200
damping = 4
[[mooring]]
name = "chain"
kind = "catenary"
solid = 1
anchor = [0.2, 0.0, 0.2]
fairlead = [1.0, 0.5, 0.4]
length = 1.1
weight = 5
axial_stiffness = 1e4
bed = 0.0
[[mooring]]
name = "rope"
kind = "tether"
solid = 1
anchor = [1.5, 0.1, 0.4]
fairlead = [1.2, 0.6, 0.4]
stiffness = 500
damping = 2
)";

TEST(JointedBodies, jointed_bodies_have_the_same_bits_on_any_number_of_ranks) {
  test::expect_same_bodies_on_any_ranks(moored_splash);
}

TEST(JointedBodies, jointed_bodies_go_on_from_a_restart_with_the_same_bits) {
  test::expect_same_bodies_after_a_restart(moored_splash);
}

TEST(JointedBodies, a_joint_in_a_splash_does_not_drift) {
  Simulation simulation(world(), make_case(moored_splash));
  const Joint& arm = simulation.free_bodies().links().joints[0];
  for (int step = 0; step < 30; ++step) simulation.advance(simulation.largest_dt());
  std::vector<JointRow> rows;
  const auto place = [&](int n) {
    const BodyReport body = simulation.free_bodies().report(n);
    return BodyPlace{body.center, body.rotation};
  };
  append_rows(arm, place(arm.body), place(arm.other), rows);
  ASSERT_EQ(rows.size(), 5U);
  for (const JointRow& row : rows) EXPECT_NEAR(row.value, 0.0, 1e-13);
}

TEST(JointedBodies, a_body_that_is_set_moves_its_solid) {
  Simulation simulation(world(), make_case(moored_splash));
  simulation.advance(simulation.largest_dt());
  const BodyReport before = simulation.free_bodies().report(1);
  simulation.set_body_state(1, {before.center + Vec3(0.0, 0.1, 0.0), before.rotation}, Vec6::Zero());
  const BodyReport now = simulation.free_bodies().report(1);
  EXPECT_GT(now.center.y(), before.center.y() + 0.02);  // the joint shares the way between its bodies
  EXPECT_LT(simulation.solids().shapes()[1]->signed_distance(now.center), -0.1);
  simulation.advance(simulation.largest_dt());
}

}  // namespace
}  // namespace freshet
