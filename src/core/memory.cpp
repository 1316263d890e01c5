// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>

namespace freshet {
namespace {

struct Account {
  std::atomic<std::int64_t> in_use{0};
  std::atomic<std::int64_t> peak{0};
};

Account& account(MemoryKind kind) {
  static std::array<Account, n_memory_kinds> accounts;
  return accounts[static_cast<std::size_t>(kind)];
}

constexpr std::size_t huge_page = std::size_t{2} << 20U;  ///< [B]

/// Arrays of several huge pages: what the last one wastes is then small.
std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= 4 * huge_page ? huge_page : 64};
}

}  // namespace

const char* memory_kind_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::particles:
      return "particles";
    case MemoryKind::fields:
      return "fields";
    case MemoryKind::layout:
      return "layout";
    case MemoryKind::pressure:
      return "pressure";
    case MemoryKind::scratch:
      return "scratch";
  }
  return "unknown";
}

std::int64_t memory_in_use(MemoryKind kind) {
  return account(kind).in_use.load(std::memory_order_relaxed);
}

std::int64_t memory_peak(MemoryKind kind) {
  return account(kind).peak.load(std::memory_order_relaxed);
}

std::int64_t memory_in_use() {
  std::int64_t sum = 0;
  for (int kind = 0; kind < n_memory_kinds; ++kind) sum += memory_in_use(static_cast<MemoryKind>(kind));
  return sum;
}

void* detail::allocate_aligned(std::size_t bytes) {
  const std::align_val_t alignment = alignment_of(bytes);
  void* pointer = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
  if (alignment == std::align_val_t{huge_page}) madvise(pointer, bytes, MADV_HUGEPAGE);  // a wish: refusal is no error
#endif
  return pointer;
}

void detail::free_aligned(void* pointer, std::size_t bytes) noexcept {
  ::operator delete(pointer, alignment_of(bytes));
}

void detail::count_allocation(MemoryKind kind, std::int64_t bytes) noexcept {
  Account& counted = account(kind);
  const std::int64_t now = counted.in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = counted.peak.load(std::memory_order_relaxed);
  while (now > peak && !counted.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

}  // namespace freshet
