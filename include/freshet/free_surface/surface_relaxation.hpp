// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// Relax the velocities of particles at the surface to the grid's: u_p <- s u_p + (1 - s) u(x_p).
///
/// Waves shorter than SurfaceCurvature resolves have no tension in it. With FLIP, particles at the surface keep small
/// velocities of their own, and nothing pulls back those that move outwards: the liquid loses them as a mist, at a
/// growing rate. Real tension stops such roughness within about the capillary time of a cell, sqrt(rho dx^3 / sigma).
/// The relaxation also damps resolved waves somewhat.
/// \param[in]     velocity   u^{n+1} [m/s], ghosts valid to width 1
/// \param[in]     phi        level set [cells], negative in the liquid; owned
/// \param[in]     share      s in [0, 1]
/// \param[in,out] particles  sorted state; particles in cells with |phi| < 1.4 change
/// Parallel: local; OpenMP
void relax_at_surface(const FaceField<double>& velocity, const CellField<float>& phi, double share,
                      ParticleStore& particles);

}  // namespace freshet
