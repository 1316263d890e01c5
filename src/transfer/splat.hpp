// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/transfer/deposit.hpp"
#include "freshet/transfer/lanes.hpp"

namespace freshet {

/// Sums over one block's particles at the faces of the block and of one rim around it: what a thread works in.
///
/// Node (i, j, k), each from -1 to 8, of component d: { sum w u_d, sum w }, as the kernel of the deposit says what w
/// and u are; in 2-D there is no rim along z.
template <class Shape>
struct SplatSums {
  static constexpr int nx = Shape::nx + 2;
  static constexpr int ny = Shape::ny + 2;
  static constexpr int nz = Shape::dim == 3 ? Shape::nz + 2 : 1;
  static constexpr int size = nx * ny * nz;
  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? nx : nx * ny; }
  static constexpr int at(int i, int j, int k) { return (i + 1) + nx * ((j + 1) + ny * (Shape::dim == 3 ? k + 1 : 0)); }

  alignas(64) Double2 node[Shape::dim][size];
};

/// What a deposit reads of the particles of one block: 3, 3 and, for the affine kernel only, 9 numbers a particle.
struct SplatSource {
  const ParticleReal* x;       ///< [cells] in [0, 8)
  const ParticleReal* u;       ///< [m/s]
  const ParticleReal* affine;  ///< [1/s]
  double dx;                   ///< [m]
};

/// sums = sum over n particles, by the equations of Deposit.
///
/// Particles sorted by cell are fast; any order is right. The sums depend on the particles and their order only.
template <DepositKernel kernel, class Shape>
void splat(const SplatSource& source, ParticleIndex n, SplatSums<Shape>& sums);

}  // namespace freshet
