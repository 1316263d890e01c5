// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

/// Short vectors of the particle kernels: the lanes of a Double4 are the axes x, y, z and one unused lane.
///
/// They are the compiler's own vectors (GCC, Clang): plain arithmetic on any machine, AVX instructions where the
/// processor has them. Functions that take or return them are inlined or private to a file, so that compilers do not
/// warn about how such arguments are passed without AVX.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace freshet {

using Double2 [[gnu::vector_size(16)]] = double;
using Double4 [[gnu::vector_size(32)]] = double;
using Double8 [[gnu::vector_size(64)]] = double;
using Int4 [[gnu::vector_size(16)]] = int;

/// Convert each lane: GCC 12 compiles this into one instruction, but __builtin_convertvector into four.
[[gnu::always_inline]] inline Double4 to_double(const Int4& v) {
  return Double4{static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]),
                 static_cast<double>(v[3])};
}

/// Triples of up to `size` particles in double, which are converted together and then read and written as lanes.
template <int size>
class LaneBatch {
 public:
  template <class Real>
  [[gnu::always_inline]] void load(const Real* source, int n) {
    for (int i = 0; i < 3 * n; ++i) number_[i] = static_cast<double>(source[i]);
    number_[3 * n] = 0.0;  // lane 3 of the last triple may be any number
  }
  template <class Real>
  [[gnu::always_inline]] void store(Real* target, int n) const {
    for (int i = 0; i < 3 * n; ++i) target[i] = static_cast<Real>(number_[i]);
  }
  /// The triple of particle p; lane 3 is unspecified.
  [[gnu::always_inline]] Double4 get(int p) const {
    Double4 lanes;
    std::memcpy(&lanes, number_ + 3 * p, sizeof(lanes));
    return lanes;
  }
  /// Set the triple of particle p, and overwrite the first number of particle p + 1: to be called in ascending order.
  [[gnu::always_inline]] void set(int p, const Double4& lanes) { std::memcpy(number_ + 3 * p, &lanes, sizeof(lanes)); }
  double number(int p, int lane) const { return number_[3 * p + lane]; }

 private:
  double number_[3 * size + 1];
};

/// Load two adjacent numbers from any address.
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
