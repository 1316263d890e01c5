// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>

namespace freshet {
namespace {

/// Bytes in use of a kind.
std::atomic<std::int64_t>& account(MemoryKind kind) {
  static std::array<std::atomic<std::int64_t>, n_memory_kinds> accounts{};
  return accounts[static_cast<std::size_t>(kind)];
}

constexpr std::size_t huge_page = std::size_t{2} << 20U;  ///< [B]

/// Huge pages are used only for arrays of several of them, so that the unused part of the last one is small.
std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= 4 * huge_page ? huge_page : 64};
}

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
  const std::align_val_t alignment = alignment_of(bytes);
  void* pointer = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
  if (alignment == std::align_val_t{huge_page}) madvise(pointer, bytes, MADV_HUGEPAGE);  // a hint: failure is no error
#endif
  return pointer;
}

void detail::free_aligned(void* pointer, std::size_t bytes) noexcept {
  ::operator delete(pointer, alignment_of(bytes));
}

void detail::count_allocation(MemoryKind kind, std::int64_t bytes) noexcept {
  account(kind).fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace freshet
