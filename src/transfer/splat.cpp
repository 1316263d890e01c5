// SPDX-License-Identifier: Apache-2.0
#include "splat.hpp"

#include "freshet/particles/particle_arrays.hpp"

#include <algorithm>

/// All particles of a cell reach the same nodes: along d the two faces of the cell, along the other axes the centres of
/// the cell and of its two neighbours (one of which has weight 0). So the sums stay in registers until the last
/// particle of the cell.
namespace freshet {
namespace {

constexpr int max_run = 64;     ///< largest number of particles of one cell that are processed together
constexpr int max_chunk = 512;  ///< largest number of particles whose cells are computed together

/// Weights of one particle by axis.
struct Weights {
  Double4 face[2];    ///< at the low and at the high face of the cell
  Double4 center[3];  ///< at the centres of the previous cell, of the cell and of the next one
};

Double4 larger(const Double4& a, const Double4& b) {
  return a > b ? a : b;
}

/// Set the weights of a particle. \param[in] t  position in the cell, 0 .. 1 along each axis
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

/// Particles of one cell, as the kernels read them.
struct Run {
  Weights weights[max_run];
  LaneBatch<max_run> u_p;
  LaneBatch<3 * max_run> c_p;  ///< rows of the velocity gradient [1/s], for the affine kernel only
  double dx;                   ///< [m]
  int n;
};

/// The two axes normal to d.
constexpr int b_axis(int d) {
  return d == 0 ? 1 : 0;
}
constexpr int c_axis(int d) {
  return d == 2 ? 1 : 2;
}

/// Contribution of a run to component d. For each pair of centres: momentum, weight at the low face, then at the
/// high one.
template <class Shape, int d>
struct CellSums {
  static constexpr int n_c = Shape::dim == 3 ? 3 : 1;
  Double4 sum[n_c][3] = {};

  /// Add the sums to the nodes around. \param[in,out] node  the node of the run's cell
  void add_to(Double2* node) const {
    using Sums = SplatSums<Shape>;
    for (int c = 0; c < n_c; ++c)
      for (int b = 0; b < 3; ++b) {
        Double2* low =
            node + (b - 1) * Sums::stride(b_axis(d)) + (Shape::dim == 3 ? c - 1 : 0) * Sums::stride(c_axis(d));
        low[0] += low_half(sum[c][b]);
        low[Sums::stride(d)] += high_half(sum[c][b]);
      }
  }
};

template <class Shape, int d>
void add_trilinear(const Run& run, int p, CellSums<Shape, d>& cell) {
  const Weights& w = run.weights[p];
  const double u = run.u_p.number(p, d);
  const double low = w.face[0][d];
  const double high = w.face[1][d];
  const Double4 along_d = Double4{u, 1.0, u, 1.0} * Double4{low, low, high, high};
  for (int c = 0; c < cell.n_c; ++c) {
    const Double4 along_dc = Shape::dim == 3 ? along_d * w.center[c][c_axis(d)] : along_d;
    for (int b = 0; b < 3; ++b) cell.sum[c][b] += along_dc * w.center[b][b_axis(d)];
  }
}

/// Add a particle by (1a): u_d + c_d . (x_f - x_p) is a sum over axes, as the weight is a product.
template <class Shape, int d>
void add_rows(const Run& run, int p, CellSums<Shape, d>& cell) {
  const Weights& w = run.weights[p];
  const Double4& t = w.face[1];  // position in the cell, 0 .. 1
  const double u = run.u_p.number(p, d);
  const auto slope = [&](int axis) { return run.dx * run.c_p.number(3 * p + d, axis); };  // [m/s a cell]
  const double low = w.face[0][d];
  const double high = w.face[1][d];
  const Double4 w_d{low, low, high, high};
  const Double4 u_d{u - slope(d) * t[d], 1.0, u + slope(d) * (1.0 - t[d]), 1.0};
  const double slope_b = slope(b_axis(d));
  const double slope_c = Shape::dim == 3 ? slope(c_axis(d)) : 0.0;
  for (int c = 0; c < cell.n_c; ++c) {
    const double rise_c = Shape::dim == 3 ? slope_c * (c - 0.5 - t[c_axis(d)]) : 0.0;
    const Double4 w_dc = Shape::dim == 3 ? w_d * w.center[c][c_axis(d)] : w_d;
    for (int b = 0; b < 3; ++b) {
      const double rise = rise_c + slope_b * (b - 0.5 - t[b_axis(d)]);
      cell.sum[c][b] += (u_d + Double4{rise, 0.0, rise, 0.0}) * (w_dc * w.center[b][b_axis(d)]);
    }
  }
}

/// Add a particle by (1b), whose kernels end at one cell: they reach the same nodes as the trilinear weight.
template <class Shape, int d>
void add_vortex(const Run& run, int p, CellSums<Shape, d>& cell) {
  constexpr double h = vortex_kernel_radius;
  constexpr double nearest = 1e-6;  // least squared distance [cells^2], as W1 has a pole at 0
  const Double4& t = run.weights[p].face[1];
  const double u = run.u_p.number(p, d);
  const auto squared = [](double x) { return x * x; };
  for (int c = 0; c < cell.n_c; ++c) {
    const double r_c = Shape::dim == 3 ? squared(c - 0.5 - t[c_axis(d)]) : 0.0;
    for (int b = 0; b < 3; ++b) {
      const double r_cb = r_c + squared(b - 0.5 - t[b_axis(d)]);
      double w1[2], w2[2];
      for (int face = 0; face < 2; ++face) {
        const double r = r_cb + squared(face - t[d]);
        w1[face] = r < 1.0 ? h * h / std::max(r, nearest) - 1.0 : 0.0;
        w2[face] = r < 1.0 ? 1.0 - r / 2.0 * h : 0.0;
      }
      cell.sum[c][b] += Double4{w2[0] * u, w1[0], w2[1] * u, w1[1]};
    }
  }
}

/// Add the particles of one run to component d. \param[in,out] node  the node of the run's cell
template <DepositKernel kernel, class Shape, int d>
void add_run(const Run& run, Double2* node) {
  CellSums<Shape, d> cell;
  for (int p = 0; p < run.n; ++p) {
    if constexpr (kernel == DepositKernel::trilinear) add_trilinear<Shape, d>(run, p, cell);
    if constexpr (kernel == DepositKernel::affine) add_rows<Shape, d>(run, p, cell);
    if constexpr (kernel == DepositKernel::vortex) add_vortex<Shape, d>(run, p, cell);
  }
  cell.add_to(node);
}

/// Find the cell of each particle in the block.
template <class Shape>
void find_cells(const ParticleReal* x, int n, int* cell) {
  for (int p = 0; p < n; ++p) {
    const int k = Shape::dim == 3 ? static_cast<int>(x[3 * p + 2]) : 0;
    cell[p] = Shape::cell(static_cast<int>(x[3 * p]), static_cast<int>(x[3 * p + 1]), k);
  }
}

/// Load particles first .. first + n - 1, which all lie in one cell, and add them to the sums.
template <DepositKernel kernel, class Shape>
void splat_run(const SplatSource& source, ParticleIndex first, int n, int cell, SplatSums<Shape>& sums) {
  Run run;
  run.n = n;
  run.dx = source.dx;
  LaneBatch<max_run> x_p;
  x_p.load(source.x + 3 * first, n);
  run.u_p.load(source.u + 3 * first, n);
  if constexpr (kernel == DepositKernel::affine) run.c_p.load(source.affine + affine_width * first, 3 * n);
  const int i = cell % Shape::nx;
  const int j = cell / Shape::nx % Shape::ny;
  const int k = cell / (Shape::nx * Shape::ny);
  const Double4 corner{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k), 0.0};
  for (int p = 0; p < n; ++p) set_weights(x_p.get(p) - corner, run.weights[p]);
  const int node = SplatSums<Shape>::at(i, j, k);
  add_run<kernel, Shape, 0>(run, &sums.node[0][node]);
  add_run<kernel, Shape, 1>(run, &sums.node[1][node]);
  if constexpr (Shape::dim == 3) add_run<kernel, Shape, 2>(run, &sums.node[2][node]);
}

}  // namespace

template <DepositKernel kernel, class Shape>
void splat(const SplatSource& source, ParticleIndex n, SplatSums<Shape>& sums) {
  sums.clear();
  int cell[max_chunk];
  for (ParticleIndex first = 0; first < n; first += max_chunk) {
    const int n_chunk = static_cast<int>(std::min<ParticleIndex>(max_chunk, n - first));
    find_cells<Shape>(source.x + 3 * first, n_chunk, cell);
    int end = 0;
    for (int begin = 0; begin < n_chunk; begin = end) {
      const int limit = std::min(n_chunk, begin + max_run);
      for (end = begin + 1; end < limit && cell[end] == cell[begin];) ++end;
      splat_run<kernel>(source, first + begin, end - begin, cell[begin], sums);
    }
  }
}

template void splat<DepositKernel::trilinear>(const SplatSource&, ParticleIndex, SplatSums<BlockShape<2>>&);
template void splat<DepositKernel::affine>(const SplatSource&, ParticleIndex, SplatSums<BlockShape<2>>&);
template void splat<DepositKernel::affine>(const SplatSource&, ParticleIndex, SplatSums<BlockShape<3>>&);
template void splat<DepositKernel::vortex>(const SplatSource&, ParticleIndex, SplatSums<BlockShape<2>>&);
template void splat<DepositKernel::vortex>(const SplatSource&, ParticleIndex, SplatSums<BlockShape<3>>&);

}  // namespace freshet
