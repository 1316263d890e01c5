// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/wave_maker.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/counter_random.hpp"
#include "freshet/geometry/stokes_wave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

/// The JONSWAP spectrum at a frequency f relative to the peak's, up to a factor. Source: Hasselmann et al. 1973
double jonswap(double f, double peak) {
  const double width = f <= 1.0 ? 0.07 : 0.09;
  const double beside = (f - 1.0) / width;
  return std::pow(f, -5.0) * std::exp(-1.25 * std::pow(f, -4.0)) * std::pow(peak, std::exp(-0.5 * beside * beside));
}

/// The part of a paddle's motion that has been reached at s = t / ramp. Its first two derivatives are 0 at both ends.
double ramp_at(double s) {
  if (s <= 0.0) return 0.0;
  return s >= 1.0 ? 1.0 : s - std::sin(two_pi * s) / two_pi;
}

/// The derivative of ramp_at() with respect to s.
double ramp_rate_at(double s) {
  return s <= 0.0 || s >= 1.0 ? 0.0 : 1.0 - std::cos(two_pi * s);
}

}  // namespace

double wave_number(double omega, double gravity, double depth) {
  const double deep = omega * omega * depth / gravity;  // k h tanh(k h)
  double kh = deep > 1.0 ? deep : std::sqrt(deep);
  for (int round = 0; round < 50; ++round) {
    const double t = std::tanh(kh);
    const double step = (kh * t - deep) / (t + kh * (1.0 - t * t));
    kh -= step;
    if (std::abs(step) <= 1e-15 * kh) break;
  }
  return kh / depth;
}

double PaddleProfile::weighted(double k, double top) const {
  const double unit = 1.0 + std::exp(-2.0 * k * depth);  // 2 cosh(k depth) exp(-k depth): nothing overflows below
  const auto cosh = [&](double y) { return (std::exp(k * (y - depth)) + std::exp(-k * (y + depth))) / unit; };
  const auto sinh = [&](double y) { return (std::exp(k * (y - depth)) - std::exp(-k * (y + depth))) / unit; };
  if (kind == WavePaddle::piston) return sinh(top) / k;
  const auto integral = [&](double y) { return (y - hinge) * sinh(y) / k - cosh(y) / (k * k); };
  return (integral(top) - integral(std::max(0.0, hinge))) / (depth - hinge);
}

double stroke_of_height(const PaddleProfile& paddle, double k) {
  const double kh = k * paddle.depth;
  const double cosh = kh > 300.0 ? 0.0 : 1.0 / std::cosh(kh);
  return (2.0 * std::tanh(kh) + 2.0 * kh * cosh * cosh) / (4.0 * std::tanh(kh) * k * paddle.weighted(k, paddle.depth));
}

WaveMaker::WaveMaker(const WaveParameters& wave, const Vec3& gravity)
    : wave_(wave),
      profile_{wave.paddle, wave.hinge, wave.depth},
      gravity_(gravity.norm()),
      ramp_(wave.ramp > 0.0 ? wave.ramp : 2.0 * wave.period),
      direction_(wave.direction.normalized()),
      axis_((-gravity).cross(direction_).normalized()) {
  FRESHET_EXPECT(wave.type != WaveType::none);
  const double omega = two_pi / wave.period;
  const double k = wave_number(omega, gravity_, wave.depth);
  length_ = two_pi / k;
  if (wave.type == WaveType::jonswap) {
    add_spectrum();
  } else if (wave.type == WaveType::stokes5) {
    add_fenton();
  } else {
    sines_.push_back({0.5 * wave.height * stroke_of_height(profile_, k), omega, 0.0});
    if (wave.type == WaveType::stokes2) add_madsen();
  }
  quickest_ = ramp_;
  for (const Sine& sine : sines_) quickest_ = std::min(quickest_, two_pi / sine.omega);
}

/// Add the second harmonic of a piston's motion. Source: Madsen 1971, J. Geophysical Research 76, 8672-8683
void WaveMaker::add_madsen() {
  const double kh = two_pi / length_ * wave_.depth;
  const double sinh = std::sinh(kh);
  const double per_stroke = 1.0 / stroke_of_height(profile_, kh / wave_.depth);
  const double second = wave_.height * wave_.height / (32.0 * wave_.depth) *
                        (3.0 * std::cosh(kh) / (sinh * sinh * sinh) - 2.0 / per_stroke);
  sines_.push_back({second, 2.0 * sines_.front().omega, 0.0});
}

/// X' = integral of u(X, y, t) cosh(k y) / integral of s(y) cosh(k y), both from the bed to the surface at X, less the
/// mean of this quotient in time. X is found by fixed-point iteration on one period.
void WaveMaker::add_fenton() {
  constexpr int n_samples = 256;
  constexpr int n_harmonics = 12;
  constexpr int n_rounds = 200;
  const StokesWave wave(wave_.height, wave_.period, wave_.depth, gravity_);
  const double omega = two_pi / wave_.period;
  const double k = wave.wave_number();
  length_ = two_pi / k;
  // The integral of cosh(j k y) cosh(k y) over y = 0 .. top
  const auto product = [k](int j, double top) {
    const double sum = std::sinh((j + 1) * k * top) / ((j + 1) * k);
    return 0.5 * (sum + (j == 1 ? top : std::sinh((j - 1) * k * top) / ((j - 1) * k)));
  };
  std::array<double, n_harmonics + 1> amplitude{};  // amplitudes of sin(n omega t) in X: symmetric about the crest
  for (int round = 0; round < n_rounds; ++round) {
    std::array<double, n_harmonics + 1> next{};
    for (int m = 0; m < n_samples; ++m) {
      const double phase = two_pi * m / n_samples;
      double x = 0.0;
      for (int n = 1; n <= n_harmonics; ++n) x += amplitude[static_cast<std::size_t>(n)] * std::sin(n * phase);
      const double theta = k * x - phase;
      const double top = wave.surface(theta);
      double flow = wave.current() * std::sinh(k * top) / k;
      for (int j = 1; j <= 5; ++j) flow += wave.velocity_harmonic(j) * product(j, top) * std::cos(j * theta);
      const double speed = flow / (profile_.weighted(k, top) * std::cosh(k * wave_.depth));
      for (int n = 1; n <= n_harmonics; ++n)
        next[static_cast<std::size_t>(n)] += 2.0 / n_samples * speed * std::cos(n * phase) / (n * omega);
    }
    double change = 0.0;
    for (std::size_t n = 1; n < next.size(); ++n) change = std::max(change, std::abs(next[n] - amplitude[n]));
    amplitude = next;
    if (change <= 1e-14 * std::abs(amplitude[1])) break;
  }
  for (int n = 1; n <= n_harmonics; ++n) sines_.push_back({amplitude[static_cast<std::size_t>(n)], n * omega, 0.0});
}

/// Add frequencies at random places of equally wide bands from half the peak's frequency to three times it, so that the
/// waves do not repeat themselves. All heights are scaled to the given significant height.
void WaveMaker::add_spectrum() {
  constexpr double lowest = 0.5;
  constexpr double highest = 3.0;
  const double width = (highest - lowest) / wave_.components;
  const CellRandom random(static_cast<std::uint64_t>(wave_.seed), Vec3i::Zero());
  double variance = 0.0;
  for (int n = 0; n < wave_.components; ++n) {
    const auto counter = 2 * static_cast<std::uint64_t>(n);
    const double f = lowest + (n + random.uniform(counter)) * width;
    const double omega = two_pi / wave_.period * f;
    const double height = std::sqrt(2.0 * jonswap(f, wave_.peak) * width);  // amplitude of the surface before scaling
    variance += 0.5 * height * height;
    const double stroke = stroke_of_height(profile_, wave_number(omega, gravity_, wave_.depth));
    sines_.push_back({height * stroke, omega, two_pi * random.uniform(counter + 1)});
  }
  const double scale = 0.25 * wave_.height / std::sqrt(variance);
  for (Sine& sine : sines_) sine.amplitude *= scale;
}

WaveMaker::Flaw WaveMaker::flaw_of(const WaveParameters& wave, const Vec3& gravity, int dimension) {
  if (wave.type == WaveType::none) return {};
  const double g = gravity.norm();
  if (g == 0.0) return {"type", "is given without gravity", "no waves come of it", "Set fluid.gravity"};
  for (const auto& [key, value] : {std::pair{"height", wave.height}, {"period", wave.period}, {"depth", wave.depth}})
    if (!(value > 0.0)) return {key, "is missing", "waves need height, period and depth", "Give it"};
  const Vec3 along = wave.direction.normalized();
  if (!(wave.direction.norm() > 0.0) || std::abs(along.dot(gravity)) > 1e-6 * g)
    return {"direction", "is not horizontal", "gravity is vertical", "Give a direction across fluid.gravity"};
  if (dimension == 2 && along.z() != 0.0)
    return {"direction", "leaves the plane", "domain.dimension is 2", "Make it [1, 0]"};
  if (wave.paddle == WavePaddle::flap && !(wave.hinge < wave.depth))
    return {"hinge", "is not below the water's level", "a flap turns about it", "Lower it"};
  const WaveParameters usual;
  if (wave.paddle == WavePaddle::piston && wave.hinge != usual.hinge)
    return {"hinge", "is given for a piston", "only a flap turns about it",
            "Leave it out, or choose paddle = \"flap\""};
  for (const auto& [key, is_given] : {std::pair{"peak", wave.peak != usual.peak},
                                      {"components", wave.components != usual.components},
                                      {"seed", wave.seed != usual.seed}})
    if (is_given && wave.type != WaveType::jonswap)
      return {key, "is given for regular waves", "it describes the spectrum of jonswap", "Leave it out"};
  const double k = freshet::wave_number(two_pi / wave.period, g, wave.depth);
  const double kh = k * wave.depth;
  const double highest = 0.142 * two_pi / k * std::tanh(kh);
  if (wave.height > highest)
    return {"height", fmt::format("= {} m is above {:.4g} m", wave.height, highest),
            "higher waves of this length break (Miche 1944)", "Lower it, or raise the period"};
  const double ursell = wave.height * two_pi / k * two_pi / k / (wave.depth * wave.depth * wave.depth);
  if (wave.type == WaveType::stokes2 && wave.paddle == WavePaddle::flap)
    return {"type", "is \"stokes2\" with a flap", "Madsen's second harmonic is that of a piston", "Choose stokes5"};
  if (wave.type == WaveType::stokes2 && ursell > 8.0 / 3.0 * std::numbers::pi * std::numbers::pi)
    return {"type", fmt::format("is \"stokes2\" at an Ursell number of {:.3g}", ursell),
            "beyond 26.3 the second harmonic makes a second crest",
            "Choose linear, a lower height or a shorter period"};
  if (wave.type == WaveType::stokes5 && ursell > 40.0)
    return {"type", fmt::format("is \"stokes5\" at an Ursell number of {:.3g}", ursell),
            "beyond 40 the series do not converge", "Choose linear, a lower height or a shorter period"};
  if (kh > 100.0)
    return {"depth", "is more than 16 wave lengths", "such waves do not feel the bed", "Give a smaller depth"};
  return {};
}

double WaveMaker::stroke(double time) const {
  if (time <= 0.0) return 0.0;
  double x = 0.0;
  for (const Sine& sine : sines_) x += sine.amplitude * std::sin(sine.omega * time + sine.phase);
  return ramp_at(time / ramp_) * x;
}

MotionSample WaveMaker::at(double time) const {
  MotionSample sample;
  sample.time = time;
  const double x = stroke(time);
  if (wave_.paddle == WavePaddle::piston)
    sample.translation = x * direction_;
  else
    sample.turn = std::atan2(x, wave_.depth - wave_.hinge) * axis_;
  return sample;
}

MotionRates WaveMaker::rates(double time) const {
  if (time <= 0.0) return {};
  double x = 0.0;
  double speed = 0.0;
  for (const Sine& sine : sines_) {
    x += sine.amplitude * std::sin(sine.omega * time + sine.phase);
    speed += sine.amplitude * sine.omega * std::cos(sine.omega * time + sine.phase);
  }
  const double ramp = ramp_at(time / ramp_);
  const double rate = ramp * speed + ramp_rate_at(time / ramp_) / ramp_ * x;
  if (wave_.paddle == WavePaddle::piston) return {rate * direction_, Vec3::Zero()};
  const double arm = wave_.depth - wave_.hinge;
  return {Vec3::Zero(), rate * arm / (arm * arm + ramp * x * ramp * x) * axis_};
}

}  // namespace freshet
