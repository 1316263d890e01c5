// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace freshet {

/// Work of a process that costs latency or locks rather than arithmetic. Such work decides how far a run scales.
enum class Work : int {
  reductions,   ///< MPI_Allreduce and the like, whose result every rank gets
  collectives,  ///< all other collective calls of MPI
  messages,     ///< sent from one rank to another
  bytes,        ///< in these messages
  exchanges,    ///< of ghosts, or between multigrid levels
  allocations,  ///< from the heap, by operator new
  visits,       ///< of a multigrid level that several ranks share
  levels,       ///< of the multigrid, made for a new set of blocks
  rebuilds      ///< of the set of blocks
};
constexpr int n_works = 9;
const char* work_name(Work work);

using WorkCounts = std::array<std::int64_t, n_works>;  ///< by Work

/// Add to this process's counts. Thread-safe (relaxed atomics).
void count_work(Work work, std::int64_t n = 1) noexcept;
/// What this process has counted so far. Reductions to bytes, and allocations, are counted by the program `freshet`
/// alone, which looks at its calls of MPI and of operator new (see src/count_calls.cpp), and not with sanitizers.
WorkCounts work_so_far();

}  // namespace freshet
