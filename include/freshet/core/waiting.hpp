// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

namespace freshet {

/// How threads and ranks wait for each other.
enum class Waiting {
  spinning,  ///< They ask again and again: the fastest where each has a core of its own.
  sleeping   ///< They spin for a short time, then leave their core to others.
};

/// How this process waits.
Waiting waiting() noexcept;

/// Change how this process waits, from now on.
///
/// Threads of OpenMP obey in all programs (GCC's and LLVM's libraries), calls of MPI in the program `freshet` alone
/// (see src/patient_mpi.hpp). Local
void set_waiting(Waiting waiting);

/// Whether ranks meet before they enter a collective call of MPI, in the program `freshet`. A rank that waits asleep
/// can only do so before the call.
bool ranks_meet() noexcept;
/// Let ranks meet or not, from now on. All ranks must call it between the same two collective calls. Local
void let_ranks_meet(bool meet);

/// Measures how long threads of this process wait for a core although they could run: other processes, or more threads
/// than cores, then hold the cores. Linux counts that time for each thread; elsewhere it reads as 0.
class CoreShortage {
 public:
  CoreShortage();
  /// The largest part of the time since the last look that a thread has waited for a core, from 0 to 1. It looks at
  /// most twice a second and repeats what it has found in between. Local
  double share();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waited {
    int thread = 0;  ///< the system's number
    long long nanoseconds = 0;
  };
  std::vector<Waited> waited_;  ///< of each thread since it began, at the last look
  std::vector<Waited> before_;  ///< at the look before
  Clock::time_point last_look_;
  double share_ = 0.0;
};

}  // namespace freshet
