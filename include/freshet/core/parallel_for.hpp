// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/core/types.hpp"

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

namespace freshet {

/// A loop's numbers 0 .. n-1 in equal shares of neighbours, one for each thread. A thread takes those of its own share
/// from the front, which are the same ones in every loop of this length, so that their data are in its cache; then it
/// takes what others have left, from the back of their shares.
class ThreadShares {
 public:
  /// Not inside a parallel region.
  void divide(LocalIndex n, int n_threads) {
    if (shares_.size() < static_cast<std::size_t>(n_threads))
      shares_ = std::vector<Share>(static_cast<std::size_t>(n_threads));
    FRESHET_EXPECT(!omp_in_parallel() && n >= 0 && n_threads > 0);
    n_shares_ = n_threads;
    for (int t = 0; t < n_threads; ++t) {
      const auto begin_of = [&](int share) { return static_cast<std::int64_t>(n) * share / n_threads; };
      shares_[static_cast<std::size_t>(t)].left.store(packed(begin_of(t), begin_of(t + 1)), std::memory_order_relaxed);
    }
  }

  /// Call f for what is left, by all threads of a parallel region.
  template <class Function>
  void work(int thread, Function&& f) {
    for (int k = 0; k < n_shares_; ++k) {
      Share& share = shares_[static_cast<std::size_t>((thread + k) % n_shares_)];
      std::uint64_t left = share.left.load(std::memory_order_relaxed);
      while (begin(left) < end(left)) {
        const std::uint64_t rest = k == 0 ? packed(begin(left) + 1, end(left)) : packed(begin(left), end(left) - 1);
        if (!share.left.compare_exchange_weak(left, rest, std::memory_order_relaxed)) continue;
        f(static_cast<LocalIndex>(k == 0 ? begin(left) : end(rest)));
        left = share.left.load(std::memory_order_relaxed);
      }
    }
  }

 private:
  static std::uint64_t packed(std::int64_t begin, std::int64_t end) {
    return static_cast<std::uint64_t>(begin) << 32U | static_cast<std::uint64_t>(end);
  }
  static std::int64_t begin(std::uint64_t left) { return static_cast<std::int64_t>(left >> 32U); }
  static std::int64_t end(std::uint64_t left) { return static_cast<std::int64_t>(left & 0xffffffffU); }

  struct alignas(64) Share {
    std::atomic<std::uint64_t> left{0};
  };
  std::vector<Share> shares_;
  int n_shares_ = 0;
};

/// The numbers 0 .. n-1 for the threads of the parallel region that comes next: loops run one after the other.
inline ThreadShares& share_out(LocalIndex n) {
  static ThreadShares shares;
  shares.divide(n, omp_get_max_threads());
  return shares;
}

/// Call f(n) for n in [0, count), threads sharing evenly if that is worth it. A parallel region of one thread takes a
/// third of a microsecond, and the next one of several threads as much again. \pre f throws nothing
template <class Function>
void share_evenly(bool is_worth_threads, LocalIndex count, Function&& f) {
  if (!is_worth_threads || omp_get_max_threads() == 1) {
    for (LocalIndex n = 0; n < count; ++n) f(n);
    return;
  }
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < count; ++n) f(n);
}

/// Call f(block) for every block in [0, n_blocks), shared out as ThreadShares tells.
///
/// No exception leaves the OpenMP region: the first one is thrown again after it, when all other blocks have run.
/// \pre  calls of f for different blocks write nothing in common; not inside a parallel region
template <class Function>
void parallel_for_blocks(LocalIndex n_blocks, Function&& f) {
  if (omp_get_max_threads() == 1) {
    for (LocalIndex block = 0; block < n_blocks; ++block) f(block);
    return;
  }
  std::exception_ptr failure;
  ThreadShares& shares = share_out(n_blocks);
#pragma omp parallel
  shares.work(omp_get_thread_num(), [&](LocalIndex block) {
    try {
      f(block);
    } catch (...) {
#pragma omp critical(freshet_parallel_for_blocks)
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace freshet
