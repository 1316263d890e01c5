// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstdint>

namespace freshet {

/// Random numbers as a function of (seed, cell, counter). Without a state, every rank and thread gets the same numbers.
/// Source: splitmix64 (Steele, Lea & Flood 2014), with a stream for each cell
class CellRandom {
 public:
  CellRandom(std::uint64_t seed, const Vec3i& cell) : stream_(mix(seed + golden)) {
    for (int axis = 0; axis < 3; ++axis) stream_ = mix(stream_ + golden * (static_cast<std::uint64_t>(cell[axis]) + 1));
  }
  /// A uniformly distributed number in [0, 1).
  double uniform(std::uint64_t counter) const { return static_cast<double>(bits(counter)) * 0x1.0p-53; }
  /// 53 random bits.
  std::uint64_t bits(std::uint64_t counter) const { return mix(stream_ + golden * (counter + 1)) >> 11; }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  std::uint64_t stream_;
};

}  // namespace freshet
