// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace freshet {

/// Output times k * interval, and the end time: which comes next, and steps that land on it exactly.
class Cadence {
 public:
  /// \param[in] interval [s]; 0: the end time only
  Cadence(double interval, double end_time) : interval_(interval), end_time_(end_time) {}

  /// The next time to hit, after `time`. [s]
  double next(double time) const;
  /// dt cut so that the step lands on `target`, or leaves a whole step to it: never a sliver. [s]
  static double cut(double dt, double time, double target);
  double end_time() const { return end_time_; }

 private:
  double interval_;
  double end_time_;
};

}  // namespace freshet
