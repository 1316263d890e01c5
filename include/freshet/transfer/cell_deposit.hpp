// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/scratch_memory.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/transfer/extra_point.hpp"

#include <cstdint>
#include <memory>

namespace freshet {

/// Counts particles on cell centres; keeps its buffers from step to step.
///
///   n_c = sum_p w(x_c - x_p)                                            (1)
///
/// with the trilinear weight w, over all particles, or once over these and once over the particles in chosen cells. The
/// sums are formed as in Deposit: each block sums its own particles over its cells and one layer of cells around; then
/// every owner adds the up to 26 contributions of neighbours in a fixed order. The bits do not depend on threads, nor
/// on ranks if particles in a cell are ordered by id. In the interior of a liquid of n particles a cell, n_c is n.
class CellDeposit {
 public:
  /// \param[in] memory  memory of the sums around blocks, free between calls; null: the object has its own
  explicit CellDeposit(std::shared_ptr<ScratchMemory> memory = nullptr);
  ~CellDeposit();
  /// \param[in]  particles sorted state of the layout that the fields are bound to
  /// \param[in]  left_out  by owned block: particles that do not count for some cells; or empty
  /// \param[out] all       owned cells: n_c over all particles; ghosts not refreshed
  /// Parallel: collective; OpenMP over blocks
  void operator()(const ParticleStore& particles, const ExtraPoints& left_out, CellField<double>& all);
  /// \param[in]  chosen    owned cells: other than 0 in chosen cells
  /// \param[out] of_chosen owned cells: n_c over the particles in chosen cells; ghosts not refreshed
  void operator()(const ParticleStore& particles, const ExtraPoints& left_out, const CellField<std::uint8_t>& chosen,
                  CellField<double>& all, CellField<double>& of_chosen);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace freshet
