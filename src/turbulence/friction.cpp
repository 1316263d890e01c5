// SPDX-License-Identifier: Apache-2.0
#include "freshet/turbulence/friction.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

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

/// The law as one equation for u+, 1 = u+ (u+ + e^(-kappa B) P(k)) / Re + r (e^k - 1), with Re = u y / nu = u+ y+.
struct Law {
  double inverse_re;
  double r;  ///< k_s / (30 y)

  /// A value above the root. \return u+
  double above() const {
    double u_plus = 1e6;
    if (r > 0.0) u_plus = std::log1p(1.0 / r) / kappa;
    if (inverse_re <= 0.0) return u_plus;
    // beyond u+ = 11 the layer is logarithmic, and u+ P > e^k
    const double logarithmic = std::max(11.0, std::log1p(1.0 / (smooth * inverse_re)) / kappa);
    return std::min({u_plus, std::sqrt(1.0 / inverse_re), logarithmic});
  }
  /// The right-hand side and its derivative.
  struct Side {
    double sum;
    double slope;  ///< d sum / d ln u+
  };
  Side at(double u_plus) const {
    const double k = kappa * u_plus;
    const double beyond = smooth * beyond_cubic(k);
    Side result{};
    result.sum = inverse_re * u_plus * (u_plus + beyond);
    // P' is P with one term more
    result.slope = inverse_re * u_plus * (2.0 * u_plus + beyond + k * (beyond + smooth * k * k * k / 6.0));
    if (r > 0.0) {
      const double rough = std::expm1(k);
      result.sum += r * rough;
      result.slope += r * k * (rough + 1.0);
    }
    return result;
  }
  /// Newton's method for ln u+, from a value of u+. Its error after a step is of the order of the step's square.
  double solve(double u_plus) const {
    for (int n = 0; n < 50; ++n) {
      const auto [sum, slope] = at(u_plus);
      const double step = sum * std::log(sum) / slope;
      u_plus *= std::exp(-step);
      if (std::abs(step) < 1e-8) break;
    }
    return u_plus;
  }

  static inline const double smooth = std::exp(-kappa * intercept);
};

/// Roots for smooth walls at equal steps of ln Re, with cubics in between that have the law's slope at the steps: to
/// 1e-9 of the root.
class SmoothRoots {
 public:
  SmoothRoots() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Law law{std::exp(-(first + step * static_cast<double>(n))), 0.0};
      const double u_plus = law.solve(law.above());
      nodes_[n] = {std::log(u_plus), step / law.at(u_plus).slope};  // d ln u+ / d ln Re is 1 / slope where the sum is 1
    }
  }
  /// \return u+, or 0 where no roots are known
  double find(const Law& law) const {
    const double place = (-std::log(law.inverse_re) - first) / step;
    if (!(place >= 0.0 && place < n_steps)) return 0.0;
    const auto n = static_cast<std::size_t>(place);
    const double s = place - static_cast<double>(n);
    const Node &low = nodes_[n], &high = nodes_[n + 1];
    const double rise = high.log_u_plus - low.log_u_plus;
    const double bend = (1.0 - s) * (low.slope - rise) - s * (high.slope - rise);
    return std::exp(low.log_u_plus + s * (rise + (1.0 - s) * bend));
  }

 private:
  struct Node {
    double log_u_plus;
    double slope;  ///< change of ln u+ over a step
  };
  static constexpr int n_steps = 1024;
  static constexpr double first = -4.0, step = 1.0 / 32.0;  // Re of 0.02 to 10^12
  std::array<Node, n_steps + 1> nodes_{};
};

}  // namespace

double friction_velocity(double speed, double distance, double viscosity, double roughness) {
  FRESHET_EXPECT(distance > 0.0 && (viscosity > 0.0 || roughness > 0.0));
  if (speed <= 0.0) return 0.0;
  const Law law{viscosity / (speed * distance), roughness / (30.0 * distance)};
  if (viscosity == 0.0) return speed / law.above();  // the root itself
  static const SmoothRoots roots;
  const double smooth = roots.find(law);
  if (law.r == 0.0 && smooth > 0.0) return speed / smooth;
  return speed / law.solve(smooth > 0.0 ? std::min(smooth, law.above()) : law.above());
}

}  // namespace freshet
