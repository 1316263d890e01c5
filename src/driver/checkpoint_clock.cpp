// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/checkpoint_clock.hpp"

#include <cmath>

namespace freshet {

bool CheckpointClock::is_due(std::int64_t step, double time) const {
  const std::int64_t steps = parameters_.steps;
  const double interval = parameters_.interval;
  if (steps > 0 && step / steps > step_ / steps) return true;
  // steps that land on a multiple may miss it by one unit in the last place
  return interval > 0.0 && std::floor(time / interval + 1e-9) > std::floor(time_ / interval + 1e-9);
}

bool CheckpointClock::is_due_by_wall(double seconds) const {
  return parameters_.wall_interval > 0.0 && seconds - seconds_ >= parameters_.wall_interval;
}

void CheckpointClock::written(std::int64_t step, double time, double seconds) {
  step_ = step;
  time_ = time;
  seconds_ = seconds;
}

}  // namespace freshet
