// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/contracts.hpp"
#include "freshet/core/types.hpp"

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

/// Marks a function that the compiler translates once, neither inlined nor cloned. It contracts products and sums into
/// fused operations as it likes in each copy, so that two copies may differ in the last digit.
#ifdef __clang__
#define FRESHET_ONE_COPY [[gnu::noinline]]
#else
#define FRESHET_ONE_COPY [[gnu::noinline, gnu::noclone]]
#endif

namespace freshet {

/// Call f(index), the body of a loop. Loops for one thread and for several call the same copy of it, which keeps the
/// results the same bits on any number of threads.
template <class Function>
FRESHET_ONE_COPY void call_body(Function& f, LocalIndex index) {
  f(index);
}

/// Shares the indices 0 .. n-1 of a loop out to threads, in equal ranges of neighbours. A thread takes the indices of
/// its own range from the front: they are the same ones in every loop of this length, so their data are in its cache.
/// Then it takes what is left of other threads' ranges, from the back.
class ThreadShares {
 public:
  /// Divide the indices 0 .. n-1 among so many threads. \pre not inside a parallel region
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

  /// Call f(index) for indices that are left, until none is. Every thread of a parallel region calls this.
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

/// Share the indices 0 .. n-1 out to the threads of the next parallel region, by an object that all loops use in turn.
inline ThreadShares& share_out(LocalIndex n) {
  static ThreadShares shares;
  shares.divide(n, omp_get_max_threads());
  return shares;
}

/// Whether there are enough rows of a block's width for threads to pay in a loop that takes little time for each row.
inline bool rows_are_worth_threads(LocalIndex n_rows) {
  return n_rows >= 2048 && omp_get_max_threads() > 1;
}

/// Call f(n) for n in [0, count), by all threads in equal shares if `is_worth_threads`: to start a parallel region
/// costs more than a short loop. \pre f throws nothing
template <class Function>
void share_evenly(bool is_worth_threads, LocalIndex count, Function&& f) {
  if (!is_worth_threads || omp_get_max_threads() == 1) {
    for (LocalIndex n = 0; n < count; ++n) call_body(f, n);
    return;
  }
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < count; ++n) call_body(f, n);
}

/// Call f(block) for every block in [0, n_blocks), shared out as ThreadShares tells.
///
/// No exception leaves the OpenMP region: the first one is thrown again after it, when all other blocks have run.
/// \pre  calls of f for different blocks write nothing in common; not inside a parallel region
template <class Function>
void parallel_for_blocks(LocalIndex n_blocks, Function&& f) {
  if (omp_get_max_threads() == 1) {
    for (LocalIndex block = 0; block < n_blocks; ++block) call_body(f, block);
    return;
  }
  std::exception_ptr failure;
  ThreadShares& shares = share_out(n_blocks);
#pragma omp parallel
  shares.work(omp_get_thread_num(), [&](LocalIndex block) {
    try {
      call_body(f, block);
    } catch (...) {
#pragma omp critical(freshet_parallel_for_blocks)
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace freshet
