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
/// \return one value a key: 1 if it is among them, else 0. Keys equal to the n-th smallest are all chosen or, if that
/// would be more than n keys, all left out. Fewer than n keys are all chosen. \param[in] n  the same on all ranks
/// Parallel: collective (at most nine sums of 256 numbers); the same keys on any number of ranks
std::vector<std::uint8_t> among_smallest(const Communicator& comm, std::span<const std::uint64_t> keys, GlobalIndex n);

}  // namespace freshet
