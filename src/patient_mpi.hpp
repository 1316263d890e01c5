// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/waiting.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace freshet {

/// Call is_done() until it returns true. A process that waits asleep sleeps between calls once the wait is longer than
/// that for a running rank: the awaited rank has lost its core then, and waking up takes a while.
template <class IsDone>
void wait_for(IsDone is_done) {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  while (!is_done()) {
    if (waiting() == Waiting::spinning) continue;
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > 300us) std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(waited / 4, 1ms));
  }
}

/// Wait until all ranks of a communicator have come here, if ranks_meet(). The collective call that follows then finds
/// every rank ready, and no rank spins in it for long.
inline void meet(MPI_Comm comm) {
  if (!ranks_meet()) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(comm, &request) != MPI_SUCCESS) return;
  wait_for([&] {
    int done = 0;
    return PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  });
}

}  // namespace freshet
