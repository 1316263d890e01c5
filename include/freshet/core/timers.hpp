// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/work_counts.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// Wall-clock time since the program was loaded. [s]
double seconds_since_program_start();

/// Wall-clock time and work by named phase. It is always on: a region costs two reads of the clock and of the counts.
///
/// A region inside another one stops the outer region's clock: every second and every piece of work count for
/// one phase.
///
/// Timers are not thread-safe: regions are opened outside OpenMP regions only, and closed in the opposite order.
class Timers {
 public:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    double seconds = 0.0;
    std::int64_t calls = 0;
    WorkCounts work = {};
  };

  /// Adds the time and the work of its life to one phase.
  class Region {
   public:
    Region(Timers& timers, int phase);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

   private:
    Timers& timers_;
    int phase_;
    Region* outer_;
    Clock::time_point opened_;
    WorkCounts work_when_opened_;
    double inside_ = 0.0;          ///< time of the regions inside this one [s]
    WorkCounts work_inside_ = {};  ///< work of the regions inside this one
  };

  /// Open a region. A phase is added at its first use, so phases are in order of first use.
  [[nodiscard]] Region region(const char* name);
  const std::vector<Phase>& phases() const { return phases_; }
  double total() const;  ///< time of all phases [s]
  /// Replace all phases by one, with all time and work since this object was made, inside regions or not.
  /// \pre no region is open
  void close_as(const char* name);

 private:
  Clock::time_point start_ = Clock::now();
  WorkCounts work_at_start_ = work_so_far();
  std::vector<Phase> phases_;
  Region* innermost_ = nullptr;
};

}  // namespace freshet
