// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/core/types.hpp"

#include <algorithm>
#include <cstddef>

namespace freshet::pressure {

/// An array of n_values values for each of n blocks; keeps memory that fits (make_room()).
template <class T>
class BlockArray {
 public:
  /// Make room for n blocks. Values are undefined unless n and n_values are as before.
  void reset(LocalIndex n, int n_values) {
    n_values_ = static_cast<std::size_t>(n_values);
    const std::size_t needed = static_cast<std::size_t>(n) * n_values_;
    make_room(data_, needed);
    data_.resize(needed);
  }
  /// Make room for n blocks, at least as many as there are; values stay.
  void grow(LocalIndex n) { data_.resize(static_cast<std::size_t>(n) * n_values_); }
  T* block(LocalIndex n) { return data_.data() + static_cast<std::size_t>(n) * n_values_; }
  const T* block(LocalIndex n) const { return data_.data() + static_cast<std::size_t>(n) * n_values_; }
  void fill(LocalIndex n, T value) { std::fill_n(block(n), n_values_, value); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }

 private:
  std::size_t n_values_ = 0;
  TrackedVector<T, MemoryKind::pressure> data_;
};

}  // namespace freshet::pressure
