// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/timers.hpp"

#include <algorithm>

namespace freshet {
namespace {

const auto program_start = std::chrono::steady_clock::now();

}  // namespace

double seconds_since_program_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

Timers::Region::~Region() {
  Phase& phase = timers_.phases_[static_cast<std::size_t>(phase_)];
  phase.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
  ++phase.calls;
}

Timers::Region Timers::region(const char* name) {
  auto found = std::find_if(phases_.begin(), phases_.end(), [name](const Phase& phase) { return phase.name == name; });
  const auto index = static_cast<int>(found - phases_.begin());
  if (found == phases_.end()) phases_.push_back({name, 0.0, 0});
  return Region(*this, index);
}

double Timers::total() const {
  double sum = 0.0;
  for (const Phase& phase : phases_) sum += phase.seconds;
  return sum;
}

void Timers::reset() {
  for (Phase& phase : phases_) phase = {phase.name, 0.0, 0};
}

}  // namespace freshet
