// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/morton.hpp"

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace freshet {

/// A set of block keys with open addressing: several times faster than sorting and removing repeats.
class KeySet {
 public:
  void insert(BlockKey key) {
    if (2 * keys_.size() >= slots_.size()) grow();
    BlockKey& slot = find(key);
    if (slot == key) return;
    slot = key;
    keys_.push_back(key);
  }
  const std::vector<BlockKey>& keys() const { return keys_; }  ///< in order of first insertion

 private:
  static constexpr BlockKey free = std::numeric_limits<BlockKey>::max();  // never a key, because keys have 63 bits

  BlockKey& find(BlockKey key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (key * 0x9e3779b97f4a7c15u >> 32) & mask;  // Fibonacci hashing
    while (slots_[place] != free && slots_[place] != key) place = (place + 1) & mask;
    return slots_[place];
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), free);
    for (const BlockKey key : keys_) find(key) = key;
  }

  std::vector<BlockKey> slots_;
  std::vector<BlockKey> keys_;
};

}  // namespace freshet
