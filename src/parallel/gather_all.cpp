// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/gather_all.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>

namespace freshet {

std::span<const std::byte> RepeatedGather::operator()(const Communicator& comm, std::span<const std::byte> mine) {
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  counts_.resize(n_ranks);
  begins_.resize(n_ranks);
  if (n_ranks == 1) {
    counts_[0] = static_cast<int>(mine.size());
    begins_[0] = 0;
    all_.assign(mine.begin(), mine.end());
    return all_;
  }
  First own;
  own.count = static_cast<std::int64_t>(mine.size());
  std::copy_n(mine.begin(), std::min(mine.size(), slot), own.bytes.begin());
  first_.resize(n_ranks);
  constexpr int size = sizeof(First);
  check_mpi(MPI_Allgather(&own, size, MPI_BYTE, first_.data(), size, MPI_BYTE, comm.raw()), "MPI_Allgather");
  bool fit = true;
  for (std::size_t r = 0; r < n_ranks; ++r) {
    counts_[r] = static_cast<int>(first_[r].count);
    fit = fit && counts_[r] <= static_cast<int>(slot);
  }
  std::exclusive_scan(counts_.begin(), counts_.end(), begins_.begin(), 0);
  all_.resize(static_cast<std::size_t>(begins_.back() + counts_.back()));
  if (fit) {
    for (std::size_t r = 0; r < n_ranks; ++r)
      std::copy_n(first_[r].bytes.begin(), counts_[r], all_.begin() + begins_[r]);
    return all_;
  }
  check_mpi(MPI_Allgatherv(mine.data(), counts_[static_cast<std::size_t>(comm.rank())], MPI_BYTE, all_.data(),
                           counts_.data(), begins_.data(), MPI_BYTE, comm.raw()),
            "MPI_Allgatherv");
  return all_;
}

std::vector<std::byte> gather_all_bytes(const Communicator& comm, std::span<const std::byte> mine) {
  RepeatedGather gather;
  const std::span<const std::byte> all = gather(comm, mine);
  return {all.begin(), all.end()};
}

}  // namespace freshet
