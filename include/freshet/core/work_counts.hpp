// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace freshet {

/// Work of a process that costs latency or locks rather than arithmetic. Such work decides how far a run scales.
enum class Work : int {
  reductions,   ///< MPI_Allreduce and similar calls, whose result every rank gets
  collectives,  ///< all other collective calls of MPI
  messages,     ///< messages sent from one rank to another
  bytes,        ///< bytes in these messages
  exchanges,    ///< exchanges of ghost cells, or between levels of the multigrid
  allocations,  ///< allocations from the heap by operator new
  visits,       ///< visits to a multigrid level that several ranks share
  levels,       ///< levels of the multigrid that were made for a new set of blocks
  rebuilds,     ///< changes of the set of blocks
  body_tests    ///< tests of a particle against a body, to keep the particle outside
};
constexpr int n_works = 10;
const char* work_name(Work work);

using WorkCounts = std::array<std::int64_t, n_works>;  ///< count of each kind of work, indexed by Work

/// Add n to this process's count. Thread-safe (relaxed atomics).
void count_work(Work work, std::int64_t n = 1) noexcept;
/// This process's counts so far. The kinds from reductions to bytes, and allocations, are counted only in the program
/// `freshet` without sanitizers, which sees its calls of MPI and of operator new (see src/count_calls.cpp).
WorkCounts work_so_far();

}  // namespace freshet
