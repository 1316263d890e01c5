// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"

#include <algorithm>
#include <cstddef>

namespace freshet::pressure {

/// One value a cell for a number of blocks; keeps its memory, so that it allocates only when it has to grow.
template <class T>
class BlockArray {
 public:
  /// Room for n blocks. What they hold is undefined, unless n and cells are what they were.
  void reset(LocalIndex n, int cells) {
    cells_ = static_cast<std::size_t>(cells);
    const std::size_t needed = static_cast<std::size_t>(n) * cells_;
    if (needed > data_.capacity()) {
      data_.clear();
      data_.shrink_to_fit();
      data_.reserve(needed + needed / 8);
    }
    data_.resize(needed);
  }
  T* block(LocalIndex n) { return data_.data() + static_cast<std::size_t>(n) * cells_; }
  const T* block(LocalIndex n) const { return data_.data() + static_cast<std::size_t>(n) * cells_; }
  void fill(LocalIndex n, T value) { std::fill_n(block(n), cells_, value); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }

 private:
  std::size_t cells_ = 0;
  TrackedVector<T, MemoryKind::pressure> data_;
};

}  // namespace freshet::pressure
