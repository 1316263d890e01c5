// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/real_lanes.hpp"
#include "freshet/transfer/velocity_tile.hpp"

namespace freshet {
namespace detail {

/// Element e of every quad of lanes, four times.
template <class Real, int e, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<Real> spread(const Lanes<Real>& v, std::index_sequence<lane...>) {
  return __builtin_shufflevector(v, v, (lane / 4 * 4 + e)...);
}
/// For each quad of lanes: the low elements a0 b0 a1 b1, or the high elements a2 b2 a3 b3.
template <class Real, int high, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<Real> unpack(const Lanes<Real>& a, const Lanes<Real>& b,
                                                 std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, (lane / 4 * 4 + 2 * high + lane % 4 / 2 + lane % 2 * n_lanes<Real>)...);
}
/// For each quad of lanes: a0 a1 b0 b1, or a2 a3 b2 b3.
template <class Real, int high, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<Real> join(const Lanes<Real>& a, const Lanes<Real>& b,
                                               std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, (lane / 4 * 4 + 2 * high + lane % 2 + lane % 4 / 2 * n_lanes<Real>)...);
}

/// The values at low x and at high x of particles e, e + 4, ...: a quad of lanes for each particle.
template <class Real>
struct Sides {
  Lanes<Real> low, high;
};
template <class Real>
[[gnu::always_inline]] inline Sides<Real> load_sides(const ParticleReal* values, const std::int32_t* first, int e) {
  using Vector = Lanes<Real>;
  using Octet = typename LanesOf<Real>::Octet;
  const auto octet = [&](int p) { return load<Octet>(values + first[p]); };
  if constexpr (n_lanes<Real> == 16) {
    const Octet a = octet(e), b = octet(e + 4), c = octet(e + 8), d = octet(e + 12);
    const Vector ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const Vector cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return {__builtin_shufflevector(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
            __builtin_shufflevector(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)};
  } else if constexpr (n_lanes<Real> == 8) {
    const Octet a = octet(e), b = octet(e + 4);
    return {__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11),
            __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)};
  } else {
    return {load<Vector>(values + first[e]), load<Vector>(values + first[e] + 4)};
  }
}

/// Interpolate along x, at the particle's distance t from low x.
template <class Real, int e>
[[gnu::always_inline]] inline Lanes<Real> along_x(const ParticleReal* values, const std::int32_t* first,
                                                  const Lanes<Real>& t) {
  const Sides<Real> sides = load_sides<Real>(values, first, e);
  return sides.low + spread<Real, e>(t, EveryLane<Real>{}) * (sides.high - sides.low);
}

/// Values on the four edges along x of the box of samples around each point, at the point's x.
template <class Real>
struct Edges {
  Lanes<Real> y0z0, y1z0, y0z1, y1z1;
};
/// Interpolate along x for n_lanes points. \param[in] first  index of each point's first sample
template <class Real>
[[gnu::always_inline]] inline Edges<Real> edges(const ParticleReal* values, const LaneIndices<Real>& first,
                                                const Lanes<Real>& tx) {
  using Vector = Lanes<Real>;
  constexpr EveryLane<Real> every;
  using Indices [[gnu::may_alias]] = LaneIndices<Real>;
  alignas(Indices) std::int32_t place[n_lanes<Real>];
  *reinterpret_cast<Indices*>(place) = first;  // one store; GCC 12 makes four of a memcpy()
  asm("" : "+m"(place));  // else the compiler takes the numbers out of the vector one by one, which is slower
  const Vector a = along_x<Real, 0>(values, place, tx);
  const Vector b = along_x<Real, 1>(values, place, tx);
  const Vector c = along_x<Real, 2>(values, place, tx);
  const Vector d = along_x<Real, 3>(values, place, tx);
  const Vector ab_low = unpack<Real, 0>(a, b, every), ab_high = unpack<Real, 1>(a, b, every);
  const Vector cd_low = unpack<Real, 0>(c, d, every), cd_high = unpack<Real, 1>(c, d, every);
  return {join<Real, 0>(ab_low, cd_low, every), join<Real, 1>(ab_low, cd_low, every),
          join<Real, 0>(ab_high, cd_high, every), join<Real, 1>(ab_high, cd_high, every)};
}

/// One component of the field at n_lanes points.
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> component(const VelocityTile& tile, int d, const LaneIndices<Real>& first,
                                                    const Lanes<Real>& tx, const Lanes<Real>& ty,
                                                    const Lanes<Real>& tz) {
  const Edges<Real> e = edges<Real>(tile.origin(d), first, tx);
  const Lanes<Real> z0 = e.y0z0 + ty * (e.y1z0 - e.y0z0);
  const Lanes<Real> z1 = e.y0z1 + ty * (e.y1z1 - e.y0z1);
  return z0 + tz * (z1 - z0);
}

}  // namespace detail

/// Read the velocity at n_lanes points: each component is trilinear (bilinear in 2-D) between its own faces. A constant
/// field is reproduced exactly.
///
/// For each component and point one load brings all 8 samples; a transposition then turns points into lanes. What
/// limits a sample: instructions, half of them loads and shuffles.
/// \param[in] x  relative to the block [cells]; \pre 0.5 - pad <= x < 7 + pad on every axis
///               A place that breaks this, or is not a number, reads something else of the tile
/// \return 0 along z in 2-D
template <int dimension, class Real>
[[gnu::always_inline]] inline LaneTriple<Real> sample(const VelocityTile& tile, const LaneTriple<Real>& x) {
  using Vector = Lanes<Real>;
  Vector face_t[3], center_t[3];    // distances from the next lower face and cell centre along each axis
  Vector face_at[3], center_at[3];  // indices of these faces and centres
  const Vector zero{}, one = all_lanes(Real(1));
  for (int d = 0; d < 3; ++d) {
    const Vector toward_zero = convert<Vector>(convert<LaneIndices<Real>>(x[d]));
    face_at[d] = toward_zero - (toward_zero > x[d] ? one : zero);
    face_t[d] = x[d] - face_at[d];
    const Vector from_center = face_t[d] - Real(0.5);
    const Vector before = from_center < zero ? one : zero;
    center_t[d] = from_center + before;
    center_at[d] = face_at[d] - before;
  }
  const auto nx = static_cast<Real>(4 * tile.stride[1]);
  const auto nxy = static_cast<Real>(4 * tile.stride[2]);
  const Vector first = all_lanes(static_cast<Real>(-tile.before_origin()));
  const Vector last = all_lanes(static_cast<Real>(tile.size - 4 - tile.before_origin()));
  const auto place = [&](const Vector& i, const Vector& j, const Vector& k) {
    const Vector at = i * Real(4) + (j * nx + k * nxy);
    const Vector before_end = at < last ? at : last;  // also for what is not a number
    return convert<LaneIndices<Real>>(before_end > first ? before_end : first);
  };
  LaneTriple<Real> u{};
  u[0] = detail::component<Real>(tile, 0, place(face_at[0], center_at[1], center_at[2]), face_t[0], center_t[1],
                                 center_t[2]);
  u[1] = detail::component<Real>(tile, 1, place(center_at[0], face_at[1], center_at[2]), center_t[0], face_t[1],
                                 center_t[2]);
  if constexpr (dimension == 3)
    u[2] = detail::component<Real>(tile, 2, place(center_at[0], center_at[1], face_at[2]), center_t[0], center_t[1],
                                   face_t[2]);
  return u;
}

}  // namespace freshet
