// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

/// Short vectors of the particle kernels: the lanes of a Double4 are the axes x, y, z and one to spare.
///
/// They are the compiler's own vectors (GCC, Clang): plain arithmetic on any machine, AVX where there is AVX.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // every function here is inlined: nothing passes a vector between files

namespace freshet {

using Double2 [[gnu::vector_size(16)]] = double;
using Double4 [[gnu::vector_size(32)]] = double;
using Float4 [[gnu::vector_size(16)]] = float;
using Int4 [[gnu::vector_size(16)]] = int;

/// Lane by lane, which GCC 12 turns into one instruction; of __builtin_convertvector it makes four.
[[gnu::always_inline]] inline Double4 to_double(const Int4& v) {
  return Double4{static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]),
                 static_cast<double>(v[3])};
}

/// Three adjacent numbers in lanes 0 .. 2; lane 3 is 0.
[[gnu::always_inline]] inline Double4 load3(const float* source) {
  const Float4 lanes{source[0], source[1], source[2], 0.0f};
  return __builtin_convertvector(lanes, Double4);
}
[[gnu::always_inline]] inline Double4 load3(const double* source) {
  return Double4{source[0], source[1], source[2], 0.0};
}

/// The first n lanes into n adjacent numbers.
template <int n, class Real>
[[gnu::always_inline]] inline void store_lanes(const Double4& lanes, Real* target) {
  using Rounded [[gnu::vector_size(4 * sizeof(Real))]] = Real;
  const Rounded rounded = __builtin_convertvector(lanes, Rounded);
  for (int d = 0; d < n; ++d) target[d] = rounded[d];
}

/// Two adjacent numbers, at any address.
[[gnu::always_inline]] inline Double2 load2(const double* source) {
  Double2 pair;
  std::memcpy(&pair, source, sizeof(pair));
  return pair;
}

[[gnu::always_inline]] inline Double2 low_half(const Double4& v) {
  return __builtin_shufflevector(v, v, 0, 1);
}
[[gnu::always_inline]] inline Double2 high_half(const Double4& v) {
  return __builtin_shufflevector(v, v, 2, 3);
}

}  // namespace freshet

#pragma GCC diagnostic pop
