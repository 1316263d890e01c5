// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/geometry/stokes_wave.hpp"
#include "freshet/geometry/wave_maker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace freshet {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;
const Vec3 gravity(0.0, -g, 0.0);

WaveParameters waves(WaveType type, double height, double period, double depth) {
  WaveParameters wave;
  wave.type = type;
  wave.height = height;
  wave.period = period;
  wave.depth = depth;
  return wave;
}

TEST(WaveMaker, wave_number_solves_the_dispersion_relation_in_shallow_and_deep_water) {
  for (const double depth : {0.01, 0.5, 3.0, 400.0})
    for (const double period : {0.3, 1.5, 12.0}) {
      const double omega = 2.0 * pi / period;
      const double k = wave_number(omega, g, depth);
      EXPECT_NEAR(g * k * std::tanh(k * depth) / (omega * omega), 1.0, 1e-13) << depth << " " << period;
    }
}

// H / S of a piston is 2 (cosh 2kh - 1) / (sinh 2kh + 2kh), of a flap hinged at the bed
// 4 sinh kh / kh (kh sinh kh - cosh kh + 1) / (sinh 2kh + 2kh): Dean & Dalrymple 1991, equations 6.25 and 6.26
TEST(WaveMaker, strokes_are_those_of_the_transfer_functions_in_closed_form) {
  for (const double kh : {0.1, 0.7, 2.0, 6.0}) {
    const double depth = 0.8;
    const double below = std::sinh(2.0 * kh) + 2.0 * kh;
    const double piston = 2.0 * (std::cosh(2.0 * kh) - 1.0) / below;
    const double flap = 4.0 * std::sinh(kh) / kh * (kh * std::sinh(kh) - std::cosh(kh) + 1.0) / below;
    EXPECT_NEAR(stroke_of_height({WavePaddle::piston, 0.0, depth}, kh / depth) * piston, 1.0, 1e-12);
    EXPECT_NEAR(stroke_of_height({WavePaddle::flap, 0.0, depth}, kh / depth) * flap, 1.0, 1e-10) << kh;
    // a hinge far below the bed makes a flap a piston
    EXPECT_NEAR(stroke_of_height({WavePaddle::flap, -1e6, depth}, kh / depth) * piston, 1.0, 1e-5);
  }
  EXPECT_NEAR(stroke_of_height({WavePaddle::piston, 0.0, 1.0}, 5000.0), 0.5, 1e-12);  // deep water: H / S = 2
}

/// Largest error of the conditions at the surface of a wave: that nothing flows through it, relative to the wave's
/// speed, and that Bernoulli's constant is one, relative to its square.
double surface_error(double height, double period, double depth) {
  const StokesWave wave(height, period, depth, g);
  const double k = wave.wave_number();
  const double c = 2.0 * pi / (k * period);
  double through = 0.0;
  double lowest = 1e300;
  double highest = -1e300;
  constexpr double h = 1e-4;
  for (double theta = 0.0; theta < 2.0 * pi; theta += 0.05) {
    const double y = wave.surface(theta);
    const double slope = k * (wave.surface(theta + h) - wave.surface(theta - h)) / (2.0 * h);
    const double u = wave.horizontal_velocity(theta, y) - c;  // in the frame of the wave
    const double v = wave.vertical_velocity(theta, y);
    through = std::max(through, std::abs(v - u * slope) / c);
    const double head = 0.5 * (u * u + v * v) + g * y;
    lowest = std::min(lowest, head);
    highest = std::max(highest, head);
  }
  return std::max(through, (highest - lowest) / (c * c));
}

TEST(StokesWave, errors_at_the_surface_fall_with_the_sixth_power_of_the_steepness) {
  for (const double depth : {0.4, 1.0, 5.0}) {
    const double coarse = surface_error(0.12, 1.4, depth);
    const double fine = surface_error(0.06, 1.4, depth);
    EXPECT_LT(coarse, 3e-3) << depth;
    EXPECT_GT(coarse / fine, 45.0) << depth;  // 2^6 = 64
  }
}

TEST(StokesWave, carries_no_water_on_the_whole) {
  const double period = 1.4;
  const StokesWave wave(0.12, period, 0.6, g);
  constexpr int n = 64;
  double flow = 0.0;
  double scale = 0.0;
  for (int m = 0; m < n; ++m) {
    const double theta = 2.0 * pi * m / n;
    const double top = wave.surface(theta);
    constexpr int layers = 400;
    for (int l = 0; l < layers; ++l) {
      const double u = wave.horizontal_velocity(theta, (l + 0.5) * top / layers);
      flow += u * top / layers / n;
      scale += std::abs(u) * top / layers / n;
    }
  }
  EXPECT_LT(std::abs(flow), 1e-3 * scale);
}

TEST(WaveMaker, small_waves_of_every_type_have_the_same_stroke) {
  const double height = 1e-5;
  const WaveMaker linear(waves(WaveType::linear, height, 1.5, 0.5), gravity);
  for (const WavePaddle paddle : {WavePaddle::piston, WavePaddle::flap}) {
    WaveParameters wave = waves(WaveType::linear, height, 1.5, 0.5);
    wave.paddle = paddle;
    const double expected = WaveMaker(wave, gravity).sines().front().amplitude;
    wave.type = WaveType::stokes5;
    const WaveMaker fenton(wave, gravity);
    EXPECT_NEAR(fenton.sines()[0].amplitude / expected, 1.0, 1e-4);
    EXPECT_LT(std::abs(fenton.sines()[1].amplitude / expected), 1e-3);
  }
  const WaveMaker madsen(waves(WaveType::stokes2, height, 1.5, 0.5), gravity);
  EXPECT_DOUBLE_EQ(madsen.sines()[0].amplitude, linear.sines()[0].amplitude);
  EXPECT_LT(std::abs(madsen.sines()[1].amplitude), 1e-4 * madsen.sines()[0].amplitude);
}

// In the form a^2 / (2 h tanh kh) (3 / (4 sinh^2 kh) - n1 / 2), n1 = (1 + 2 kh / sinh 2kh) / 2
TEST(WaveMaker, second_harmonic_of_a_piston_is_madsens) {
  const double depth = 0.5;
  const WaveMaker maker(waves(WaveType::stokes2, 0.06, 1.5, depth), gravity);
  const double k = wave_number(2.0 * pi / 1.5, g, depth);
  const double n1 = 0.5 * (1.0 + 2.0 * k * depth / std::sinh(2.0 * k * depth));
  const double expected =
      0.03 * 0.03 / (2.0 * depth * std::tanh(k * depth)) * (0.75 / std::pow(std::sinh(k * depth), 2) - 0.5 * n1);
  EXPECT_NEAR(maker.sines()[1].amplitude, expected, 1e-12);
  EXPECT_NEAR(maker.sines()[1].omega, 4.0 * pi / 1.5, 1e-12);
}

TEST(WaveMaker, jonswap_has_the_significant_height_and_depends_on_its_seed_alone) {
  WaveParameters wave = waves(WaveType::jonswap, 0.1, 1.5, 0.5);
  wave.seed = 7;
  const WaveMaker maker(wave, gravity);
  ASSERT_EQ(maker.sines().size(), 100U);
  double variance = 0.0;
  double peak = 0.0;
  double at_peak = 0.0;
  for (const WaveMaker::Sine& sine : maker.sines()) {
    const double a = sine.amplitude / stroke_of_height({WavePaddle::piston, 0.0, 0.5}, wave_number(sine.omega, g, 0.5));
    variance += 0.5 * a * a;
    if (a > peak) at_peak = sine.omega;
    peak = std::max(peak, a);
  }
  EXPECT_NEAR(4.0 * std::sqrt(variance), 0.1, 1e-12);
  EXPECT_NEAR(at_peak * 1.5 / (2.0 * pi), 1.0, 0.03);  // bands are 0.025 of the peak's frequency wide
  EXPECT_EQ(WaveMaker(wave, gravity).stroke(12.3), maker.stroke(12.3));
  wave.seed = 8;
  EXPECT_NE(WaveMaker(wave, gravity).stroke(12.3), maker.stroke(12.3));
}

TEST(WaveMaker, a_paddle_starts_at_rest_where_it_stands_and_a_flap_turns_towards_the_waves) {
  WaveParameters wave = waves(WaveType::jonswap, 0.1, 1.5, 0.5);
  wave.ramp = 2.0;
  const WaveMaker piston(wave, gravity);
  EXPECT_EQ(piston.stroke(0.0), 0.0);
  EXPECT_EQ(piston.stroke(-1.0), 0.0);
  EXPECT_LT(std::abs(piston.stroke(1e-3)), 1e-8);  // grows with the cube of time
  wave.paddle = WavePaddle::flap;
  wave.hinge = 0.1;
  const auto flap = std::make_shared<WaveMaker>(wave, gravity);
  const RigidMotion motion({1.0, 0.1, 0.0}, flap);
  const Vec3 top = motion.pose(2.6).to_world({1.0, 0.5, 0.0});
  const double angle = std::atan2(top.x() - 1.0, top.y() - 0.1);
  EXPECT_NEAR(0.4 * std::tan(angle), flap->stroke(2.6), 1e-12);
  EXPECT_NEAR((motion.pose(2.6).to_world({1.0, 0.1, 0.0}) - Vec3(1.0, 0.1, 0.0)).norm(), 0.0, 1e-15);
}

TEST(WaveMaker, a_finite_wave_moves_the_paddle_as_much_water_as_it_carries) {
  // shallow and flat: the mean velocity of the column is the paddle's, X' (h + eta) = c eta + the current's flow
  WaveParameters wave = waves(WaveType::stokes5, 0.02, 3.0, 0.5);
  wave.ramp = 1e-9;
  const WaveMaker maker(wave, gravity);
  const StokesWave stokes(0.02, 3.0, 0.5, g);
  const double k = stokes.wave_number();
  const double omega = 2.0 * pi / 3.0;
  constexpr double h = 1e-5;
  for (const double t : {3.0, 3.4, 4.1, 5.2}) {
    const double speed = (maker.stroke(t + h) - maker.stroke(t - h)) / (2.0 * h);
    const double theta = k * maker.stroke(t) - omega * t;
    const double top = stokes.surface(theta);
    double flow = 0.0;
    constexpr int layers = 1000;
    for (int l = 0; l < layers; ++l) flow += stokes.horizontal_velocity(theta, (l + 0.5) * top / layers) * top / layers;
    EXPECT_NEAR(speed * top, flow, 0.03 * 0.01 * std::sqrt(g * 0.5)) << t;  // the weights: (k h)^2 / 10 = 3 %
  }
}

TEST(WaveMaker, waves_that_cannot_be_made_are_refused) {
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::linear, 0.05, 1.5, 0.5), gravity, 3).problem, "");
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::linear, 0.4, 0.8, 0.5), gravity, 3).key, "height");
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::stokes2, 0.05, 4.0, 0.3), gravity, 3).key, "type");
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::stokes5, 0.05, 6.0, 0.3), gravity, 3).key, "type");
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::linear, 0.05, 0.0, 0.3), gravity, 3).key, "period");
  EXPECT_EQ(WaveMaker::flaw_of(waves(WaveType::linear, 0.05, 1.5, 0.3), Vec3::Zero(), 3).key, "type");
  WaveParameters upward = waves(WaveType::linear, 0.05, 1.5, 0.5);
  upward.direction = Vec3::UnitY();
  EXPECT_EQ(WaveMaker::flaw_of(upward, gravity, 3).key, "direction");
}

TEST(WaveMaker, rates_are_the_derivative_of_the_paddle_s_place) {
  constexpr double h = 1e-6;
  for (const WavePaddle paddle : {WavePaddle::piston, WavePaddle::flap}) {
    WaveParameters wave = waves(WaveType::jonswap, 0.1, 1.5, 0.5);
    wave.paddle = paddle;
    const WaveMaker maker(wave, gravity);
    for (const double t : {-1.0, 0.5, 2.0, 7.3}) {
      const MotionSample before = maker.at(t - h), after = maker.at(t + h);
      const MotionRates rates = maker.rates(t);
      EXPECT_LT(((after.translation - before.translation) / (2.0 * h) - rates.translation).norm(), 1e-8) << t;
      EXPECT_LT(((after.turn - before.turn) / (2.0 * h) - rates.turn).norm(), 1e-8) << t;
    }
    EXPECT_LT(maker.quickest(), 1.5 / 2.5) << "the spectrum reaches to three times the peak's frequency";
  }
}

}  // namespace
}  // namespace freshet
