// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

#include <cstdint>

namespace freshet {

/// Room that the liquid takes, on all ranks [m^3].
///
///   V = dx^3 ( open parts of all inner cells  +  particles in other cells / particles of a full cell )
///
/// Inside the liquid every cell counts as full, however many particles it holds; at the surface cells count by what
/// they hold. So V is the volume of the particles as long as the liquid has its density; less of it is liquid
/// compressed, more of it liquid with holes. (A count of liquid cells instead rises by half a cell wherever the surface
/// is rough.) \param[in] particles  sorted state of the labels' layout \param[in] inner      owned cells, as
/// find_inner_cells gives them Parallel: collective; OpenMP; the same on any number of ranks
double liquid_volume(const ParticleStore& particles, const LabelField& labels, const SolidFields& solids,
                     const CellField<std::uint8_t>& inner, int per_cell);

}  // namespace freshet
