// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/particles/particle_store.hpp"

#include <memory>

namespace freshet {

/// The weights with which a particle contributes to the faces around it.
enum class DepositKernel {
  trilinear,  ///< (1)
  affine,     ///< (1a); needs the arrays of ArrayNeed::apic
  vortex      ///< (1b): velocity of the vortex boost by weights, see vortex.hpp
};

/// Radius h of the vortex kernels. Their source gives none; this value is usual for particles on a grid. [cells]
constexpr double vortex_kernel_radius = 1.4;

/// Whether the weights of a deposit are read afterwards.
enum class WeightUse {
  kept,    ///< the weights are a result
  scratch  ///< nobody reads the weights: rows that no particle reaches are not written
};

/// Deposit particle velocities onto MAC faces; keeps its buffers from step to step.
///
///   m_f = sum_p w(x_f - x_p),  u_f = sum_p w(x_f - x_p) u_p / m_f                          (1)
///   u_f = sum_p w(x_f - x_p) (u_p + c_p . (x_f - x_p)) / m_f                               (1a)
///   m_f = sum_p W1(|x_f - x_p|^2),  u_f = sum_p W2(|x_f - x_p|^2) u_p / m_f                (1b)
///
/// with the trilinear weight w; c_p is the row of the particle's velocity gradient for the face's component. With
/// distances in cells W1(r) = h^2/r - 1 and W2(r) = 1 - r/2 h up to r = 1, else 0, where h = vortex_kernel_radius. (1a)
/// conserves momentum and, summed over faces and particles alike as sum m x_f u_f, angular momentum. Each block first
/// sums its own particles over its faces and one layer of cells around (no atomics). Then every owner adds the up to 27
/// contributions to its faces in a fixed order, both local and remote ones. The bits do not depend on threads, nor on
/// ranks if particles in a cell are ordered by id. What limits (1) in 3-D: the instructions for a particle, and where
/// blocks are part-filled the copies of rows of faces to fields and rims. In 3-D (1) adds up the few particles between
/// eight neighbouring faces as particle reals, and these sums as doubles: a face's velocity has their rounding.
/// Source: Zhu & Bridson 2005, section 4.2; Bridson 2008, chapter 10; (1a) Jiang, Schroeder, Selle, Teran & Stomakhin
/// 2015, and on staggered grids Jiang, Schroeder & Teran 2017, section 4; (1b) kernels of equations 5.43 and 5.44 of
/// the source that vortex.hpp names, with squared distances
class Deposit {
 public:
  /// \param[in] memory  memory of the sums around blocks, free between calls; null: the object has its own
  explicit Deposit(std::shared_ptr<ScratchMemory> memory = nullptr);
  ~Deposit();
  /// \param[in]  particles sorted state of the layout; x [cells, block-relative], u [m/s]
  /// \param[out] velocity  owned faces [m/s]; 0 where no particle reaches; ghosts not refreshed
  /// \param[out] weight    owned faces: m_f, 0 where no particle reaches; ghosts not refreshed. Undefined if scratch
  /// \param[in]  rider     ghosts that are refreshed with the deposit's messages; null: none
  /// \pre velocity and weight are bound to `layout`
  /// Parallel: collective; OpenMP over blocks
  void operator()(const ParticleStore& particles, const BlockLayout& layout, FaceField<double>& velocity,
                  FaceField<double>& weight, DepositKernel kernel = DepositKernel::trilinear,
                  WeightUse use = WeightUse::kept, const GhostRequest* rider = nullptr);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace freshet
