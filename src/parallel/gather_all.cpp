// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/gather_all.hpp"

#include <mpi.h>

#include <numeric>

namespace freshet {

std::vector<std::byte> gather_all_bytes(const Communicator& comm, std::span<const std::byte> mine) {
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  const int n_mine = static_cast<int>(mine.size());
  std::vector<int> counts(n_ranks), begins(n_ranks);
  check_mpi(MPI_Allgather(&n_mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.raw()), "MPI_Allgather");
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<std::byte> all(static_cast<std::size_t>(begins.back() + counts.back()));
  check_mpi(
      MPI_Allgatherv(mine.data(), n_mine, MPI_BYTE, all.data(), counts.data(), begins.data(), MPI_BYTE, comm.raw()),
      "MPI_Allgatherv");
  return all;
}

}  // namespace freshet
