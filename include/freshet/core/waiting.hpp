// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

namespace freshet {

/// How threads and ranks wait for each other.
enum class Waiting {
  spinning,  ///< threads ask again and again: the fastest way where each has a core of its own
  sleeping   ///< threads spin for a short time, then leave their core to others
};

/// How this process waits.
Waiting waiting() noexcept;

/// Change how this process waits, from now on.
///
/// Threads of OpenMP obey in all programs (with GCC's and LLVM's libraries), MPI calls only in the program `freshet`
/// (see src/patient_mpi.hpp). Parallel: local
void set_waiting(Waiting waiting);

/// Whether ranks wait for each other before each collective call of MPI, in the program `freshet`: a rank can only
/// sleep before such a call, not inside it.
bool ranks_meet() noexcept;
/// Let ranks meet or not, from now on. All ranks must call it between the same two collective calls. Parallel: local
void let_ranks_meet(bool meet);

/// Measures how long threads of this process wait for a core although they could run, because other processes or more
/// threads than cores hold the cores. Linux counts that time for each thread; elsewhere it reads as 0.
class CoreShortage {
 public:
  CoreShortage();
  /// The part of the time since the last look for which the thread that waited most has waited for a core, from 0 to 1.
  /// It looks at most twice a second and returns its last result in between. Parallel: local
  double share();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waited {
    int thread = 0;  ///< the system's number of the thread
    long long nanoseconds = 0;
  };
  std::vector<Waited> waited_;  ///< each thread's waiting time since the thread began, at the last look
  std::vector<Waited> before_;  ///< the same numbers at the look before the last one
  Clock::time_point last_look_;
  double share_ = 0.0;
};

}  // namespace freshet
