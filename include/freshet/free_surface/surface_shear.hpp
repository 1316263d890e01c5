// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/free_surface/labels.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// What keep_surface_shear() reads.
struct ShearInput {
  const LabelField& known;             ///< liquid in cells whose faces the extrapolation took as known
  const FaceField<double>& weight;     ///< of the deposit, owned faces
  double particles_per_cell;           ///< of full cells
  const FaceField<double>& continued;  ///< u^n, continued into the air, owned faces [m/s]
  const FaceField<double>& velocity;   ///< u^{n+1}, likewise [m/s]
};

/// The velocity that APIC's particles take where a stress along the surface drives a thin current.
///
/// Into the air velocities are continued as constants. A particle at the surface in a cell of air would thus lose what
/// it is faster than the liquid below, at every step. At faces in the air with enough particles around them the change
/// is continued instead, and added to the velocity that the deposit gives:
///   u_f = u_f^{n+1} + (u_f^n of the deposit - u_f^n continued)
/// Faces that few particles reach lie far above these. What affine velocities give there is left out: spray would
/// become faster, and steps a tenth shorter.
/// \param[in]     input     ghosts of `known` are valid to width 1
/// \param[in,out] velocity  u^n of the deposit, then the velocity to take; owned faces [m/s]
/// Parallel: local; OpenMP; the same bits for any number of ranks and threads
void keep_surface_shear(const ShearInput& input, FaceField<double>& velocity);

}  // namespace freshet
