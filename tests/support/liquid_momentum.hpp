// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/driver/simulation.hpp"
#include "support/mpi_test.hpp"

namespace freshet::test {

/// The momentum of a full box of water by the open parts of its faces, as in the energies whose minima pressure and
/// stress find. [kg m/s] \param[in] velocity  owned faces [m/s]. Collective
inline Vec3 liquid_momentum(const Simulation& simulation, const FaceField<double>& velocity) {
  Vec3 momentum = Vec3::Zero();
  const BlockLayout& layout = simulation.layout();
  const Domain& domain = simulation.domain();
  for (int d = 0; d < domain.dimension(); ++d) {
    ExactSum part;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (int c = 0; c < layout.cells_per_block(); ++c)
        part.add(static_cast<double>(simulation.solids().open_fraction()[d].block(b)[c]) * velocity[d].block(b)[c]);
    momentum[d] = 1000.0 * domain.cell_volume() * world().sum(part);
  }
  return momentum;
}

}  // namespace freshet::test
