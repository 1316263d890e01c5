// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace freshet {

/// The use of a tracked allocation. Bytes are counted separately for each kind.
enum class MemoryKind : int { particles, fields, layout, pressure, scratch };
constexpr int n_memory_kinds = 5;
const char* memory_kind_name(MemoryKind kind);

/// Bytes that this process holds now in tracked allocations of one kind. Thread-safe (relaxed atomics).
std::int64_t memory_in_use(MemoryKind kind);
/// Bytes that this process holds now in tracked allocations of all kinds.
std::int64_t memory_in_use();

namespace detail {
void count_allocation(MemoryKind kind, std::int64_t bytes) noexcept;
/// Allocate memory aligned to 64 bytes; pieces of 16 KB and more are on huge pages if the system has them.
/// Errors: std::bad_alloc
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* pointer, std::size_t bytes) noexcept;
}  // namespace detail

/// An allocator aligned to 64 bytes, on huge pages from 16 KB upward, that counts its bytes under one MemoryKind.
///
/// Resizing leaves trivially constructible elements uninitialised: pages lie beside the thread that first writes them.
template <class T, MemoryKind kind>
class TrackedAllocator {
 public:
  using value_type = T;
  template <class U>
  struct rebind {
    using other = TrackedAllocator<U, kind>;
  };
  static_assert(alignof(T) <= 64);

  TrackedAllocator() = default;
  template <class U>
  TrackedAllocator(const TrackedAllocator<U, kind>&) noexcept {}

  T* allocate(std::size_t n) {
    T* pointer = static_cast<T*>(detail::allocate_aligned(n * sizeof(T)));
    detail::count_allocation(kind, static_cast<std::int64_t>(n * sizeof(T)));
    return pointer;
  }
  void deallocate(T* pointer, std::size_t n) noexcept {
    detail::count_allocation(kind, -static_cast<std::int64_t>(n * sizeof(T)));
    detail::free_aligned(pointer, n * sizeof(T));
  }
  template <class U>
  void construct(U* pointer) noexcept {
    ::new (static_cast<void*>(pointer)) U;  // default initialisation writes nothing for arithmetic types
  }
  template <class U, class... Args>
  void construct(U* pointer, Args&&... args) {
    ::new (static_cast<void*>(pointer)) U(std::forward<Args>(args)...);
  }
  bool operator==(const TrackedAllocator&) const { return true; }
};

template <class T, MemoryKind kind>
using TrackedVector = std::vector<T, TrackedAllocator<T, kind>>;

/// Whether memory for `capacity` elements of type T suits n of them: it is large enough, and the unused part is at most
/// a sixth of it, or 64 KB.
template <class T>
bool suits(std::size_t capacity, std::size_t n) {
  constexpr std::size_t little = 65536 / sizeof(T);
  return n <= capacity && capacity <= n + std::max(n / 5, little);
}

/// Give `values` a capacity that suits n elements. A capacity that suits already is kept with all elements; else they
/// are lost, and the new capacity is a sixteenth larger than n. Errors: std::bad_alloc
template <class T, MemoryKind kind>
void make_room(TrackedVector<T, kind>& values, std::size_t n) {
  if (suits<T>(values.capacity(), n)) return;
  values.clear();
  values.shrink_to_fit();
  values.reserve(n + n / 16);
}

}  // namespace freshet
