// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

namespace freshet {

/// Memory that each rank may still take if all ranks take as much, the least over all ranks: the ranks of one node
/// share the memory of the node. [bytes] Parallel: collective
double free_memory_of_rank(const Communicator& comm);

}  // namespace freshet
