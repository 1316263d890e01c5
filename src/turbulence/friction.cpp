// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/friction.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double kappa = 0.4;
constexpr double intercept = 5.5;  // B

/// e^k - 1 - k - k^2/2 - k^3/6, without cancellation for small k.
double beyond_cubic(double k) {
  if (k > 1.0) return std::exp(k) - 1.0 - k - k * k / 2.0 - k * k * k / 6.0;
  double term = k * k * k * k / 24.0, sum = 0.0;
  for (int n = 5; n < 16; ++n) {
    sum += term;
    term *= k / n;
  }
  return sum;
}

}  // namespace

double friction_velocity(double speed, double distance, double viscosity, double roughness) {
  FRESHET_EXPECT(distance > 0.0 && (viscosity > 0.0 || roughness > 0.0));
  if (speed <= 0.0) return 0.0;
  // 1 = (u+ (u+ + e^(-kappa B) P(k))) / Re + r (e^k - 1), Re = u y / nu = u+ y+
  const double inverse_re = viscosity / (speed * distance);
  const double r = roughness / (30.0 * distance);
  const double smooth = std::exp(-kappa * intercept);
  double u_plus = 1e6;  // above the root
  if (r > 0.0) u_plus = std::log1p(1.0 / r) / kappa;
  if (inverse_re > 0.0) {
    // beyond u+ = 11 the layer is logarithmic, and u+ P > e^k
    const double logarithmic = std::max(11.0, std::log1p(1.0 / (smooth * inverse_re)) / kappa);
    u_plus = std::min({u_plus, std::sqrt(1.0 / inverse_re), logarithmic});
  }
  for (int n = 0; n < 50; ++n) {
    const double k = kappa * u_plus;
    const double rough = r * std::expm1(k);
    const double beyond = smooth * beyond_cubic(k);
    const double sum = inverse_re * u_plus * (u_plus + beyond) + rough;
    // d sum / d ln u+; P' is P with one term more
    const double slope =
        inverse_re * u_plus * (2.0 * u_plus + beyond + k * (beyond + smooth * k * k * k / 6.0)) + r * k * std::exp(k);
    const double step = sum * std::log(sum) / slope;
    u_plus *= std::exp(-step);
    if (std::abs(step) < 1e-13) break;
  }
  return speed / u_plus;
}

}  // namespace freshet
