// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Vectors of the particle kernels: their lanes are consecutive particles, and they fill the machine's registers.
///
/// They are the compiler's own vectors (GCC, Clang). Every function here is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace freshet {

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

/// The vector type whose lanes are of type Real: float or double.
template <class Real>
struct LanesOf {
  static constexpr int quad_bytes = 4 * static_cast<int>(sizeof(Real));
  static constexpr int bytes = register_bytes > quad_bytes ? register_bytes : quad_bytes;
  static constexpr int n = bytes / static_cast<int>(sizeof(Real));  ///< number of lanes: 4, 8 or 16

  using Vector [[gnu::vector_size(bytes)]] = Real;
  using Indices [[gnu::vector_size(4 * n)]] = std::int32_t;
  using Octet [[gnu::vector_size(2 * quad_bytes)]] = Real;
  using Quad [[gnu::vector_size(quad_bytes)]] = Real;
  using EveryLane = std::make_index_sequence<n>;
};

template <class Real>
using Lanes = typename LanesOf<Real>::Vector;
template <class Real>
using LaneIndices = typename LanesOf<Real>::Indices;
template <class Real>
using EveryLane = typename LanesOf<Real>::EveryLane;
template <class Real>
constexpr int n_lanes = LanesOf<Real>::n;

/// The x, y and z of n_lanes particles: lane l of axis[d] is component d of particle l.
template <class Real>
struct LaneTriple {
  Lanes<Real> axis[3];
  Lanes<Real>& operator[](int d) { return axis[d]; }
  const Lanes<Real>& operator[](int d) const { return axis[d]; }
};

/// Convert each lane. Where GCC 12 splits a conversion to wider lanes into halves, intrinsics do it at once.
template <class To, class From>
[[gnu::always_inline]] inline To convert(const From& v) {
#if defined(__AVX512F__)
  if constexpr (sizeof(To) == 64 && sizeof(From) == 32) {
    if constexpr (std::is_same_v<decltype(From{}[0] + 0), float>)
      return reinterpret_cast<To>(_mm512_maskz_cvtps_pd(0xff, v));
    if constexpr (std::is_same_v<decltype(From{}[0] + 0), int>)
      return reinterpret_cast<To>(_mm512_maskz_cvtepi32_pd(0xff, reinterpret_cast<__m256i>(v)));
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(To) == 32 && sizeof(From) == 16) {
    if constexpr (std::is_same_v<decltype(From{}[0] + 0), float>) return reinterpret_cast<To>(_mm256_cvtps_pd(v));
    if constexpr (std::is_same_v<decltype(From{}[0] + 0), int>)
      return reinterpret_cast<To>(_mm256_cvtepi32_pd(reinterpret_cast<__m128i>(v)));
  }
#endif
  return __builtin_convertvector(v, To);
}

/// As many particle reals as Vector has lanes: as a vector in a register, and in memory at any address.
template <class Vector>
struct ParticleReals {
  static constexpr auto bytes = sizeof(Vector) / sizeof(Vector{}[0]) * sizeof(ParticleReal);
  using Type [[gnu::vector_size(bytes)]] = ParticleReal;
  using InMemory [[gnu::vector_size(bytes), gnu::aligned(alignof(ParticleReal)), gnu::may_alias]] = ParticleReal;
};

template <class Vector>
[[gnu::always_inline]] inline Vector load(const ParticleReal* source) {
  using Reals = ParticleReals<Vector>;
  const typename Reals::Type numbers = *reinterpret_cast<const typename Reals::InMemory*>(source);
  return convert<Vector>(numbers);
}
template <class Vector>
[[gnu::always_inline]] inline void store(const Vector& vector, ParticleReal* target) {
  using Reals = ParticleReals<Vector>;
  *reinterpret_cast<typename Reals::InMemory*>(target) = convert<typename Reals::Type>(vector);
}

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> all_lanes(Real value) {
  return value - Lanes<Real>{};
}

/// The result of a comparison of lanes: integers as wide as Real, with all bits set where the comparison holds.
template <class Real>
using LaneMask = decltype(Lanes<Real>{} < Lanes<Real>{});

/// The lanes of a mask as bits: bit n is set where the comparison holds in lane n.
template <class Real>
[[gnu::always_inline]] inline std::uint32_t lane_bits(const LaneMask<Real>& mask) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == 4)
    return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask));
  if constexpr (sizeof(Real) == 8)
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask));
#elif defined(__AVX__)
  if constexpr (sizeof(Real) == 4)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
  if constexpr (sizeof(Real) == 8)
    return static_cast<std::uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#elif defined(__SSE2__)
  if constexpr (sizeof(Real) == 4) return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#endif
  std::uint32_t bits = 0;
  for (int lane = 0; lane < n_lanes<Real>; ++lane) bits |= static_cast<std::uint32_t>(mask[lane] != 0) << lane;
  return bits;
}

namespace detail {

template <class Real, int axis, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<Real> take_axis(const Lanes<Real>& a, const Lanes<Real>& b, const Lanes<Real>& c,
                                                    std::index_sequence<lane...>) {
  constexpr std::size_t n = n_lanes<Real>;
  const Lanes<Real> ab = __builtin_shufflevector(a, b, (3 * lane + axis < 2 * n ? 3 * lane + axis : 0)...);
  return __builtin_shufflevector(ab, c, (3 * lane + axis < 2 * n ? lane : 3 * lane + axis - n)...);
}

/// Elements part * n_lanes .. (part + 1) * n_lanes - 1 of the array x_0, y_0, z_0, x_1, ... of the triples.
template <class Real, int part, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<Real> mix_axes(const LaneTriple<Real>& t, std::index_sequence<lane...>) {
  constexpr std::size_t n = n_lanes<Real>;
  constexpr std::size_t first = part * n;
  const Lanes<Real> xy =
      __builtin_shufflevector(t[0], t[1], ((first + lane) % 3 == 1 ? n + (first + lane) / 3 : (first + lane) / 3)...);
  return __builtin_shufflevector(xy, t[2], ((first + lane) % 3 == 2 ? n + (first + lane) / 3 : lane)...);
}

}  // namespace detail

/// Load the triples of n_lanes particles from an array x_0, y_0, z_0, x_1, ...
template <class Real>
[[gnu::always_inline]] inline LaneTriple<Real> load_triples(const ParticleReal* source) {
  const auto a = load<Lanes<Real>>(source);
  const auto b = load<Lanes<Real>>(source + n_lanes<Real>);
  const auto c = load<Lanes<Real>>(source + 2 * n_lanes<Real>);
  constexpr EveryLane<Real> every;
  return {{detail::take_axis<Real, 0>(a, b, c, every), detail::take_axis<Real, 1>(a, b, c, every),
           detail::take_axis<Real, 2>(a, b, c, every)}};
}
template <class Real>
[[gnu::always_inline]] inline void store_triples(const LaneTriple<Real>& triples, ParticleReal* target) {
  constexpr EveryLane<Real> every;
  store(detail::mix_axes<Real, 0>(triples, every), target);
  store(detail::mix_axes<Real, 1>(triples, every), target + n_lanes<Real>);
  store(detail::mix_axes<Real, 2>(triples, every), target + 2 * n_lanes<Real>);
}

/// Load the triples of the last n particles of an array, fewer than there are lanes; the other lanes repeat the last
/// particle. \pre n >= 1
template <class Real>
[[gnu::always_inline]] inline LaneTriple<Real> load_last_triples(const ParticleReal* source, int n) {
  ParticleReal number[3 * n_lanes<Real>];
  std::memcpy(number, source, sizeof(ParticleReal) * static_cast<std::size_t>(3 * n));
  for (int i = 3 * n; i < 3 * n_lanes<Real>; ++i) number[i] = number[i - 3];
  return load_triples<Real>(number);
}
template <class Real>
[[gnu::always_inline]] inline void store_last_triples(const LaneTriple<Real>& triples, ParticleReal* target, int n) {
  ParticleReal number[3 * n_lanes<Real>];
  store_triples(triples, number);
  std::memcpy(target, number, sizeof(ParticleReal) * static_cast<std::size_t>(3 * n));
}

}  // namespace freshet
