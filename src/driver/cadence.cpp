// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/cadence.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

/// \pre repeats()
double Cadence::next_multiple(double time) const {
  auto k = std::floor(time / interval_) + 1.0;
  // k * interval may be the very time that has been hit, or one unit in the last place away from it
  if (k * interval_ <= time * (1.0 + 1e-12)) k += 1.0;
  k = std::max(k, std::ceil(start_ / interval_ * (1.0 - 1e-12)));
  return k * interval_;
}

double Cadence::next(double time) const {
  if (!repeats()) return end_time_;
  const double next = next_multiple(time);
  return next > end_time_ * (1.0 - 1e-12) ? end_time_ : next;
}

bool Cadence::has_within(double after, double until) const {
  return repeats() && next_multiple(after) <= until * (1.0 + 1e-12);
}

std::int64_t Cadence::n_within(double after, double until) const {
  if (!has_within(after, until)) return 0;
  return std::llround((next_multiple(until) - next_multiple(after)) / interval_);
}

bool Cadence::is_same_time(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

double Cadence::cut(double dt, double time, double target) {
  const double left = target - time;
  if (dt >= left) return left;
  return 2.0 * dt > left ? 0.5 * left : dt;
}

}  // namespace freshet
