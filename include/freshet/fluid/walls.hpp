// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/solids.hpp"
#include "freshet/grid/field.hpp"

#include <vector>

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

/// Gives the closed faces inside bodies of open fractions the velocity that their surface allows; keeps its buffers.
///
/// The velocity there, extrapolated from the liquid, loses its component normal to the surface relative to the body:
/// u -= ((u - u_s) . n) n; a no-slip body gives its own velocity. Liquid then slides along a slope as if it had no
/// stairs.
class CoveredFaces {
 public:
  /// \param[in,out] velocity  owned faces, ghosts valid to width 1; ghosts are not refreshed afterwards [m/s]
  /// Parallel: local; OpenMP.  Source: Batty, Bertails & Bridson 2007, section 4; Bridson 2015, section 5.4
  void operator()(const SolidFields& solids, FaceField<double>& velocity);

 private:
  std::vector<std::vector<double>> values_;  ///< by owned block
};

}  // namespace freshet
