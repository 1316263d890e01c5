// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace freshet {

/// Wall-clock time since the program was loaded. [s]
double seconds_since_program_start();

/// Wall-clock time by named phase. It is always on: a region costs two clock reads.
///
/// A region inside another one stops the outer one's clock: every second counts for one phase only.
///
/// Not thread-safe: regions are opened outside OpenMP regions only, and closed in the opposite order.
class Timers {
 public:
  struct Phase {
    std::string name;
    double seconds = 0.0;
    std::int64_t calls = 0;
  };

  /// An object that adds its lifetime to one phase.
  class Region {
   public:
    Region(Timers& timers, int phase);
    ~Region();
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Timers& timers_;
    int phase_;
    Region* outer_;
    Clock::time_point start_;
    double inside_ = 0.0;  ///< seconds of the regions inside this one
  };

  /// Open a region. A phase is added at its first use, so phases are in order of first use.
  [[nodiscard]] Region region(const char* name);
  const std::vector<Phase>& phases() const { return phases_; }
  double total() const;  ///< [s]
  void reset();          ///< set all times to 0; the phases remain, in their order

 private:
  std::vector<Phase> phases_;
  Region* innermost_ = nullptr;
};

}  // namespace freshet
