// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace freshet::test {

/// Leave numbers in memory that spoil every sum they get into.
inline void spoil(ScratchMemory& memory) {
  constexpr std::size_t n = std::size_t{1} << 20U;
  std::fill_n(memory.take<double>(n), n, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace freshet::test
