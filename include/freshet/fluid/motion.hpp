// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"
#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/particles/particle_store.hpp"

namespace freshet {

/// How far particles may travel in one call of move_particles: stages must stay in the block's 26 neighbours. [cells]
constexpr double max_displacement = 6.0;

/// Numbers of a motion on this rank.
struct MotionReport {
  ParticleIndex pushed_out = 0;  ///< particles moved out of solids or walls
  ParticleIndex stuck = 0;       ///< particles still in a solid, whose ways out are closed: see free_stuck_particles()
};

/// Move particles through the velocity field: dx/dt = u(x), u held fixed, by an explicit Runge-Kutta scheme.
///
/// rk1 Euler, rk2 midpoint, rk3 Ralston (Bridson 2015, appendix A), rk4 classical. Then particles are kept inside the
/// domain's walls (at least 1e-4 cells from them) and out of bodies, wherever these have moved meanwhile: on the way
/// they stop at a surface that they meet and slide along it; those inside are pushed out along the signed distance's
/// gradient. Who met a body keeps no velocity of his own into it, and
/// is no faster beside it than he went.
/// \param[in]     velocity   faces [m/s], ghosts valid to width `reach`, extrapolated into air as far as particles go
/// \param[in]     dt         [s]; max |u| dt <= max_displacement * dx \pre
/// \param[in]     reach      pad in cells: ceil(largest displacement) + 1, 1 .. 8
/// \param[in,out] particles  sorted state of the layout on entry; positions relative to the OLD block on return, so
///                           anywhere in (-7, 15): migrate() comes next
/// \param[in]     time       when the motion begins [s]; solids stand as they did at solids.time()
/// Parallel: local; OpenMP over blocks
MotionReport move_particles(const FaceField<double>& velocity, const SolidFields& solids, double dt, int reach,
                            MotionScheme scheme, ParticleStore& particles, double time = 0.0);

/// Displace particles by a field: x += d(x), at most max_length; then they are kept outside walls and solids as above.
///
/// \param[in]     displacement  faces [cells], ghosts valid to width 1
/// \param[in]     max_length    longest displacement, shortened where it is longer [cells]; at most 1/2
/// \param[in,out] particles     sorted state; positions relative to the same block on return, in (-1/2, 8 1/2)
/// Parallel: local; OpenMP over blocks
MotionReport displace_particles(const FaceField<double>& displacement, const SolidFields& solids, double max_length,
                                ParticleStore& particles);

}  // namespace freshet
