// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/node_memory.hpp"

#include "freshet/core/free_memory.hpp"

#include <algorithm>

namespace freshet {

double free_memory_of_rank(const Communicator& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  int n_ranks = 1;
  check_mpi(MPI_Comm_split_type(comm.raw(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(node, &n_ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return comm.min(std::min(free_memory_of_machine() / n_ranks, free_memory_of_process()));
}

}  // namespace freshet
