// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/lanes.hpp"

#include <algorithm>

namespace freshet {

/// Sums over one block's particles at faces of the block and of one layer of cells around it: a thread's scratch
/// memory.
///
/// Node (i, j, k), each from -1 to 8, of component d holds { sum w u_d, sum w }, where the kernel of the deposit
/// defines w and u; in 2-D k is 0.
template <class Shape>
struct SplatSums {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static constexpr int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (Shape::dim == 3 ? k + 1 : 0)); }

  alignas(64) Double2 node[Shape::dim][size];
  /// touched[d][k + 1], bit j + 1: row (j, k) of component d is defined, else its nodes count as zero; in 2-D k is -1.
  unsigned touched[Shape::dim][nz];

  /// The rows of plane k, 0 .. 7, that are defined, as bits; those of the block only.
  unsigned touched_rows(int d, int k) const {
    return touched[d][Shape::dim == 3 ? k + 1 : 0] >> 1 & ((1U << Shape::ny) - 1);
  }
  /// Set all to zero.
  void clear() {
    for (int d = 0; d < Shape::dim; ++d) {
      std::fill_n(node[d], size, Double2{});
      std::fill_n(touched[d], nz, ~0U);
    }
  }
};

/// Inputs of a deposit from one block's particles: 3, 3 and, for the affine kernel only, 9 numbers a particle.
struct SplatSource {
  const ParticleReal* x;       ///< [cells] in [0, 8)
  const ParticleReal* u;       ///< [m/s]
  const ParticleReal* affine;  ///< [1/s]
  double dx;                   ///< [m]
};

/// sums = sum over n particles, by the equations of Deposit.
///
/// Any order of particles is correct; order by cell is fast. The sums depend on the particles and their order only.
template <DepositKernel kernel, class Shape>
void splat(const SplatSource& source, ParticleIndex n, SplatSums<Shape>& sums);
template <>
void splat<DepositKernel::trilinear, BlockShape<3>>(const SplatSource& source, ParticleIndex n,
                                                    SplatSums<BlockShape<3>>& sums);

}  // namespace freshet
