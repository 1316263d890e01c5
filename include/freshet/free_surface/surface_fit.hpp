// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// Find the displacement that brings the particles' surface to that of the shapes in which they were seeded.
///
/// Particles seeded at random have a rough surface. A pressure of second order resolves the roughness, so that water at
/// rest would begin with waves. Between the centres c of liquid and n of air, one cell apart along axis d, the
/// particles' surface lies at theta = phi_c / (phi_c - phi_n), where the pressure is 0. With the shapes' surface at
/// theta* on the same line and the normal n,
///   d_f = (theta* - theta) n_d^2,  counted from c,                                                                 (1)
/// which a shift along the normal gives. The next faces on either side along the axis get the same displacement.
/// Corners, films, and faces within a cell of a body, where differences are not random only, get none.
///
/// \param[in]  phi           level set of SurfaceDistance, ghosts valid to width 2
/// \param[in]  labels        ghosts valid to width 2
/// \param[in]  solids        solids at the time of the particles
/// \param[in]  liquids       shapes whose union the liquid fills
/// \param[in]  gain          factor of (1)
/// \param[out] displacement  [cells]; 0 away from the surface and on faces of solids; owned, ghosts valid to width 1
/// Parallel: collective (two gathers); OpenMP; the same bits for any number of ranks and threads
void find_surface_fit(const CellField<float>& phi, const LabelField& labels, const SolidFields& solids,
                      const std::vector<std::shared_ptr<const Shape>>& liquids, double gain,
                      FaceField<double>& displacement);

}  // namespace freshet
