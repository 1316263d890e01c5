// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>
#include <new>
#include <vector>

namespace freshet {
namespace {

/// The number of bytes in use of a kind.
std::atomic<std::int64_t>& account(MemoryKind kind) {
  static std::array<std::atomic<std::int64_t>, n_memory_kinds> accounts{};
  return accounts[static_cast<std::size_t>(kind)];
}

constexpr std::size_t huge_page = std::size_t{2} << 20U;  ///< size of a huge page [B]

/// Memory on huge pages, if the system has them.
void* allocate_huge_pages(std::size_t bytes) {
  void* pointer = ::operator new (bytes, std::align_val_t{huge_page});
#ifdef MADV_HUGEPAGE
  madvise(pointer, bytes, MADV_HUGEPAGE);  // a hint: failure is no error
#endif
  return pointer;
}

/// Memory for arrays that share huge pages. A step walks through some hundred arrays of a rank: on pages of 4 KB nearly
/// each block of a field begins with a wait for the page's address. Freed memory is kept for later arrays. The pool
/// writes to none of its memory: a huge page lies beside the thread that first writes to an array on it. Thread-safe,
/// also when the process forks.
class SharedPages {
 public:
  static SharedPages& of_process() {
    static SharedPages* const pages = [] {
      const auto lock = [] { of_process().mutex_.lock(); };
      const auto unlock = [] { of_process().mutex_.unlock(); };
      pthread_atfork(lock, unlock, unlock);
      return new SharedPages;  // never deleted: arrays of static objects may live longer than any other static object
    }();
    return *pages;
  }
  /// Errors: std::bad_alloc
  void* allocate(std::size_t bytes) {
    const std::size_t size = size_of(bytes);
    const std::lock_guard lock(mutex_);
    if (free_.capacity() < n_arrays_ + n_together_ + 2) free_.reserve(2 * (n_arrays_ + n_together_ + 2));
    auto best = smallest(size);
    if (best == free_.end()) {
      constexpr std::size_t together = 8 * huge_page;
      add(static_cast<std::byte*>(allocate_huge_pages(together)), together);
      ++n_together_;
      best = smallest(size);
    }
    ++n_arrays_;
    void* const first = best->first;
    best->first += size;
    best->size -= size;
    if (best->size == 0) free_.erase(best);
    return first;
  }
  void free(void* pointer, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    --n_arrays_;
    add(static_cast<std::byte*>(pointer), size_of(bytes));
  }

 private:
  struct Piece {
    std::byte* first;
    std::size_t size;  ///< [B]
    std::byte* end() const { return first + size; }
  };

  /// Size of an array with a cache line behind it, which spreads arrays of multiples of 4 KB over the sets of a cache.
  static std::size_t size_of(std::size_t bytes) { return (bytes + 127) / 64 * 64; }

  /// The smallest free piece that is large enough.
  std::vector<Piece>::iterator smallest(std::size_t size) {
    auto best = free_.end();
    for (auto piece = free_.begin(); piece != free_.end(); ++piece)
      if (piece->size >= size && (best == free_.end() || piece->size < best->size)) best = piece;
    return best;
  }
  /// Add a free piece, joined with the free pieces that it touches.
  void add(std::byte* first, std::size_t size) noexcept {
    const auto next = std::find_if(free_.begin(), free_.end(), [&](const Piece& piece) { return piece.first > first; });
    const bool touches_next = next != free_.end() && first + size == next->first;
    if (next != free_.begin() && std::prev(next)->end() == first) {
      std::prev(next)->size += size + (touches_next ? next->size : 0);
      if (touches_next) free_.erase(next);
    } else if (touches_next) {
      *next = {first, size + next->size};
    } else {
      free_.insert(next, {first, size});
    }
  }

  std::mutex mutex_;
  std::vector<Piece> free_;  ///< sorted by address; reserved for all pieces: an array lies between any two
  std::size_t n_arrays_ = 0;
  std::size_t n_together_ = 0;  ///< number of allocations of pages
};

/// The memory that holds an array. Arrays of several huge pages have their own, whose unused part is small.
enum class Place { heap, shared_pages, own_pages };

Place place_of(std::size_t bytes) {
  if (bytes >= 4 * huge_page) return Place::own_pages;
  return FRESHET_SHARED_PAGES == 1 && bytes >= 16384 ? Place::shared_pages : Place::heap;
}

constexpr std::align_val_t cache_line{64};

}  // namespace

const char* memory_kind_name(MemoryKind kind) {
  constexpr std::array names{"particles", "fields", "layout", "pressure", "scratch"};
  static_assert(names.size() == n_memory_kinds);
  return names[static_cast<std::size_t>(kind)];
}

std::int64_t memory_in_use(MemoryKind kind) {
  return account(kind).load(std::memory_order_relaxed);
}

std::int64_t memory_in_use() {
  std::int64_t sum = 0;
  for (int kind = 0; kind < n_memory_kinds; ++kind) sum += memory_in_use(static_cast<MemoryKind>(kind));
  return sum;
}

void* detail::allocate_aligned(std::size_t bytes) {
  switch (place_of(bytes)) {
    case Place::own_pages:
      return allocate_huge_pages(bytes);
    case Place::shared_pages:
      return SharedPages::of_process().allocate(bytes);
    case Place::heap:
      break;
  }
  return ::operator new(bytes, cache_line);
}

void detail::free_aligned(void* pointer, std::size_t bytes) noexcept {
  switch (place_of(bytes)) {
    case Place::own_pages:
      return ::operator delete (pointer, std::align_val_t{huge_page});
    case Place::shared_pages:
      return SharedPages::of_process().free(pointer, bytes);
    case Place::heap:
      break;
  }
  ::operator delete(pointer, cache_line);
}

void detail::count_allocation(MemoryKind kind, std::int64_t bytes) noexcept {
  account(kind).fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace freshet
