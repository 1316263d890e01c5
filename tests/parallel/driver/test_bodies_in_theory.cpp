// SPDX-License-Identifier: Apache-2.0
// Bodies that the liquid moves, beside theory: first accelerations, springs, drafts, swings.
// timeout: 900
// nightly: 2 3 4 8
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::cylinder_in;
using test::for_each_row;
using test::make_case;
using test::report;
using test::run_until;
using test::Tank;
using test::world;

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

/// Added mass of a sphere in a tank with square base over the displaced mass; planes of images are summed up to a
/// radius, and integrated beyond.
double sphere_in(const Tank& tank) {
  constexpr int most = 60;
  const double step = 2.0 * tank.half_width, end = (most + 0.5) * step;
  double sum = 0.0;
  for_each_row(tank, [&](double y, double sign) {
    double plane = -2.0 * pi * end * end / (step * step * std::pow(end * end + y * y, 1.5));
    for (int i = -most; i <= most; ++i)
      for (int k = -most; k <= most; ++k) {
        const double across = step * step * (i * i + k * k), square = across + y * y;
        if (square > 0.0 && across < end * end) plane += (2.0 * y * y - across) / std::pow(square, 2.5);
      }
    sum += sign * plane;
  });
  return 0.5 - 0.75 * sum;
}

/// A tank around a body of 8 cells' radius, filled up to a level. \param[in] level  of the surface over the centre
std::string ball_in_tank(int dimension, const Tank& tank, double level, double ratio, const std::string& more) {
  const double radius = 0.1, dx = radius / 8.0;
  const int across = static_cast<int>(std::lround(16 * tank.half_width));
  const int below = static_cast<int>(std::lround(8 * tank.to_floor));
  const int high = below + static_cast<int>(std::lround(8 * level)) + 16;
  const std::string text = dimension == 2 ? case_text({across, high}, dx) : case_text({across, high, across}, dx);
  const double middle = 0.5 * across * dx, depth = dimension == 2 ? 0.5 * dx : middle;
  return text + fmt::format(R"(
[fluid]
gravity = [0.0, -{}, 0.0]
[pressure]
tolerance = 1e-8
{}
[[liquid]]
shape = "box"
lower = [-1.0, -1.0, -1.0]
upper = [10.0, {}, 10.0]
[[solid]]
shape = "sphere"
center = [{}, {}, {}]
radius = {}
body.density = {}
)",
                            g, more, (below + 8 * level) * dx, middle, below * dx, depth, radius, 1000.0 * ratio);
}

/// Acceleration of the first body in one short step from rest, upwards, over g.
double first_acceleration(const std::string& text) {
  Simulation simulation(world(), make_case(text));
  constexpr double dt = 1e-4;
  simulation.advance(dt);
  const BodyReport body = simulation.free_bodies().report(0);
  EXPECT_LT(std::abs(body.velocity.x()), 2e-3 * g * dt);  // particles lie at random places
  return body.velocity.y() / (g * dt);
}

TEST(FreeBodies, a_deep_cylinder_is_let_go_with_the_acceleration_of_theory) {
  const Tank tank{5.0, 6.0, 5.0};
  const double c = cylinder_in(tank);
  for (const double s : {0.0, 0.01, 0.1, 0.5, 2.0, 10.0}) {
    const double a = first_acceleration(ball_in_tank(2, tank, 6.0, s, ""));
    const double exact = (1.0 - s) / (s + c);
    report("cylinder: density ratio, a/g, relative error", {s, a, a / exact - 1.0});
    EXPECT_NEAR(a / exact, 1.0, 0.02) << s;
  }
}

/// Where nothing else moves, the spring's own acceleration makes the steps short enough.
TEST(FreeBodies, a_body_on_a_spring_swings_without_gravity) {
  constexpr double period = 0.2, stretch = 0.2, radius = 0.05;
  const double stiffness = 1000.0 * pi * radius * radius * std::pow(2.0 * pi / period, 2);
  Simulation simulation(
      world(),
      make_case(case_text({40, 16}, 0.025) +
                fmt::format("[fluid]\ngravity = [0.0, 0.0]\n[[liquid]]\nshape = 'box'\nlower = [0.0, 0.0]\n"
                            "upper = [0.1, 0.1]\n[[solid]]\nshape = 'sphere'\ncenter = [{0}, 0.25]\nradius = {1}\n"
                            "body.density = 1000.0\nbody.springs = [[{0}, 0.25, 0.0, 0.5, 0.25, 0.0, {2}, 0.0]]\n",
                            0.5 - stretch, radius, stiffness)));
  run_until(simulation, 0.5 * period);
  const double swing = simulation.free_bodies().report(0).center.x() - 0.5;
  report("body on a spring: place after half a period over the stretch", {swing / stretch});
  EXPECT_NEAR(swing, stretch, 0.1 * stretch);  // in steps of up to a cell, an eighth of the stretch
}

TEST(FreeBodies, a_deep_cylinder_of_whole_cells_is_let_go_nearly_so) {
  const Tank tank{5.0, 6.0, 5.0};
  const double c = cylinder_in(tank);
  for (const double s : {0.1, 2.0}) {
    std::string text = ball_in_tank(2, tank, 6.0, s, "") + "surface = \"voxels\"\n";
    const double a = first_acceleration(text);
    const double exact = (1.0 - s) / (s + c);
    report("cylinder of whole cells: density ratio, a/g, relative error", {s, a, a / exact - 1.0});
    EXPECT_NEAR(a / exact, 1.0, 0.1) << s;  // stairs of one cell about a radius of eight
  }
}

TEST(FreeBodies, a_deep_sphere_is_let_go_with_the_acceleration_of_theory) {
  const Tank tank{3.0, 4.0, 3.0};
  const double c = sphere_in(tank);
  for (const double s : {0.0, 0.1, 2.0}) {
    const double a = first_acceleration(ball_in_tank(3, tank, 4.0, s, ""));
    const double exact = (1.0 - s) / (s + c);
    report("sphere: density ratio, a/g, relative error", {s, a, a / exact - 1.0});
    EXPECT_NEAR(a / exact, 1.0, 0.02) << s;
  }
}

TEST(FreeBodies, a_half_immersed_cylinder_is_let_go_with_the_acceleration_of_theory) {
  const Tank tank{8.0, 0.0, 8.0};
  const double c = 0.5 * cylinder_in(tank);
  for (const double s : {0.1, 0.25, 0.75, 2.0}) {
    const double a = first_acceleration(ball_in_tank(2, tank, 0.0, s, ""));
    const double exact = (0.5 - s) / (s + c);
    report("half-immersed cylinder: density ratio, a/g, relative error", {s, a, a / exact - 1.0});
    EXPECT_NEAR(a / exact, 1.0, 0.02) << s;
  }
}

TEST(FreeBodies, a_box_at_rest_keeps_its_draft) {
  // 0.8 m x 0.4 m, 8 cells high, at half the density of water; cells of 0.05 m
  const std::string text = case_text({48, 32}, 0.05) + R"(
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [3, 0.8]
[[solid]]
shape = "box"
lower = [0.8, 0.6]
upper = [1.6, 1.0]
body.density = 500
)";
  Simulation simulation(world(), make_case(text));
  run_until(simulation, 2.0);
  const BodyReport body = simulation.free_bodies().report(0);
  report("box at rest: rise [cells], turn [degrees]",
         {(body.center.y() - 0.8) / 0.05, 180.0 / pi * std::asin(body.rotation(1, 0))});
  EXPECT_NEAR(body.center.y(), 0.8, 0.1 * 0.05);
  EXPECT_LT(std::abs(body.rotation(1, 0)), 0.01);
}

/// Force and moment of still water [N/m], [N] on a box that is held at a heel, upward over the water that it displaces,
/// righting over that water times the box's height.
struct Righting {
  double force;
  double moment;
};

/// \param[in] breadth  over the height, which is 16 cells \param[in] ratio  displaced part of the box \param[in] heel
/// [rad]
Righting righting_of(double breadth, double ratio, double heel) {
  constexpr double height = 0.4, dx = height / 16.0, level = 1.0;
  const double rise = (0.5 - ratio) * height;  // of the centre over the surface, along the box's own axis
  const double x = 1.2 - rise * std::sin(heel), y = level + rise * std::cos(heel);
  Simulation simulation(
      world(),
      make_case(case_text({96, 72}, dx) +
                fmt::format("[pressure]\ntolerance = 1e-9\n[fluid]\ngravity = [0, -{}]\n[[liquid]]\nshape = 'box'\n"
                            "lower = [-1, -1]\nupper = [10, {}]\n[[solid]]\nshape = 'box'\nlower = [{}, {}]\n"
                            "upper = [{}, {}]\nrotate.axis = [0, 0, 1]\nrotate.angle = {}\nrotate.center = [{}, {}]\n"
                            "body.density = 500\nbody.inertia = 1e9\nbody.fixed = ['x', 'y']\n",
                            g, level, x - 0.5 * breadth * height, y - 0.5 * height, x + 0.5 * breadth * height,
                            y + 0.5 * height, 180.0 / pi * heel, x, y)));
  simulation.advance(1e-3);
  const BodyReport body = simulation.free_bodies().report(0);
  const double displaced = 1000.0 * g * ratio * breadth * height * height * dx;  // of the slice of a cell
  return {body.force.y() / displaced, -body.moment.z() / (displaced * height)};
}

/// While its sides are wet and its bottom too, a box of breadth B and height H rights itself with rho g V sin(heel) (GM
/// + B^2 / (24 s H) tan(heel)^2), GM = B^2 / (12 s H) - H (1 - s) / 2: a square is upright only for s < 0.2113 and s >
/// 0.7887, a box twice as wide always.
TEST(FreeBodies, boxes_right_themselves_or_turn_over_on_the_right_sides_of_their_limits) {
  const double heel = pi / 180.0 * 4.0;
  for (const auto& [breadth, ratio, gm] : {std::array{2.0, 0.1, 2.883333},
                                           {2.0, 0.5, 0.416667},
                                           {2.0, 0.9, 0.320370},
                                           {1.0, 0.15, 0.130556},
                                           {1.0, 0.25, -0.041667},
                                           {1.0, 0.5, -0.083333},
                                           {1.0, 0.75, -0.013889},
                                           {1.0, 0.85, 0.023039}}) {
    const Righting found = righting_of(breadth, ratio, heel);
    const double exact = std::sin(heel) * (gm + breadth * breadth / (24.0 * ratio) * std::pow(std::tan(heel), 2));
    report("box: breadth over height, density ratio, force over the weight, righting arm, exact",
           {breadth, ratio, found.force, found.moment, exact});
    EXPECT_NEAR(found.force, 1.0, 0.02) << breadth << " " << ratio;
    EXPECT_NEAR(found.moment / std::sin(heel), exact / std::sin(heel), 0.4 / 16.0)
        << breadth << " " << ratio;  // 0.4 cells
    EXPECT_GT(found.moment * gm, 0.0) << breadth << " " << ratio;
  }
}

/// A damper takes the energy of its roll.
TEST(FreeBodies, a_box_twice_as_wide_as_high_comes_to_rest_on_its_broad_side_from_either) {
  for (const double start : {20.0, 80.0}) {  // from its broad side [degrees]
    Simulation simulation(
        world(),
        make_case(case_text({64, 48}, 0.025) +
                  fmt::format("[time]\nmax_dt = 0.03\n[[liquid]]\nshape = 'box'\nlower = [-1, -1]\nupper = [10, 0.7]\n"
                              "[[solid]]\nshape = 'box'\nlower = [0.6, 0.6]\nupper = [1.0, 0.8]\n"
                              "rotate.axis = [0, 0, 1]\nrotate.angle = {}\nrotate.center = [0.8, 0.7]\n"
                              "body.density = 500\nbody.angular_damping = 2.0\n",
                              start)));
    run_until(simulation, 4.0);
    const BodyReport body = simulation.free_bodies().report(0);
    const double turned = start + 180.0 / pi * std::atan2(body.rotation(1, 0), body.rotation(0, 0));
    report("box of 2 : 1: heel at the start, after 4 s [degrees]", {start, turned});
    EXPECT_NEAR(turned, 0.0, 2.0);
    EXPECT_NEAR(body.center.y(), 0.7, 0.5 * 0.025);
  }
}

/// A boat of walls of a quarter cell, 8 cells wide, whose floor begins at some place in a row of cells. Where its
/// centre lies above the floor, the liquid below has no cell there.
TEST(FreeBodies, a_boat_of_thin_walls_keeps_its_draft_wherever_its_floor_lies_in_a_cell) {
  constexpr double dx = 0.05, thickness = 0.25, draft = 2.6, left = 8.0, right = 16.0;
  for (const double offset : {0.2, 0.4, 0.6, 0.8}) {
    const double low = 5.0 + offset, level = low + draft, mass = 1000.0 * (right - left) * draft * dx * dx;
    const auto box = [](double x0, double y0, double x1, double y1) {
      return fmt::format("shape = 'box', lower = [{}, {}], upper = [{}, {}]", x0 * dx, y0 * dx, x1 * dx, y1 * dx);
    };
    std::string liquid;
    for (const auto& [x0, y0, x1, y1] :
         {std::array{0.0, 0.0, 24.0, low}, {0.0, low, left, level}, {right, low, 24.0, level}})
      liquid += fmt::format("[[liquid]]\nshape = 'box'\nlower = [{}, {}]\nupper = [{}, {}]\n", x0 * dx, y0 * dx,
                            x1 * dx, y1 * dx);
    Simulation simulation(
        world(),
        make_case(case_text({24, 20}, dx) + "[time]\nmax_dt = 0.02\n" + liquid +
                  fmt::format("[[solid]]\nshape = 'union'\nparts = [{{ {} }}, {{ {} }}, {{ {} }}]\n"
                              "surface = 'fractions'\nbody.mass = {}\nbody.center = [0.6, {}]\n"
                              "body.inertia = 1.0\nbody.damping = 20.0\nbody.fixed = ['x', 'rz']\n",
                              box(left, low, right, low + thickness), box(left, low, left + thickness, low + 6.0),
                              box(right - thickness, low, right, low + 6.0), mass, (low + 2.0) * dx)));
    double sum = 0.0;
    int n = 0;
    while (simulation.time() < 2.0) {
      simulation.advance(simulation.largest_dt());
      if (simulation.time() < 1.0) continue;
      sum += simulation.free_bodies().report(0).center.y();
      ++n;
    }
    const double rise = sum / (n * dx) - (low + 2.0);
    report("boat of thin walls: place of its floor, rise [cells]", {offset, rise});
    EXPECT_LT(std::abs(rise), 0.06) << offset;  // 0.16 if the pressure on it is that at the faces it closes
  }
}

/// Linear theory of a half-immersed cylinder of radius a in deep water that is let go from a height x0: its first
/// minimum is -0.6409 x0 at 3.720 sqrt(a / g) (added mass and damping by multipoles, Ursell 1949; the motion by the
/// Fourier integral over their response). In water 5 radii deep the minimum is 7 % less deep; here it is 12 radii.
TEST(FreeBodies, a_half_immersed_cylinder_swings_as_linear_theory_says) {
  constexpr double radius = 0.1, start = 0.2, depth = 12.0 * radius;
  const double unit = std::sqrt(radius / g);
  const std::string text =
      case_text({480, 112}, radius / 8.0) + fmt::format(R"(
[time]
splitting = "strang"
max_dt = {}
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [10.0, {}]
[[solid]]
shape = "sphere"
center = [3.0, {}]
radius = {}
body.density = 500.0
)",
                                                        0.02 * unit, depth, depth + start * radius, radius);
  Simulation simulation(world(), make_case(text));
  double lowest = 1.0, at = 0.0;
  while (simulation.time() < 4.2 * unit) {
    simulation.advance(simulation.largest_dt());
    const double height = (simulation.free_bodies().report(0).center.y() - depth) / (start * radius);
    if (height >= lowest) continue;
    lowest = height;
    at = simulation.time() / unit;
  }
  report("heave: first minimum, its time", {lowest, at});
  EXPECT_NEAR(lowest / -0.6409, 1.0, 0.03);
  EXPECT_NEAR(at / 3.720, 1.0, 0.02);
}

/// Heights of a cylinder, over its radius and above a level at which it is half immersed, after steps of equal length.
std::vector<double> swing(const std::string& splitting) {
  constexpr double radius = 0.1, depth = 6.0 * radius;
  Simulation simulation(world(), make_case(case_text({96, 36}, radius / 4.0) +
                                           fmt::format(R"(
[time]
splitting = "{}"
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [3, {}]
[[solid]]
shape = "sphere"
center = [1.2, {}]
radius = {}
body.density = 500
)",
                                                       splitting, depth, depth + 0.3 * radius, radius)));
  std::vector<double> heights;
  for (int step = 0; step < 80; ++step) {
    simulation.advance(0.05 * std::sqrt(radius / g));
    heights.push_back((simulation.free_bodies().report(0).center.y() - depth) / radius);
  }
  return heights;
}

/// Coefficient of the drag that a disc of radius 1 and half the liquid's density has in a full tank, without gravity,
/// over two radii of way. In an ideal liquid it has none.
double drag_of_gliding_disc(const std::string& splitting) {
  Simulation simulation(world(), make_case(case_text({96, 60}, 1.0 / 6.0) + fmt::format(R"(
[time]
splitting = "{}"
[fluid]
gravity = [0, 0]
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [99, 99]
[[solid]]
shape = "sphere"
center = [5.03, 5.02]
radius = 1
body.density = 500
body.velocity = [3, 0]
)",
                                                                                        splitting)));
  const auto run_to = [&](double way) {
    while (simulation.free_bodies().report(0).center.x() < 5.03 + way) simulation.advance(simulation.largest_dt());
    return simulation.free_bodies().report(0).velocity.x();
  };
  const double first = run_to(1.0), last = run_to(3.0);
  return std::log(first / last) / 2.0 * pi * (0.5 + 1.0);  // with the disc's added mass
}

/// The pressure of a step takes the energy of what has become divergent on the way from bodies, too, unless they
/// foresee their share of it as the liquid does.
TEST(FreeBodies, glide_with_a_fraction_of_the_drag_by_reflection) {
  const double strang = drag_of_gliding_disc("strang"), reflection = drag_of_gliding_disc("reflection");
  report("gliding disc: drag coefficients with strang and reflection", {strang, reflection});
  EXPECT_GT(strang, 0.4);
  EXPECT_LT(reflection, 0.4 * strang);
}

/// Both are of second order for forces that depend on places. The cylinder swings by a third of its radius.
TEST(FreeBodies, swing_with_reflection_as_with_strang) {
  const std::vector<double> strang = swing("strang"), reflection = swing("reflection");
  double apart = 0.0;
  for (std::size_t n = 0; n < strang.size(); ++n) apart = std::max(apart, std::abs(strang[n] - reflection[n]));
  const auto [low, high] = std::minmax_element(strang.begin(), strang.end());
  report("cylinder let go: swing, and farthest apart with strang and reflection [radii]", {*high - *low, apart});
  EXPECT_GT(*high - *low, 0.3);
  EXPECT_LT(apart, 0.003);
}

}  // namespace
}  // namespace freshet
