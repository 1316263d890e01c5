// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/viscosity/viscous_step.hpp"

#include <vector>

namespace freshet::viscous {

/// What a viscous step has made of the velocities, with what the forces need of it.
struct ViscousChange {
  const FaceField<double>& before;        ///< u*, owned [m/s]
  const FaceField<double>& after;         ///< u', with what solids hold; ghosts valid to width 1 [m/s]
  const CellField<double>* pressure;      ///< of a coupled step, as in ViscousPressure; ghosts valid to width 1
  const FaceField<float>& open_fraction;  ///< owned
  double dt_over_density;                 ///< [s m^3/kg]
};

/// Find the forces on all faces that solids hold, in no particular order.
///
/// In (2) of ViscousStep every term is a square of differences of velocities. What a term gives to all faces, with an
/// unknown or held, thus adds up to 0, and the liquid loses what the held ones get: one force for each cell or edge
/// beside a face. A body of open fractions holds faces that are open in part, too. There it also takes the momentum of
/// the liquid in the box around the face, rho dx^3 W (u* - u_s) / dt, and has the pressures q of both cells on the open
/// part, which move nothing.
/// \param[in] liquid  as in the step. \param[out] forces  those of this rank's cells and edges; what it held is dropped
/// Parallel: local; OpenMP
void find_held_forces(const ViscousLiquid& liquid, const ViscousChange& change, std::vector<HeldForce>& forces);

}  // namespace freshet::viscous
