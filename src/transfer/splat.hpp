// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/lanes.hpp"

#include <algorithm>

namespace freshet {

/// Scratch memory of a thread: sums over one block's particles at faces of the block and of one layer of cells
/// around it.
///
/// Node (i, j, k) of component d, with indices from -1 to 8, holds { sum w u_d, sum w }, where the kernel of the
/// deposit defines w and u; in 2-D k is 0.
template <class Shape>
struct SplatSums {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static constexpr int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (Shape::dim == 3 ? k + 1 : 0)); }

  alignas(64) Double2 node[Shape::dim][size];
  /// Bit j + 1 of touched[d][k + 1]: row (j, k) of component d is defined, else it counts as zero; in 2-D k is -1.
  unsigned touched[Shape::dim][nz];

  /// The defined rows of plane k, 0 .. 7, as bits, without those outside the block.
  unsigned touched_rows(int d, int k) const {
    return touched[d][Shape::dim == 3 ? k + 1 : 0] >> 1 & ((1U << Shape::ny) - 1);
  }
  /// Set all sums to zero.
  void clear() {
    for (int d = 0; d < Shape::dim; ++d) {
      std::fill_n(node[d], size, Double2{});
      std::fill_n(touched[d], nz, ~0U);
    }
  }
};

/// The particles of one block for a deposit: 3, 3 and, for the affine kernel only, 9 numbers a particle.
struct SplatSource {
  const ParticleReal* x;       ///< positions in the block [cells], in [0, 8)
  const ParticleReal* u;       ///< velocities [m/s]
  const ParticleReal* affine;  ///< velocity gradients [1/s]
  double dx;                   ///< cell size [m]
};

/// Sum n particles by the equations of Deposit.
///
/// Any order of particles is correct; order by cell is fast. The sums depend only on the particles and their order.
template <DepositKernel kernel, class Shape>
void splat(const SplatSource& source, ParticleIndex n, SplatSums<Shape>& sums);
template <>
void splat<DepositKernel::trilinear, BlockShape<3>>(const SplatSource& source, ParticleIndex n,
                                                    SplatSums<BlockShape<3>>& sums);

}  // namespace freshet
