// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Label cells: solid by the solids, liquid where at least one particle lies, else air.
///
/// A cell that a body of open fractions fills by more than half has little room for particles: without one it is liquid
/// if the neighbour is that the body's surface looks at (as Bridson 2015, section 5.5, lets liquid reach into solids).
/// \param[in]  particles sorted state of the labels' layout
/// \param[out] labels    owned cells, ghosts refreshed to width 1; background solid
/// \return liquid cells on this rank. Parallel: collective (one gather, two with
/// such bodies); OpenMP.  Source: Zhu & Bridson 2005, section 4
GlobalIndex label_cells(const ParticleStore& particles, const SolidFields& solids, LabelField& labels);

}  // namespace freshet
