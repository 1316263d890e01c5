// SPDX-License-Identifier: Apache-2.0
#include "freshet/sources/schedule.hpp"

#include <algorithm>
#include <limits>

namespace freshet {

Schedule::Schedule(const ScheduleParameters& parameters) : intervals_(parameters.intervals) {
  const double end = parameters.end > 0.0 ? parameters.end : std::numeric_limits<double>::infinity();
  if (intervals_.empty()) intervals_.push_back({parameters.start, end});
}

double Schedule::time_on(double t) const {
  double on = 0.0;
  for (const auto& interval : intervals_) on += std::max(0.0, std::min(t, interval[1]) - interval[0]);
  return on;
}

double Schedule::time_after(double on) const {
  for (const auto& interval : intervals_) {
    const double length = interval[1] - interval[0];
    if (on <= length) return interval[0] + on;
    on -= length;
  }
  return intervals_.back()[1];
}

double Schedule::next_switch(double t) const {
  for (const auto& interval : intervals_)
    for (const double at : interval)
      if (at > t) return at;
  return std::numeric_limits<double>::infinity();
}

}  // namespace freshet
