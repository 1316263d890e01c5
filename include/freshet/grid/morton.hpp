// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstdint>

namespace freshet {

/// Position of a block on the Morton (Z-order) curve: bits of x, y, z interleaved, x lowest; 21 bits an axis.
///
/// A smaller coordinate never gives a larger key, and the parent of a block in a 2:1 hierarchy has key >> 3.
using BlockKey = std::uint64_t;

constexpr BlockKey spread_bits(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  v = (v | v << 2) & 0x1249249249249249;
  return v;
}

constexpr std::uint64_t compact_bits(BlockKey v) {
  v &= 0x1249249249249249;
  v = (v ^ v >> 2) & 0x10c30c30c30c30c3;
  v = (v ^ v >> 4) & 0x100f00f00f00f00f;
  v = (v ^ v >> 8) & 0x1f0000ff0000ff;
  v = (v ^ v >> 16) & 0x1f00000000ffff;
  v = (v ^ v >> 32) & 0x1fffff;
  return v;
}

/// Key of a block with these coordinates. \pre 0 <= block < 2^21 on each axis
inline BlockKey morton_key(const Vec3i& block) {
  return spread_bits(static_cast<std::uint64_t>(block.x())) | spread_bits(static_cast<std::uint64_t>(block.y())) << 1 |
         spread_bits(static_cast<std::uint64_t>(block.z())) << 2;
}

inline Vec3i morton_block(BlockKey key) {
  return {static_cast<int>(compact_bits(key)), static_cast<int>(compact_bits(key >> 1)),
          static_cast<int>(compact_bits(key >> 2))};
}

}  // namespace freshet
