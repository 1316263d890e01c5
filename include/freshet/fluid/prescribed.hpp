// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/motion_options.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

constexpr double enright_period = 3.0;  ///< the flow reverses at half of it and ends where it began [s]
constexpr double enright_speed = 2.0;   ///< upper bound of each component [m/s]

/// The deformation field of the Enright test in the unit cube: divergence-free and 0 at the walls.
///
///   u = 2 sin^2(pi x) sin(2 pi y) sin(2 pi z) cos(pi t / T),  v = -sin(2 pi x) sin^2(pi y) sin(2 pi z) cos(pi t / T),
///   w = -sin(2 pi x) sin(2 pi y) sin^2(pi z) cos(pi t / T),   T = enright_period
///
/// A ball of radius 0.15 at (0.35, 0.35, 0.35) is stretched into a sheet and returns to its shape.
/// \param[out] velocity  owned faces [m/s]. \pre a 3-D domain. Parallel: local; OpenMP
/// Source: LeVeque 1996, section 9.5; Enright, Fedkiw, Ferziger & Mitchell 2002
void set_enright_velocity(double time, FaceField<double>& velocity);

constexpr double zalesak_period = 1.0;  ///< duration of one turn [s]

/// The rotation of Zalesak's test in the unit square: a notched disk turns about (0.5, 0.5) as a rigid body.
///
/// u = -w (y - 0.5), v = w (x - 0.5), w = 2 pi / zalesak_period; in 3-D the same at every z
/// \param[out] velocity  owned faces [m/s]. Parallel: local; OpenMP. Source: Zalesak 1979, section 6
void set_zalesak_velocity(FaceField<double>& velocity);

/// Set the velocity of a field other than MotionField::solve, as the functions above.
void set_prescribed_velocity(MotionField field, double time, FaceField<double>& velocity);
/// Upper bound of each component of the field's velocity. [m/s]
double prescribed_speed(MotionField field);

}  // namespace freshet
