// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/abort_job.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace freshet {

void abort_job(const Communicator& comm, const std::string& message, ExitCode code) {
  std::fprintf(stderr, "freshet: error: %s (rank %d of %d)\n", message.c_str(), comm.rank(), comm.size());
  std::fflush(nullptr);
  MPI_Abort(comm.raw(), static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

void abort_job(const Communicator& comm, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    abort_job(comm, "out of memory. Use more ranks on more nodes, or fewer cells or particles", ExitCode::memory);
  const auto* local = dynamic_cast<const LocalError*>(&error);
  abort_job(comm, error.what(), local != nullptr ? local->code() : ExitCode::internal);
}

}  // namespace freshet
