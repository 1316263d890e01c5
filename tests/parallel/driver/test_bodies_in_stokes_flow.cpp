// SPDX-License-Identifier: Apache-2.0
// Bodies that viscous liquid moves, beside theory. That ranks change no bit is the claim of
// test_bodies_in_viscous_liquid.cpp.
// ranks: 1
// timeout: 900
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

constexpr double pi = std::numbers::pi;
constexpr double density = 1000.0;

/// Still liquid without gravity that fills a box. \param[in] number  viscosity dt / (density dx^2) for steps of 1 s
std::string full_box(int nx, int ny, double dx, double number, const char* x_low, const char* x_high,
                     const std::string& coupling) {
  return case_text({nx, ny}, dx) + fmt::format(R"([domain.boundary]
x_low = "{0}"
x_high = "{3}"
y_low = "no_slip"
y_high = "no_slip"
[fluid]
gravity = [0, 0]
viscosity = {1}
[viscosity]
coupling = "{2}"
[transfer]
method = "apic"
[[liquid]]
shape = "box"
lower = [-1, -1]
upper = [99, 99]
)",
                                               x_low, number * density * dx * dx, coupling, x_high);
}

/// A layer of liquid between a slab and a wall in finite differences, implicit in time. Each velocity is rest + slope
/// times the one nearer to the slab.
class Layer {
 public:
  Layer(double thickness, double viscosity, double dt)
      : width_(thickness / n), number_(viscosity * dt / (width_ * width_)) {}
  /// Begin a step. \return the share of the slab's velocity and the part without it of the momentum that it loses
  std::pair<double, double> begin() {
    for (std::size_t i = n; i-- > 0;) {
      const bool is_first = i == 0, is_last = i == n - 1;
      const double near = is_first ? 2.0 * number_ : number_;
      double diagonal = 1.0 + near + (is_last ? 2.0 * number_ : number_), known = u_[i];
      if (!is_last) {
        diagonal -= number_ * slope_[i + 1];
        known += number_ * rest_[i + 1];
      }
      slope_[i] = near / diagonal;
      rest_[i] = known / diagonal;
    }
    const double drag = 2.0 * number_ * width_;
    return {drag * (1.0 - slope_[0]), -drag * rest_[0]};
  }
  void end(double speed) {
    for (std::size_t i = 0; i < n; ++i) speed = u_[i] = rest_[i] + slope_[i] * speed;
  }

 private:
  static constexpr std::size_t n = 400;
  double width_, number_;
  std::vector<double> u_ = std::vector<double>(n), slope_ = u_, rest_ = u_;
};

/// Speed after a time of a slab that had a speed of 1 in still liquid between walls. Densities are over the liquid's.
double speed_of_slab(double mass, const double (&gap)[2], double viscosity, double time) {
  constexpr int n_steps = 2000;
  const double dt = time / n_steps;
  Layer low(gap[0], viscosity, dt), high(gap[1], viscosity, dt);
  double speed = 1.0;
  for (int step = 0; step < n_steps; ++step) {
    const auto [of_low, rest_low] = low.begin();
    const auto [of_high, rest_high] = high.begin();
    speed = (mass * speed - rest_low - rest_high) / (mass + of_low + of_high);
    low.end(speed);
    high.end(speed);
  }
  return speed;
}

/// Error of a slab's velocity over that of theory, when it has lost more than half of its speed.
/// \param[in] time  viscosity time / (density width^2)
double error_of_slab(int n, double ratio, const std::string& coupling, double number, double time) {
  const double dx = 1.0 / n, lower = 0.375 + 0.3 * dx, upper = 0.625 + 0.3 * dx;
  const std::string text =
      full_box(8, n, dx, number, "periodic", "periodic", coupling) +
      fmt::format(R"([[solid]]
shape = "box"
lower = [-0.1, {}]
upper = [{}, {}]
slip = "no_slip"
body.mass = {}
body.velocity = [{}, 0]
body.fixed = ["y", "rz"]
body.contact = false
)",
                  lower, 8 * dx + 0.1, upper, ratio * density * 8 * dx * (upper - lower), 1e-3 * dx);
  Simulation simulation(world(), make_case(text));
  const int n_steps = static_cast<int>(std::lround(time / (number * dx * dx)));
  for (int step = 0; step < n_steps; ++step) simulation.advance(1.0);
  const double expected = speed_of_slab(ratio * (upper - lower), {lower, 1.0 - upper}, 1.0, n_steps * number * dx * dx);
  const double speed = simulation.free_bodies().report(0).velocity.x() / (1e-3 * dx);
  report("slab: speed, theory", {static_cast<double>(n), ratio, number, speed, expected});
  EXPECT_LT(expected, 0.7);
  return speed / expected - 1.0;
}

TEST(BodiesInStokesFlow, a_slab_comes_to_rest_as_its_layers_say) {
  for (const std::string coupling : {"split", "stokes"}) {
    EXPECT_LT(std::abs(error_of_slab(32, 1.0, coupling, 0.5, 0.02)), 0.02);
    EXPECT_LT(std::abs(error_of_slab(32, 0.2, coupling, 0.25, 0.005)), 0.03);
    EXPECT_LT(std::abs(error_of_slab(32, 10.0, coupling, 4.0, 0.3)), 0.02);
  }
}

/// Steps whose stress is one of the forces, in layers of two cells.
TEST(BodiesInStokesFlow, a_slab_comes_to_rest_so_in_explicit_steps) {
  EXPECT_LT(std::abs(error_of_slab(16, 0.5, "stokes", 9e-4, 0.01)), 0.05);
}

/// Speed of a cylinder that a force draws along a channel between two walls, over that of Faxen's formula. One end of
/// the channel is closed, so that no liquid flows along it on the whole.
double faxen_ratio(int radius, double ratio, double number, int n_steps) {
  const double dx = 1.0 / (8 * radius), part = 0.25;  // the channel is 8 radii wide
  const double f = 1.0;
  const double law = std::log(1.0 / part) - 0.9157 + 1.7244 * std::pow(part, 2) - 1.7302 * std::pow(part, 4) +
                     2.4056 * std::pow(part, 6) - 4.5913 * std::pow(part, 8);
  const double viscosity = number * density * dx * dx;
  const double expected = f * law / (4.0 * pi * viscosity);
  const double force = f * 1e-3 * dx / expected;
  const std::string text = full_box(24 * radius, 8 * radius, dx, number, "no_slip", "open", "stokes") +
                           fmt::format(R"([[solid]]
shape = "sphere"
center = [{}, 0.5]
radius = {}
slip = "no_slip"
body.density = {}
body.force = [{}, 0]
body.fixed = ["y", "rz"]
)",
                                       1.5 + 0.3 * dx, radius * dx, ratio * density, force);
  Simulation simulation(world(), make_case(text));
  for (int step = 0; step < n_steps; ++step) simulation.advance(1.0);
  return simulation.free_bodies().report(0).velocity.x() / (1e-3 * dx);
}

TEST(BodiesInStokesFlow, a_cylinder_in_a_channel_takes_faxens_speed) {
  for (const double ratio : {0.0, 1.0, 10.0}) {
    const double speed = faxen_ratio(4, ratio, 20.0, 12);
    report("cylinder in a channel: density ratio, speed over Faxen's", {ratio, speed});
    EXPECT_NEAR(speed, 1.0, 0.03);
  }
}

/// Rate of a disc that a moment turns in a round vessel, over that of theory.
double rate_of_disc(int radius, double ratio, double number, int n_steps, const std::string& coupling) {
  const double dx = 1.0 / (6 * radius), a = radius * dx, b = 2.5 * a, rate = 1e-4;
  const double viscosity = number * density * dx * dx;
  const double moment = 4.0 * pi * viscosity * a * a * rate / (1.0 - a * a / (b * b));
  const std::string text = full_box(6 * radius, 6 * radius, dx, number, "no_slip", "no_slip", coupling) +
                           fmt::format(R"([[solid]]
shape = "difference"
slip = "no_slip"
surface = "fractions"
parts = [
  {{ shape = "box", lower = [-1, -1], upper = [2, 2] }},
  {{ shape = "sphere", center = [0.503, 0.497], radius = {} }},
]
[[solid]]
shape = "sphere"
center = [0.503, 0.497]
radius = {}
slip = "no_slip"
body.density = {}
body.moment = [0, 0, {}]
body.fixed = ["x", "y"]
)",
                                       b, a, ratio * density, moment);
  Simulation simulation(world(), make_case(text));
  for (int step = 0; step < n_steps; ++step) simulation.advance(1.0);
  return simulation.free_bodies().report(0).angular.z() / rate;
}

TEST(BodiesInStokesFlow, a_disc_in_a_round_vessel_turns_as_theory_says) {
  for (const int radius : {6, 12})
    for (const double ratio : {0.0, 1.0}) {
      const double rate = rate_of_disc(radius, ratio, 20.0, 12, "stokes");
      report("turning disc: radius, density ratio, rate over that of theory", {1.0 * radius, ratio, rate});
      EXPECT_NEAR(rate, 1.0, 0.03);
    }
}

}  // namespace
}  // namespace freshet
