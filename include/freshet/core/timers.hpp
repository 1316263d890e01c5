// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// Wall-clock time since the program was loaded. [s]
double seconds_since_program_start();

/// Wall-clock time by named phase. Cheap enough to stay on: two clock reads a region.
///
/// Not thread-safe: regions are opened outside OpenMP regions only. Regions do not nest.
class Timers {
 public:
  struct Phase {
    std::string name;
    double seconds = 0.0;
    std::int64_t calls = 0;
  };

  /// Adds its lifetime to one phase.
  class Region {
   public:
    Region(Timers& timers, int phase) : timers_(timers), phase_(phase), start_(Clock::now()) {}
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Timers& timers_;
    int phase_;
    Clock::time_point start_;
  };

  /// Open a region; the phase is made at its first use, so phases stand in order of first use.
  [[nodiscard]] Region region(const char* name);
  const std::vector<Phase>& phases() const { return phases_; }
  double total() const;  ///< [s]
  void reset();          ///< to zero; the phases keep their places

 private:
  std::vector<Phase> phases_;
};

}  // namespace freshet
