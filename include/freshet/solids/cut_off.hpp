// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"
#include "freshet/transfer/extra_point.hpp"

namespace freshet {

/// Find the particles beside thin walls, each with the cells around it that are on the other side of the wall.
/// \param[in]  particles  sorted state of the layout
/// \param[out] cut_off    by owned block. Parallel: local; OpenMP
void find_cut_off(const ParticleStore& particles, const SolidFields& solids, const BlockLayout& layout,
                  ExtraPoints& cut_off);

}  // namespace freshet
