// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Find which of this rank's keys are among the n smallest keys of all ranks.
///
/// \return for each key 1 if it is among them, else 0. Keys equal to the n-th smallest are all chosen or, if more than
/// n keys would then be chosen, all left out. If all ranks have at most n keys, all are chosen.
/// \param[in] n  the same on all ranks
/// Parallel: collective (at most nine reductions); the same keys on any number of ranks
std::vector<std::uint8_t> among_smallest(const Communicator& comm, std::span<const std::uint64_t> keys, GlobalIndex n);

}  // namespace freshet
