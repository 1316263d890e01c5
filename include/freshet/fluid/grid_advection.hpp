// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"

#include <cstdint>

namespace freshet {

/// Advect a velocity by itself on some faces, by the semi-Lagrangian method with cubic interpolation:
///
///   u'_f = sum_q L_q(X_f) u_q,   X_f = x_f - dt u + dt^2 / 2 (u . grad) u                                (1)
///
/// X_f is where liquid at the face's centre came from, with velocity and gradient as means of the two cells beside the
/// face. L are Lagrange's cubic polynomials of the four faces around X_f along each axis. A wave of 8 cells loses at
/// most 0.9 % of its height in a call, as with the second-order scheme of MacCormack, which needs two passes.
/// Values and places are of single precision, as those of particles.
/// \param[in]     velocity  faces [m/s], ghosts valid to width `reach`
/// \param[in]     marks     owned cells: bit d is set if the low face along axis d is to be found
/// \param[in]     dt        [s]
/// \param[in]     reach     3 .. 8, at least ceil(largest displacement) + 2; longer displacements along an axis end
///                          at reach - 2 [cells]
/// \param[in,out] result    owned faces [m/s]; faces without a mark keep their values
/// Parallel: local; OpenMP over blocks; the same bits for any number of ranks and threads
/// Source: Staniforth & Cote 1991, sections 2 and 3; X_f McGregor 1993
void advect_faces(const FaceField<double>& velocity, const CellField<std::uint8_t>& marks, double dt, int reach,
                  FaceField<double>& result);

}  // namespace freshet
