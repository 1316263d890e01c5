// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

namespace freshet {

/// Memory that every rank may still take if all ranks take as much: the ranks of one node share what it has. The least
/// over all ranks. [bytes] Parallel: collective
double free_memory_of_rank(const Communicator& comm);

}  // namespace freshet
