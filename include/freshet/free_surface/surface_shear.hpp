// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/labels.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// Input of keep_surface_shear().
struct ShearInput {
  const LabelField& known;             ///< labels: liquid in cells whose faces the extrapolation took as known
  const FaceField<double>& weight;     ///< weights of the deposit, owned faces
  double particles_per_cell;           ///< number of particles in full cells
  const FaceField<double>& continued;  ///< u^n, extrapolated into the air, owned faces [m/s]
  const FaceField<double>& velocity;   ///< u^{n+1}, extrapolated into the air, owned faces [m/s]
};

/// Find the velocity that APIC's particles take where a stress along the surface drives a thin current.
///
/// Velocities are extrapolated into the air as constants. A particle at the surface in a cell of air would thus lose
/// its excess over the velocity of the liquid below in every step. At faces in the air with enough particles around
/// them, the change of velocity is extrapolated instead and added to the deposit's velocity:
///   u_f = u_f^{n+1} + (u_f^n of the deposit - u_f^n continued)
/// Faces with few particles lie far above these particles. The extrapolation by affine velocities is left out there: it
/// would speed up spray and shorten steps.
/// \param[in]     input     ghosts of `known` are valid to width 1
/// \param[in,out] velocity  u^n of the deposit; on return the velocity to take; owned faces [m/s]
/// Parallel: local; OpenMP; the same bits for any number of ranks and threads
void keep_surface_shear(const ShearInput& input, FaceField<double>& velocity);

}  // namespace freshet
