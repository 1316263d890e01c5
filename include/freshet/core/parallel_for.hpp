// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <exception>

namespace freshet {

/// f(block) for every block in [0, n_blocks), threads taking blocks as they come free.
///
/// No exception crosses the OpenMP region: the first one caught is thrown again after it; the other blocks still run.
/// \pre  calls of f for different blocks write nothing in common
template <class Function>
void parallel_for_blocks(LocalIndex n_blocks, Function&& f) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (LocalIndex block = 0; block < n_blocks; ++block) {
    try {
      f(block);
    } catch (...) {
#pragma omp critical(freshet_parallel_for_blocks)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace freshet
