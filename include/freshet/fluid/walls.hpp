// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"

namespace freshet {

/// Give faces between a solid cell and another cell the velocity that the solid allows. Owned faces.
///
/// u_f = u_s,f, and where liquid may leave the wall u_f . n = max(u_f . n, u_s . n), n out of the solid.
/// Faces deep in a solid (both cells solid) keep what they hold: extrapolation fills them for free slip, and where the
/// solid is no-slip they are mirrored so that the tangential velocity vanishes at the surface.
/// Parallel: local; OpenMP.  Source: Bridson 2008, section 4.3
void enforce_walls(const SolidFields& solids, FaceField<double>& velocity);

/// Mirror the tangential velocity inside no-slip solids: u -> 2 u_s - u at faces with two solid cells. After
/// extrapolation.
void mirror_no_slip(const SolidFields& solids, FaceField<double>& velocity);

/// u = u_s on the faces of walls that liquid may not leave. Owned faces. Parallel: local; OpenMP
void hold_sticky_walls(const SolidFields& solids, FaceField<double>& velocity);

}  // namespace freshet
