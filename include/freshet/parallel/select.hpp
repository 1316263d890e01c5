// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace freshet {

/// Which of this rank's keys are among the n smallest of all ranks'.
///
/// One value a key: 1 if it is. Of keys that share the n-th place all are in or, if that made more than n, all out; of
/// fewer than n keys all are in. \param[in] n  the same on all ranks
/// Parallel: collective (at most nine sums of 256 numbers); the same keys on any number of ranks
std::vector<std::uint8_t> among_smallest(const Communicator& comm, std::span<const std::uint64_t> keys, GlobalIndex n);

}  // namespace freshet
