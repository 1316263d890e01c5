// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/stokes_wave.hpp"

#include <cmath>
#include <initializer_list>
#include <numbers>

namespace freshet {
namespace {

/// The polynomial c0 + c1 x + c2 x^2 + ...
double polynomial(double x, std::initializer_list<double> coefficients) {
  double sum = 0.0;
  double power = 1.0;
  for (const double c : coefficients) {
    sum += c * power;
    power *= x;
  }
  return sum;
}

/// The coefficients of Fenton's table 1 for one k d that give the speeds: those of orders 0, 2 and 4.
struct Speeds {
  double c0, c2, c4, d2, d4;
  explicit Speeds(double kd) {
    const double s = 1.0 / std::cosh(2.0 * kd);
    const double r = 1.0 - s;
    c0 = std::sqrt(std::tanh(kd));
    c2 = c0 * polynomial(s, {2.0, 0.0, 7.0}) / (4.0 * r * r);
    c4 = c0 * polynomial(s, {4.0, 32.0, -116.0, -400.0, -71.0, 146.0}) / (32.0 * std::pow(r, 5));
    d2 = -0.5 / c0;
    d4 = polynomial(s, {2.0, 4.0, 1.0, 2.0}) / (8.0 * c0 * std::pow(r, 3));
  }
  double mean_speed(double e) const { return c0 + e * e * (c2 + e * e * c4); }             ///< over sqrt(g / k)
  double mass_speed(double e, double kd) const { return e * e * (d2 + e * e * d4) / kd; }  ///< over sqrt(g / k)
};

/// Residual of Fenton's equation 24 without a flow of mass. Its sign tells whether k is too small or too large.
double excess(double k, double height, double period, double depth, double gravity) {
  const Speeds speeds(k * depth);
  const double e = 0.5 * k * height;
  return speeds.mean_speed(e) + speeds.mass_speed(e, k * depth) -
         2.0 * std::numbers::pi / (period * std::sqrt(gravity * k));
}

/// The wave number at which the wave has this period. [1/m]
double find_wave_number(double height, double period, double depth, double gravity) {
  double low = 0.0;
  double high = 2.0 * std::pow(2.0 * std::numbers::pi / period, 2) / gravity;
  while (excess(high, height, period, depth, gravity) < 0.0) high *= 2.0;
  // The wave number of small waves lies near the root; below half of it the series have no meaning.
  for (low = 0.5 * high; excess(low, height, period, depth, gravity) > 0.0;) {
    high = low;
    low *= 0.9;
  }
  for (int round = 0; round < 100; ++round) {
    const double middle = 0.5 * (low + high);
    (excess(middle, height, period, depth, gravity) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

StokesWave::StokesWave(double height, double period, double depth, double gravity)
    : depth_(depth), k_(find_wave_number(height, period, depth, gravity)) {
  const double kd = k_ * depth;
  const double e = 0.5 * k_ * height;
  const Speeds speeds(kd);
  const double unit = std::sqrt(gravity / k_);
  current_ = 2.0 * std::numbers::pi / (period * k_) - unit * speeds.mean_speed(e);

  const double s = 1.0 / std::cosh(2.0 * kd);
  const double r = 1.0 - s;
  const double sinh = std::sinh(kd);
  const double coth = 1.0 / std::tanh(kd);
  const double s3 = 3.0 + 2.0 * s;
  const double s4 = 4.0 + s;
  const double a11 = 1.0 / sinh;
  const double a22 = 3.0 * s * s / (2.0 * r * r);
  const double a31 = polynomial(s, {-4.0, -20.0, 10.0, -13.0}) / (8.0 * sinh * std::pow(r, 3));
  const double a33 = polynomial(s, {0.0, 0.0, -2.0, 11.0}) / (8.0 * sinh * std::pow(r, 3));
  const double a42 = polynomial(s, {0.0, 12.0, -14.0, -264.0, -45.0, -13.0}) / (24.0 * std::pow(r, 5));
  const double a44 = polynomial(s, {0.0, 0.0, 0.0, 10.0, -174.0, 291.0, 278.0}) / (48.0 * s3 * std::pow(r, 5));
  const double a51 = polynomial(s, {-1184.0, 32.0, 13232.0, 21712.0, 20940.0, 12554.0, -500.0, -3341.0, -670.0}) /
                     (64.0 * sinh * s3 * s4 * std::pow(r, 6));
  const double a53 =
      polynomial(s, {0.0, 4.0, 105.0, 198.0, -1376.0, -1302.0, -117.0, 58.0}) / (32.0 * sinh * s3 * std::pow(r, 6));
  const double a55 = polynomial(s, {0.0, 0.0, 0.0, -6.0, 272.0, -1552.0, 852.0, 2029.0, 430.0}) /
                     (64.0 * sinh * s3 * s4 * std::pow(r, 6));
  const double b22 = coth * (1.0 + 2.0 * s) / (2.0 * r);
  const double b31 = -3.0 * polynomial(s, {1.0, 3.0, 3.0, 2.0}) / (8.0 * std::pow(r, 3));
  const double b42 = coth * polynomial(s, {6.0, -26.0, -182.0, -204.0, -25.0, 26.0}) / (6.0 * s3 * std::pow(r, 4));
  const double b44 = coth * polynomial(s, {24.0, 92.0, 122.0, 66.0, 67.0, 34.0}) / (24.0 * s3 * std::pow(r, 4));
  const double b53 = 9.0 * polynomial(s, {132.0, 17.0, -2216.0, -5897.0, -6292.0, -2687.0, 194.0, 467.0, 82.0}) /
                     (128.0 * s3 * s4 * std::pow(r, 6));
  const double b55 = 5.0 * polynomial(s, {300.0, 1579.0, 3176.0, 2949.0, 1188.0, 675.0, 1326.0, 827.0, 130.0}) /
                     (384.0 * s3 * s4 * std::pow(r, 6));
  const double e2 = e * e;
  const double scale = speeds.c0 * unit;
  velocity_ = {0.0,
               scale * e * (a11 + e2 * (a31 + e2 * a51)),
               scale * 2.0 * e2 * (a22 + e2 * a42),
               scale * 3.0 * e * e2 * (a33 + e2 * a53),
               scale * 4.0 * e2 * e2 * a44,
               scale * 5.0 * e * e2 * e2 * a55};
  surface_ = {0.0,
              e * (1.0 + e2 * (b31 - e2 * (b53 + b55))) / k_,
              e2 * (b22 + e2 * b42) / k_,
              e * e2 * (-b31 + e2 * b53) / k_,
              e2 * e2 * b44 / k_,
              e * e2 * e2 * b55 / k_};
}

double StokesWave::surface(double theta) const {
  double y = depth_;
  for (int j = 1; j <= 5; ++j) y += surface_[static_cast<std::size_t>(j)] * std::cos(j * theta);
  return y;
}

double StokesWave::horizontal_velocity(double theta, double y) const {
  double u = current_;
  for (int j = 1; j <= 5; ++j) u += velocity_harmonic(j) * std::cosh(j * k_ * y) * std::cos(j * theta);
  return u;
}

double StokesWave::vertical_velocity(double theta, double y) const {
  double v = 0.0;
  for (int j = 1; j <= 5; ++j) v += velocity_harmonic(j) * std::sinh(j * k_ * y) * std::sin(j * theta);
  return v;
}

}  // namespace freshet
