// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <exception>

namespace freshet {

/// Call f(block) for every block in [0, n_blocks); threads take blocks dynamically.
///
/// No exception leaves the OpenMP region: the first one is thrown again after it, when all other blocks have run.
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
