// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/waiting.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace freshet {

/// Ask is_done() until it says so. A process that waits asleep sleeps between its questions once it has waited longer
/// than ranks do that run, because waking up takes a while: whom it waits for has then lost its core.
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

/// Wait until all ranks of a communicator have come here, if ranks meet at all. The collective call that follows then
/// finds every rank there, and no rank spins in it for long.
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
