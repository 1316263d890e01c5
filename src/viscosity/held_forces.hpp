// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/viscosity/viscous_step.hpp"

#include <vector>

namespace freshet::viscous {

/// Find the forces on all faces that solids hold, one for each cell or edge beside a face, in no particular order.
///
/// In (2) of ViscousStep every term is a square of differences of velocities. What a term gives to all faces, with an
/// unknown or held, thus adds up to 0, and the liquid loses what the held ones get.
/// \param[in] liquid  as in the step. \param[in] velocity  u', with what solids hold; ghosts valid to width 1 [m/s]
/// \param[out] forces  those of this rank's cells and edges; what it held is dropped. Parallel: local; OpenMP
void find_held_forces(const ViscousLiquid& liquid, const FaceField<double>& velocity, std::vector<HeldForce>& forces);

}  // namespace freshet::viscous
