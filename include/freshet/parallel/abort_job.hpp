// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/error.hpp"
#include "freshet/parallel/communicator.hpp"

#include <exception>
#include <string>

namespace freshet {

/// End the job of all ranks after an error that this rank may have met alone: the others may wait for it for ever in a
/// call that it will not reach. Prints the message with the rank, then MPI_Abort.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& message, ExitCode code);

/// The same for any exception that is not known to be on all ranks: LocalError, std::bad_alloc, or one that no part of
/// the program expects.
[[noreturn]] void abort_job(const Communicator& comm, const std::exception& error);

}  // namespace freshet
