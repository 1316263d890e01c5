// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace freshet {

/// What a tracked allocation holds; bytes are counted apart for each kind.
enum class MemoryKind : int { particles, fields, layout, pressure, scratch };
constexpr int n_memory_kinds = 5;
const char* memory_kind_name(MemoryKind kind);

/// Bytes this process holds now, and held at most, by kind. Thread-safe (relaxed atomics).
std::int64_t memory_in_use(MemoryKind kind);
std::int64_t memory_peak(MemoryKind kind);
std::int64_t memory_in_use();

namespace detail {
void count_allocation(MemoryKind kind, std::int64_t bytes) noexcept;
}

/// 64-byte aligned allocator that counts its bytes under one MemoryKind and leaves trivially constructible elements
/// uninitialised on resize, so that the thread that first writes a page owns it (first touch).
template <class T, MemoryKind kind>
class TrackedAllocator {
 public:
  using value_type = T;
  template <class U>
  struct rebind {
    using other = TrackedAllocator<U, kind>;
  };
  static constexpr std::size_t alignment = alignof(T) > 64 ? alignof(T) : 64;

  TrackedAllocator() = default;
  template <class U>
  TrackedAllocator(const TrackedAllocator<U, kind>&) noexcept {}

  T* allocate(std::size_t n) {
    T* pointer = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignment)));
    detail::count_allocation(kind, static_cast<std::int64_t>(n * sizeof(T)));
    return pointer;
  }
  void deallocate(T* pointer, std::size_t n) noexcept {
    detail::count_allocation(kind, -static_cast<std::int64_t>(n * sizeof(T)));
    ::operator delete(pointer, std::align_val_t(alignment));
  }
  template <class U>
  void construct(U* pointer) noexcept {
    ::new (static_cast<void*>(pointer)) U;  // default-initialise: no write for arithmetic types
  }
  template <class U, class... Args>
  void construct(U* pointer, Args&&... args) {
    ::new (static_cast<void*>(pointer)) U(std::forward<Args>(args)...);
  }
  bool operator==(const TrackedAllocator&) const { return true; }
};

template <class T, MemoryKind kind>
using TrackedVector = std::vector<T, TrackedAllocator<T, kind>>;

}  // namespace freshet
