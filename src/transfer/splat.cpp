// SPDX-License-Identifier: Apache-2.0
#include "splat.hpp"

#include <algorithm>

/// All particles of a cell reach the same nodes: along d the two faces of the cell, along the other axes the centres of
/// the cell and of its two neighbours (of which one has weight 0). So their sums stay in registers until the cell is
/// done.
namespace freshet {
namespace {

constexpr int max_run = 64;     ///< particles of one cell taken at a time
constexpr int max_chunk = 512;  ///< particles whose cells are found at a time

/// Weights of one particle by axis.
struct Weights {
  Double4 face[2];    ///< low and high face of the cell
  Double4 center[3];  ///< centres of the cell before, of the cell and of the one after
};

Double4 larger(const Double4& a, const Double4& b) {
  return a > b ? a : b;
}

/// \param[in] t  position in the cell, 0 .. 1 along each axis
void set_weights(const Double4& t, Weights& weights) {
  const Double4 zero{};
  const Double4 from_center = t - 0.5;
  const Double4 after = larger(from_center, zero);
  const Double4 before = larger(-from_center, zero);
  weights.face[0] = 1.0 - t;
  weights.face[1] = t;
  weights.center[0] = before;
  weights.center[1] = 1.0 - (before + after);
  weights.center[2] = after;
}

/// Add the particles of one run to component d. \param[in,out] node  the node of the run's cell
template <class Shape, int d>
void add_run(const Weights* weights, const LaneBatch<max_run>& u_p, int n, Double2* node) {
  using Sums = SplatSums<Shape>;
  constexpr int b_axis = d == 0 ? 1 : 0;
  constexpr int c_axis = d == 2 ? 1 : 2;
  constexpr int n_c = Shape::dim == 3 ? 3 : 1;
  Double4 sum[n_c][3] = {};  // momentum and weight at the low face, then at the high one
  for (int p = 0; p < n; ++p) {
    const Weights& w = weights[p];
    const double u = u_p.number(p, d);
    const double low = w.face[0][d];
    const double high = w.face[1][d];
    const Double4 along_d = Double4{u, 1.0, u, 1.0} * Double4{low, low, high, high};
    for (int c = 0; c < n_c; ++c) {
      const Double4 along_dc = Shape::dim == 3 ? along_d * w.center[c][c_axis] : along_d;
      for (int b = 0; b < 3; ++b) sum[c][b] += along_dc * w.center[b][b_axis];
    }
  }
  for (int c = 0; c < n_c; ++c)
    for (int b = 0; b < 3; ++b) {
      Double2* low = node + (b - 1) * Sums::stride(b_axis) + (Shape::dim == 3 ? c - 1 : 0) * Sums::stride(c_axis);
      low[0] += low_half(sum[c][b]);
      low[Sums::stride(d)] += high_half(sum[c][b]);
    }
}

/// Cells of the block that particles lie in.
template <class Shape>
void find_cells(const ParticleReal* x, int n, int* cell) {
  for (int p = 0; p < n; ++p) {
    const int k = Shape::dim == 3 ? static_cast<int>(x[3 * p + 2]) : 0;
    cell[p] = Shape::cell(static_cast<int>(x[3 * p]), static_cast<int>(x[3 * p + 1]), k);
  }
}

/// Particles that all lie in one cell.
template <class Shape>
void splat_run(const ParticleReal* x, const ParticleReal* u, int n, int cell, SplatSums<Shape>& sums) {
  LaneBatch<max_run> x_p, u_p;
  x_p.load(x, n);
  u_p.load(u, n);
  Weights weights[max_run];
  const int i = cell % Shape::nx;
  const int j = cell / Shape::nx % Shape::ny;
  const int k = cell / (Shape::nx * Shape::ny);
  const Double4 corner{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k), 0.0};
  for (int p = 0; p < n; ++p) set_weights(x_p.get(p) - corner, weights[p]);
  const int node = SplatSums<Shape>::at(i, j, k);
  add_run<Shape, 0>(weights, u_p, n, &sums.node[0][node]);
  add_run<Shape, 1>(weights, u_p, n, &sums.node[1][node]);
  if constexpr (Shape::dim == 3) add_run<Shape, 2>(weights, u_p, n, &sums.node[2][node]);
}

}  // namespace

template <class Shape>
void splat(const ParticleReal* x, const ParticleReal* u, ParticleIndex n, SplatSums<Shape>& sums) {
  for (int d = 0; d < Shape::dim; ++d) std::fill_n(sums.node[d], SplatSums<Shape>::size, Double2{});
  int cell[max_chunk];
  for (ParticleIndex first = 0; first < n; first += max_chunk) {
    const int n_chunk = static_cast<int>(std::min<ParticleIndex>(max_chunk, n - first));
    find_cells<Shape>(x + 3 * first, n_chunk, cell);
    int end = 0;
    for (int begin = 0; begin < n_chunk; begin = end) {
      const int limit = std::min(n_chunk, begin + max_run);
      for (end = begin + 1; end < limit && cell[end] == cell[begin];) ++end;
      splat_run(x + 3 * (first + begin), u + 3 * (first + begin), end - begin, cell[begin], sums);
    }
  }
}

template void splat(const ParticleReal*, const ParticleReal*, ParticleIndex, SplatSums<BlockShape<2>>&);
template void splat(const ParticleReal*, const ParticleReal*, ParticleIndex, SplatSums<BlockShape<3>>&);

}  // namespace freshet
