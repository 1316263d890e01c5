// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/diagnostics/energy.hpp"
#include "freshet/pressure/density_correction.hpp"
#include "freshet/pressure/projection.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <cstdint>

namespace freshet {

/// Numbers of one step, the same on all ranks. A step starts from an empty report.
///
/// step_numbers() lists them for steps.csv, the log, run.json and checkpoints: a new one is a member here and a
/// row there.
struct StepReport {
  std::int64_t step = 0;
  double time = 0.0;           ///< at the end of the step [s]
  double dt = 0.0;             ///< [s]
  double velocity_time = 0.0;  ///< time of the particles' velocities and of the energies after the step [s]
  double cfl = 0.0;            ///< largest displacement along an axis by the velocity in dt [cells]
  int retries = 0;             ///< how often (2) and (3) of advance() were repeated with a smaller dt
  bool overlong = false;       ///< accepted although `cfl` exceeds the limit: no trial was better
  int move_substeps = 1;
  GlobalIndex particles = 0;     ///< number after the step
  GlobalIndex left_domain = 0;   ///< particles dropped beyond open faces
  GlobalIndex pushed_out = 0;    ///< particles moved out of solids or walls
  GlobalIndex repositioned = 0;  ///< particles put into the liquid, as no push brought them out of a solid
  GlobalIndex stuck = 0;         ///< particles still in solids, as there is no liquid to put them into
  GlobalIndex emitted = 0;       ///< particles that sources made
  GlobalIndex held_back = 0;     ///< particles that sources did not make, as solids cover their inlets
  GlobalIndex absorbed = 0;      ///< particles that sinks took
  GlobalIndex reseeded = 0;      ///< particles made where too few were
  GlobalIndex removed = 0;       ///< particles taken where too many were
  GlobalIndex band_seeded = 0;   ///< particles made where the narrow band has come to
  GlobalIndex band_removed = 0;  ///< particles taken where the narrow band has gone
  GlobalIndex spread = 0;        ///< particles moved by the distribution correction
  GlobalIndex moved_rank = 0;    ///< particles that changed their rank
  GlobalIndex liquid_cells = 0;  ///< number at the start of the step
  double volume_drift = 0.0;     ///< volume / expected volume - 1
  double boost_energy = 0.0;     ///< kinetic energy that the vortex boost gave to the grid [J]
  double turbulent_loss = 0.0;   ///< kinetic energy that eddy viscosity and wall law took from the grid [J]
  GlobalIndex contacts = 0;      ///< places where bodies that the liquid moves push each other, walls or solids
  ViscosityReport viscosity;
  ProjectionReport projection;
  double volume = 0.0;               ///< volume of the liquid at the start of the step, see liquid_volume() [m^3]
  GlobalIndex bubbles = 0;           ///< number of bubbles of trapped air
  double bubble_volume = 0.0;        ///< sum of their volumes after the step [m^3]
  double bubble_pressure = 0.0;      ///< largest deviation of a bubble's pressure from the atmosphere's [Pa]
  DensityReport density;             ///< errors before the last correction; iterations of this step
  ParticleSums sums;                 ///< momentum, energies and centre of mass after the step
  double imbalance = 1.0;            ///< largest cost of a rank / mean, for the blocks of the next step
  GlobalIndex blocks = 0;            ///< number that hold particles; the same on any number of ranks
  GlobalIndex allocated_blocks = 0;  ///< number that exist; each rank keeps a margin of its own
  GlobalIndex memory = 0;            ///< resident memory of all ranks [B]
  double seconds = 0.0;              ///< wall-clock time of the step [s]
};

}  // namespace freshet
