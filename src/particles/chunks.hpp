// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <omp.h>

#include <exception>

namespace freshet {

/// First element of a chunk when n elements are divided into equal chunks.
inline ParticleIndex chunk_begin(ParticleIndex n, int n_chunks, int chunk) {
  return n / n_chunks * chunk + n % n_chunks * chunk / n_chunks;
}

/// Call f(chunk, begin, end) for n_chunks equal chunks of 0 .. n-1. Each thread always gets the same chunks.
///
/// No exception crosses the OpenMP region: the first one caught is thrown again after it.
template <class Function>
void parallel_chunks(ParticleIndex n, int n_chunks, Function&& f) {
  if (n_chunks == 1) return f(0, ParticleIndex{0}, n);
  std::exception_ptr failure;
#pragma omp parallel for schedule(static)
  for (int chunk = 0; chunk < n_chunks; ++chunk) {
    try {
      f(chunk, chunk_begin(n, n_chunks, chunk), chunk_begin(n, n_chunks, chunk + 1));
    } catch (...) {
#pragma omp critical(freshet_parallel_chunks)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// The number of chunks that gives each thread one chunk.
inline int n_thread_chunks() {
  return omp_get_max_threads();
}

}  // namespace freshet
