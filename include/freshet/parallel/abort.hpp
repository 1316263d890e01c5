// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace freshet {

/// abort_job() of communicator.hpp for all ranks of MPI_COMM_WORLD, where this rank has no Communicator yet.
[[noreturn]] void abort_job(const std::exception& error);

}  // namespace freshet
