// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace freshet {

/// The output times k * interval and the end time: finds the next one, and cuts steps so that they land on it exactly
/// where that is wanted.
class Cadence {
 public:
  /// \param[in] interval [s]; 0: the end time only  \param[in] start  earliest output time apart from the end [s]
  Cadence(double interval, double end_time, double start = 0.0)
      : interval_(interval), end_time_(end_time), start_(start) {}

  /// The first output time after `time`. [s]
  double next(double time) const;
  /// dt, shortened so that the step lands on `target` or leaves a step of equal length before it. [s]
  static double cut(double dt, double time, double target);
  /// Whether a multiple of the interval lies in (after, until], whether the run ends before it or not. [s]
  bool has_within(double after, double until) const;
  /// How many multiples of the interval lie in (after, until]. [s]
  std::int64_t n_within(double after, double until) const;
  /// Whether two times differ by rounding only, as 3 * 0.05 and 0.15 do.
  static bool is_same_time(double a, double b);
  bool repeats() const { return interval_ > 0.0; }
  double end_time() const { return end_time_; }
  /// A time that lies before the end, also where a multiple of the interval differs from the end by rounding. [s]
  double just_before_end() const { return end_time_ * (1.0 - 4e-12); }

 private:
  double next_multiple(double time) const;

  double interval_;
  double end_time_;
  double start_;
};

}  // namespace freshet
