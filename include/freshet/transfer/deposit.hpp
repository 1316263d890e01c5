// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <memory>

namespace freshet {

/// Deposit particle velocities onto MAC faces; keeps its buffers from step to step.
///
///   m_f = sum_p w(x_f - x_p),  u_f = sum_p w(x_f - x_p) u_p / m_f      (1)
///
/// with the trilinear weight w. Each block first sums its own particles over its faces and one rim around (no atomics);
/// then every owner adds the up to 27 contributions to its faces in a fixed order, local or remote alike, the remote
/// ones gathered. The bits do not depend on threads, nor on ranks if particles in a cell are ordered by id. Source: Zhu
/// & Bridson 2005, section 4.2; Bridson 2008, chapter 10
class Deposit {
 public:
  Deposit();
  ~Deposit();
  /// \param[in]  particles sorted state of the layout; x [cells, block-relative], u [m/s]
  /// \param[out] velocity  owned faces [m/s]; 0 where no particle reaches; ghosts not refreshed
  /// \param[out] weight    owned faces: m_f, 0 where no particle reaches; ghosts not refreshed
  /// \pre velocity and weight are bound to `layout`
  /// Parallel: collective; OpenMP over blocks
  void operator()(const ParticleStore& particles, const BlockLayout& layout, FaceField<double>& velocity,
                  FaceField<double>& weight);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace freshet
