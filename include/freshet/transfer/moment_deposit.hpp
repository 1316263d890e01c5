// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/transfer/extra_point.hpp"

#include <cstdint>
#include <memory>

namespace freshet {

/// The moments of the particles around a cell's centre x_c: sum w, and sum w (x_p - x_c) [cells].
struct Moments {
  ParticleReal weight;
  ParticleReal offset[3];
};

/// Sums particles and their places on cell centres; keeps its buffers from step to step.
///
///   m_c = sum_p w(x_p - x_c),   o_c = sum_p w(x_p - x_c) (x_p - x_c)                            (1)
///
/// w is the product of one quadratic B-spline an axis: 3/4 - s^2 up to s = 1/2, (3/2 - s)^2 / 2 up to 3/2, else 0. A
/// particle reaches the cells that touch its own. In the interior of a liquid of n particles a cell m_c is n. At the
/// faces of the domain that are not periodic, particles are mirrored.
/// The sums are formed as in CellDeposit: the bits do not depend on threads, nor on ranks if particles in a cell are
/// ordered by id. Sums are particle reals: to 1e-6 of the largest.
class MomentDeposit {
 public:
  /// \param[in] memory  memory of the sums around blocks, free between calls; null: the object has its own
  explicit MomentDeposit(std::shared_ptr<ScratchMemory> memory = nullptr);
  ~MomentDeposit();
  /// \param[in]  particles sorted state, with positions as sorted, of the layout that the fields are bound to
  /// \param[in]  chosen    owned cells: particles in cells whose lowest bit is 0 are left out
  /// \param[in]  extra     by owned block: points that count besides its particles
  /// \param[out] moments   owned cells; ghosts not refreshed
  /// Parallel: collective; OpenMP over blocks
  void operator()(const ParticleStore& particles, const CellField<std::uint8_t>& chosen, const ExtraPoints& extra,
                  CellField<Moments>& moments);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace freshet
