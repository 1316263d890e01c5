// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/trace.hpp"

#include "sample_tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace freshet {
namespace {

using RealTriple = LaneTriple<ParticleReal>;
constexpr int real_width = n_lanes<ParticleReal>;
constexpr int max_vectors = 8;  ///< vectors of particles that are moved side by side

/// Puts particles on the faces of a box and counts those that it moves by more than `rounding`.
template <int dimension>
class InsideBox {
 public:
  explicit InsideBox(const TraceBox& box) : rounding_(box.rounding) {
    for (int d = 0; d < dimension; ++d) {
      lower_[d] = all_lanes(box.lower[d]);
      upper_[d] = all_lanes(box.upper[d]);
    }
    for (int lane = 0; lane < real_width; ++lane) number_[lane] = lane;
  }
  /// Put the particles of a vector into the box. \param[in] n  number of lanes that hold particles
  [[gnu::always_inline]] void push(RealTriple& x, int n) {
    decltype(x[0] < x[0]) pushed{};
    for (int d = 0; d < dimension; ++d) {
      const Lanes<ParticleReal> above = x[d] < lower_[d] ? lower_[d] : x[d];
      const Lanes<ParticleReal> inside = above > upper_[d] ? upper_[d] : above;
      pushed |= (inside - x[d] > rounding_) | (x[d] - inside > rounding_);
      x[d] = inside;
    }
    pushed_ -= convert<LaneIndices<ParticleReal>>(pushed) & (number_ < n);  // -1 in the lanes of pushed particles
  }
  ParticleIndex n_pushed() const {
    ParticleIndex n = 0;
    for (int lane = 0; lane < real_width; ++lane) n += pushed_[lane];
    return n;
  }

 private:
  Lanes<ParticleReal> lower_[dimension], upper_[dimension];
  ParticleReal rounding_;
  LaneIndices<ParticleReal> number_{};
  LaneIndices<ParticleReal> pushed_{};  ///< by lane: number of pushed particles
};

/// Shorten displacements to the largest length.
template <int dimension>
[[gnu::always_inline]] inline void limit_length(ParticleReal max_length, RealTriple& displacement) {
  Lanes<ParticleReal> squared{};
  for (int d = 0; d < dimension; ++d) squared += displacement[d] * displacement[d];
  ParticleReal length[real_width];
  std::memcpy(length, &squared, sizeof(length));
  const ParticleReal surely_short = ParticleReal(0.999) * max_length * max_length;
  int may_be_long = 0;
  for (const ParticleReal l : length) may_be_long |= static_cast<int>(l > surely_short);
  if (may_be_long == 0) return;  // all are short: no roots and divisions
  for (ParticleReal& l : length) l = std::sqrt(l);
  Lanes<ParticleReal> lengths;
  std::memcpy(&lengths, length, sizeof(length));
  const Lanes<ParticleReal> one = all_lanes(ParticleReal(1));
  const auto too_long = lengths > max_length;
  const Lanes<ParticleReal> factor =
      (too_long ? all_lanes(max_length) : one) / (too_long ? lengths : one);  // no division by 0
  for (int d = 0; d < dimension; ++d) displacement[d] *= factor;
}

/// Move n particles. \param[in] shorten  function that shortens the displacements of a vector of particles
template <int dimension, class Shorten>
ParticleIndex trace(const VelocityTile& tile, const TraceStages& rk, const TraceBox& box, ParticleReal* x,
                    ParticleIndex n, Shorten shorten) {
  RealTriple start[max_vectors], k[max_vectors], sum[max_vectors];
  InsideBox<dimension> inside(box);
  for (ParticleIndex first = 0; first < n; first += max_vectors * real_width, x += 3 * max_vectors * real_width) {
    const int n_left = static_cast<int>(std::min<ParticleIndex>(n - first, max_vectors * real_width));
    const int n_full = n_left / real_width, n_rest = n_left % real_width;
    const int n_vectors = n_full + (n_rest > 0 ? 1 : 0);
    for (int v = 0; v < n_full; ++v) start[v] = load_triples<ParticleReal>(x + 3 * real_width * v);
    if (n_rest > 0) start[n_full] = load_last_triples<ParticleReal>(x + 3 * real_width * n_full, n_rest);
    for (int v = 0; v < n_vectors; ++v) {
      k[v] = sample<dimension>(tile, start[v]);
      for (int d = 0; d < 3; ++d) sum[v][d] = rk.b[0] * k[v][d];
    }
    for (int s = 1; s < rk.n; ++s)
      for (int v = 0; v < n_vectors; ++v) {
        RealTriple at;
        for (int d = 0; d < 3; ++d) at[d] = start[v][d] + rk.a[s] * k[v][d];
        k[v] = sample<dimension>(tile, at);
        for (int d = 0; d < 3; ++d) sum[v][d] += rk.b[s] * k[v][d];
      }
    for (int v = 0; v < n_vectors; ++v) {
      shorten(sum[v]);
      for (int d = 0; d < 3; ++d) sum[v][d] += start[v][d];
      inside.push(sum[v], v < n_full ? real_width : n_rest);
    }
    for (int v = 0; v < n_full; ++v) store_triples(sum[v], x + 3 * real_width * v);
    if (n_rest > 0) store_last_triples(sum[n_full], x + 3 * real_width * n_full, n_rest);
  }
  return inside.n_pushed();
}

}  // namespace

ParticleIndex trace_particles(const VelocityTile& tile, int dimension, const TraceStages& stages, const TraceBox& box,
                              ParticleReal* x, ParticleIndex n) {
  const auto as_they_are = [](RealTriple&) {};
  return dimension == 2 ? trace<2>(tile, stages, box, x, n, as_they_are)
                        : trace<3>(tile, stages, box, x, n, as_they_are);
}

ParticleIndex displace_by_tile(const VelocityTile& tile, int dimension, ParticleReal max_length, const TraceBox& box,
                               ParticleReal* x, ParticleIndex n) {
  constexpr TraceStages once{1, {0}, {1}};  // the field itself is the displacement
  if (dimension == 2)
    return trace<2>(tile, once, box, x, n, [max_length](RealTriple& d) { limit_length<2>(max_length, d); });
  return trace<3>(tile, once, box, x, n, [max_length](RealTriple& d) { limit_length<3>(max_length, d); });
}

}  // namespace freshet
