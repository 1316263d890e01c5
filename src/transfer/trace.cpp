// SPDX-License-Identifier: Apache-2.0
#include "freshet/transfer/trace.hpp"

#include "sample_tile.hpp"

#include <algorithm>

namespace freshet {
namespace {

using RealTriple = LaneTriple<ParticleReal>;
constexpr int real_width = n_lanes<ParticleReal>;
constexpr int max_vectors = 8;  ///< vectors of particles that are moved side by side

/// Put particles on the faces of the box. \return number of those pushed by more than rounding
template <int dimension>
[[gnu::always_inline]] inline LaneIndices<ParticleReal> push_inside(const TraceBox& box, RealTriple& x) {
  using Mask = decltype(x[0] < x[0]);
  Mask pushed{};
  for (int d = 0; d < dimension; ++d) {
    const Lanes<ParticleReal> lower = all_lanes(box.lower[d]), upper = all_lanes(box.upper[d]);
    const Lanes<ParticleReal> above = x[d] < lower ? lower : x[d];
    const Lanes<ParticleReal> inside = above > upper ? upper : above;
    pushed |= (inside - x[d] > box.rounding) | (x[d] - inside > box.rounding);
    x[d] = inside;
  }
  return convert<LaneIndices<ParticleReal>>(pushed);  // -1 in the lanes of pushed particles
}

template <int dimension>
ParticleIndex trace(const VelocityTile& tile, const TraceStages& rk, const TraceBox& box, ParticleReal* x,
                    ParticleIndex n) {
  RealTriple start[max_vectors], k[max_vectors], sum[max_vectors];
  ParticleIndex n_pushed = 0;
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
      for (int d = 0; d < 3; ++d) sum[v][d] += start[v][d];
      const LaneIndices<ParticleReal> pushed = push_inside<dimension>(box, sum[v]);
      const int n_valid = v < n_full ? real_width : n_rest;
      for (int lane = 0; lane < n_valid; ++lane) n_pushed -= pushed[lane];
    }
    for (int v = 0; v < n_full; ++v) store_triples(sum[v], x + 3 * real_width * v);
    if (n_rest > 0) store_last_triples(sum[n_full], x + 3 * real_width * n_full, n_rest);
  }
  return n_pushed;
}

}  // namespace

ParticleIndex trace_particles(const VelocityTile& tile, int dimension, const TraceStages& stages, const TraceBox& box,
                              ParticleReal* x, ParticleIndex n) {
  return dimension == 2 ? trace<2>(tile, stages, box, x, n) : trace<3>(tile, stages, box, x, n);
}

}  // namespace freshet
