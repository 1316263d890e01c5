// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

namespace freshet {

/// Largest displacement in one call of move_particles(): stages must stay in the block's 26 neighbours. [cells]
constexpr double longest_substep = 6.0;

/// Numbers of a motion on this rank.
struct MotionReport {
  ParticleIndex pushed_out = 0;  ///< particles moved out of solids or walls
  ParticleIndex stuck = 0;       ///< particles that could not be moved out of a solid: see free_stuck_particles()
};

/// Move particles through the velocity field: dx/dt = u(x), u held fixed, by an explicit Runge-Kutta scheme.
///
/// rk1 Euler, rk2 midpoint, rk3 Ralston (Bridson 2015, appendix A), rk4 classical. Then particles are kept inside the
/// domain's walls (at least 1e-4 cells from them) and out of bodies, which move in the same dt. A particle whose path
/// meets a body stops at the surface and slides along it; a particle inside a body is pushed out along the gradient of
/// the signed distance. A particle that met a body loses its velocity component into the body, and its speed relative
/// to the body is limited to that of its motion.
/// \param[in]     velocity   faces [m/s], ghosts valid to width `reach`, extrapolated into air as far as particles move
/// \param[in]     dt         [s] \pre max |u| dt <= longest_substep * dx
/// \param[in]     reach      pad in cells: ceil(largest displacement) + 1, 1 .. 8
/// \param[in,out] particles  sorted state of the layout on entry; positions relative to the OLD block on return, so
///                           anywhere in (-7, 15): call migrate() next
/// \param[in]     time       start of the motion [s]; the grid holds the solids as of solids.time()
/// Parallel: local; OpenMP over blocks
MotionReport move_particles(const FaceField<double>& velocity, const SolidFields& solids, double dt, int reach,
                            MotionScheme scheme, ParticleStore& particles, double time = 0.0);

/// Displace particles by a field: x += d(x), at most max_length; then keep them outside walls and solids.
///
/// \param[in]     displacement  faces [cells], ghosts valid to width 1
/// \param[in]     max_length    longer displacements are shortened to this [cells]; at most 1/2
/// \param[in,out] particles     sorted state; positions relative to the same block on return, in (-1/2, 8 1/2)
/// Parallel: local; OpenMP over blocks
MotionReport displace_particles(const FaceField<double>& displacement, const SolidFields& solids, double max_length,
                                ParticleStore& particles);

}  // namespace freshet
