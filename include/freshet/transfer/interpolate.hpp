// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Blend grid velocities back to the particles.
///
///   u_p = f (u_p - u_old(x_p)) + u_new(x_p) = f u_p + (u_new - f u_old)(x_p)      (2)
///
/// f = 1 is FLIP, f = 0 is PIC; one gather of the combined field, formed while the block's padded copy is filled.
/// \param[in]     u_new, u_old  faces, ghosts valid to width 1 [m/s]
/// \param[in,out] particles     sorted state; velocity [m/s]
/// \param[in]     flip_fraction f in [0, 1]
/// Parallel: local; OpenMP over blocks.  Source: Zhu & Bridson 2005, section 4.3; Bridson 2008, equation 10.3
void blend_velocity(const FaceField<double>& u_new, const FaceField<double>& u_old, double flip_fraction,
                    ParticleStore& particles);

}  // namespace freshet
