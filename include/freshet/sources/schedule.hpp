// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

namespace freshet {

/// The times at which a source or sink is on; by default always.
struct ScheduleParameters {
  double start = 0.0;                            ///< [s]
  double end = 0.0;                              ///< [s]; 0: never
  std::vector<std::array<double, 2>> intervals;  ///< [s] instead of start and end, ascending
};

/// The times at which a source or a sink is on. They do not depend on steps, so that a restart needs no stored state.
class Schedule {
 public:
  explicit Schedule(const ScheduleParameters& parameters);

  /// How long the schedule has been on between time 0 and time t. [s]
  double time_on(double t) const;
  /// The earliest time by which the schedule has been on for `on` seconds; inverse of time_on(). [s]
  /// \pre 0 < on <= time_on(infinity)
  double time_after(double on) const;
  /// The first time after t at which the schedule switches on or off; infinite if there is none. [s]
  double next_switch(double t) const;
  bool is_over(double t) const { return intervals_.back()[1] <= t; }

 private:
  std::vector<std::array<double, 2>> intervals_;  ///< ascending, at least one; the end of the last may be infinite
};

}  // namespace freshet
