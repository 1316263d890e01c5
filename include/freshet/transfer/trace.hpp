// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/transfer/velocity_tile.hpp"

#include <limits>

namespace freshet {

/// The coefficients of an explicit Runge-Kutta scheme with at most 4 stages, times dt / dx, so that they turn
/// velocities into cells [s/m]:
///
///   k_1 = u(x),  k_s = u(x + a_s k_{s-1}),  x <- x + sum_s b_s k_s
struct TraceStages {
  int n;
  ParticleReal a[4];
  ParticleReal b[4];
};

/// The box that particles must not leave, relative to the block [cells]; infinite where there is no wall.
struct TraceBox {
  static constexpr ParticleReal infinity = std::numeric_limits<ParticleReal>::infinity();
  ParticleReal lower[3] = {-infinity, -infinity, -infinity};
  ParticleReal upper[3] = {infinity, infinity, infinity};
  ParticleReal rounding = 0;  ///< smaller displacements into the box do not count [cells]
};

/// Move n particles of a block through the velocity around it, then put those outside the box on its faces.
///
/// The stages of one particle wait for each other, those of several particles do not: so a stage is done for many
/// particles before the next one. Positions and velocities are particle reals throughout. A particle's result depends
/// only on its place and the velocity around it.
/// \param[in,out] x  relative to the block [cells]; in 2-D z does not change
/// \return number of particles put on the faces of the box
ParticleIndex trace_particles(const VelocityTile& tile, int dimension, const TraceStages& stages, const TraceBox& box,
                              ParticleReal* x, ParticleIndex n);

/// Displace n particles of a block by a field read at their places, then put those outside the box on its faces.
/// \param[in]     tile        displacements [cells]
/// \param[in]     max_length  longer displacements are shortened to this [cells]
/// \param[in,out] x           relative to the block [cells]; in 2-D z does not change
/// \return number of particles put on the faces of the box
ParticleIndex displace_by_tile(const VelocityTile& tile, int dimension, ParticleReal max_length, const TraceBox& box,
                               ParticleReal* x, ParticleIndex n);

}  // namespace freshet
