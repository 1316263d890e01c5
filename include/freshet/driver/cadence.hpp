// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace freshet {

/// The output times k * interval and the end time: finds the next one, and cuts steps so that they land on it exactly
/// where that is wanted.
class Cadence {
 public:
  /// \param[in] interval [s]; 0: the end time only  \param[in] start  no time but the end is earlier [s]
  Cadence(double interval, double end_time, double start = 0.0)
      : interval_(interval), end_time_(end_time), start_(start) {}

  /// The next time to hit, after `time`. [s]
  double next(double time) const;
  /// dt, shortened so that the step lands on `target` or leaves the length of a whole step before it. [s]
  static double cut(double dt, double time, double target);
  /// Whether an output time before the end lies in (after, until]. [s]
  bool has_within(double after, double until) const;
  /// Whether times of two cadences are the same but for rounding: 3 * 0.05 and 0.15.
  static bool is_same_time(double a, double b);
  bool repeats() const { return interval_ > 0.0; }
  double end_time() const { return end_time_; }

 private:
  double interval_;
  double end_time_;
  double start_;
};

}  // namespace freshet
