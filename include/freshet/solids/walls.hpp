// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/solids/solids.hpp"

#include <vector>

namespace freshet {

/// Set the velocity of owned faces between a solid cell and another cell to what the solid allows.
///
/// u_f = u_s,f; where liquid may leave the wall, u_f . n = max(u_f . n, u_s . n), n pointing out of the solid.
/// Faces with two solid cells do not change: extrapolation fills them for free slip, and mirror_no_slip() for no slip.
/// Parallel: local; OpenMP.  Source: Bridson 2008, section 4.3
void enforce_walls(const SolidFields& solids, FaceField<double>& velocity);

/// Mirror the velocity inside no-slip solids, so that the tangential velocity vanishes at the surface: u -> 2 u_s - u
/// at faces with two solid cells. Call it after extrapolation.
void mirror_no_slip(const SolidFields& solids, FaceField<double>& velocity);

/// Set u = u_s on the owned faces of walls that liquid may not leave. Parallel: local; OpenMP
void hold_sticky_walls(const SolidFields& solids, FaceField<double>& velocity);

/// Gives the closed faces inside bodies of open fractions the velocity that their surface allows; keeps its buffers.
///
/// The velocity there, extrapolated from the liquid, loses its normal component relative to the body:
/// u -= ((u - u_s) . n) n. At a no-slip body it becomes the body's velocity. Liquid then slides along a slope as along
/// a smooth plane, although the grid resolves the slope by stairs. Where liquid leaves the body, only a normal
/// component into the body is removed.
class CoveredFaceConstraint {
 public:
  /// \param[in,out] velocity  owned faces, ghosts valid to width 1; ghosts are not refreshed afterwards [m/s]
  /// \param[in]     released  cells where liquid leaves a body, ghosts valid to width 1; null: none
  /// Parallel: local; OpenMP.  Source: Batty, Bertails & Bridson 2007, section 4; Bridson 2015, section 5.4
  void operator()(const SolidFields& solids, FaceField<double>& velocity, const CellField<std::uint8_t>* released);

 private:
  std::vector<std::vector<double>> values_;  ///< by owned block
};

}  // namespace freshet
