// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/viscosity/viscous_step.hpp"

#include <vector>

namespace freshet::viscous {

/// Velocities before and after a viscous step, and the other input of its forces.
struct ViscousChange {
  const FaceField<double>& before;        ///< u*, owned [m/s]
  const FaceField<double>& after;         ///< u', with held faces; ghosts valid to width 1 [m/s]
  const CellField<double>* pressure;      ///< q~ of a coupled step, else null; ghosts valid to width 1 [m/s]
  const FaceField<float>& open_fraction;  ///< owned
  double dt_over_density;                 ///< [s m^3/kg]
};

/// Find the forces on all faces that solids hold, in no particular order.
///
/// Every term in (2) of ViscousStep is a square of velocity differences. The forces of a term on all faces, with an
/// unknown or held, thus add up to 0, and the liquid loses the forces on held faces: one for each cell or edge beside a
/// face. A body of open fractions also holds faces that are partly open. There it also takes the momentum of the liquid
/// in the box around the face, rho dx^3 W (u* - u_s) / dt, and the pressures q of both cells on the open part, which
/// move no liquid.
/// \param[in] liquid  as in the step. \param[out] forces  forces of this rank's cells and edges; overwritten
/// Parallel: local; OpenMP
void find_held_forces(const ViscousLiquid& liquid, const ViscousChange& change, std::vector<HeldForce>& forces);

}  // namespace freshet::viscous
