// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace freshet {

/// Memory that parts of a step use in turn: each takes all of it and leaves nothing in it. It grows and never shrinks.
///
/// ScratchMemory is not thread-safe.
class ScratchMemory {
 public:
  /// Memory for n elements with undefined values, valid until the next call. Errors: std::bad_alloc
  template <class T>
  T* take(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);
    const std::size_t needed = n * sizeof(T);
    if (needed > bytes_.size()) {
      bytes_.clear();
      bytes_.shrink_to_fit();
      bytes_.resize(needed + needed / 16);
    }
    return reinterpret_cast<T*>(bytes_.data());
  }

 private:
  TrackedVector<std::byte, MemoryKind::scratch> bytes_;
};

/// The given memory, or new memory if there is none.
inline std::shared_ptr<ScratchMemory> or_own(std::shared_ptr<ScratchMemory> memory) {
  return memory != nullptr ? std::move(memory) : std::make_shared<ScratchMemory>();
}

}  // namespace freshet
