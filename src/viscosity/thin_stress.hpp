// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/viscosity/viscous_step.hpp"

namespace freshet::viscous {

/// Whether add_thin_stress() handles an owned block: one viscosity, no body of open fractions near it, and no wall
/// thinner than a cell beside liquid in it or next to it. \pre ghosts of labels are valid to width 1
bool is_simple(const ViscousLiquid& liquid, LocalIndex block);

/// to += dt div (2 mu D(u)) / rho on the faces of liquid cells, in the blocks that are simple.
///
/// The forces are those of (2) of ViscousStep, with the surface along the faces of cells: the weights of a cell and an
/// edge follow from the contents of one or four cells and are not stored. Each stress is computed once in a block and
/// added to the faces on both sides.
/// \param[in] stiffness  dt mu / (rho dx^2)
/// \param[in] u  velocity before the step [m/s]; its ghosts and those of labels are valid to width 1
/// Parallel: local; OpenMP over blocks
void add_thin_stress(const ViscousLiquid& liquid, double stiffness, const FaceField<double>& u, FaceField<double>& to);

}  // namespace freshet::viscous
