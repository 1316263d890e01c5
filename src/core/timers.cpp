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

Timers::Region::Region(Timers& timers, int phase)
    : timers_(timers),
      phase_(phase),
      outer_(timers.innermost_),
      opened_(Clock::now()),
      work_when_opened_(work_so_far()) {
  timers_.innermost_ = this;
}

Timers::Region::~Region() {
  const double seconds = std::chrono::duration<double>(Clock::now() - opened_).count();
  Phase& phase = timers_.phases_[static_cast<std::size_t>(phase_)];
  phase.seconds += seconds - inside_;
  ++phase.calls;
  const WorkCounts now = work_so_far();
  for (std::size_t n = 0; n < now.size(); ++n) {
    const std::int64_t here = now[n] - work_when_opened_[n];
    phase.work[n] += here - work_inside_[n];
    if (outer_ != nullptr) outer_->work_inside_[n] += here;
  }
  timers_.innermost_ = outer_;
  if (outer_ != nullptr) outer_->inside_ += seconds;
}

Timers::Region Timers::region(const char* name) {
  auto found = std::find_if(phases_.begin(), phases_.end(), [name](const Phase& phase) { return phase.name == name; });
  const auto index = static_cast<int>(found - phases_.begin());
  if (found == phases_.end()) phases_.push_back({name});
  return Region(*this, index);
}

double Timers::total() const {
  double sum = 0.0;
  for (const Phase& phase : phases_) sum += phase.seconds;
  return sum;
}

void Timers::close_as(const char* name) {
  Phase all{name, std::chrono::duration<double>(Clock::now() - start_).count(), 1};
  const WorkCounts now = work_so_far();
  for (std::size_t n = 0; n < now.size(); ++n) all.work[n] = now[n] - work_at_start_[n];
  phases_ = {all};
}

}  // namespace freshet
