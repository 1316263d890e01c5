// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/driver/pressure_phase.hpp"
#include "freshet/driver/step_report.hpp"
#include "freshet/driver/velocity_extension.hpp"
#include "freshet/turbulence/turbulence.hpp"
#include "freshet/viscosity/cell_viscosity.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <optional>
#include <span>
#include <string>

namespace freshet {

/// The stresses of a step, viscous and turbulent, and the projections around them: (2') and (3) of
/// Simulation::advance(), and the forces of turbulent layers.
class ViscousPhase {
 public:
  ViscousPhase(const Communicator& comm, const Parameters& parameters, Timers& timers);

  /// Let the stress act on flow.velocity and project it; liquid without viscosity is only projected.
  ///
  /// \param[in] particles  sorted state of the flow's layout \param[in] of_tags  viscosities by particle tag
  /// \param[in,out] report  viscosity, projection \return why it failed; empty if it did not. Parallel: collective
  std::string operator()(const ProjectionTrial& trial, const ParticleStore& particles, const TagViscosities& of_tags,
                         PressurePhase& pressure, VelocityExtension& extension, StepReport& report);

  /// Eddy viscosity and the stress of walls by the law of the wall, which act as forces of u^n.
  Turbulence& turbulence() { return turbulence_; }
  const Turbulence& turbulence() const { return turbulence_; }
  void keep_forces() {
    viscous_step_.keep_forces();
    turbulence_.keep_forces();
  }
  /// Viscous forces, and those of turbulent layers, on faces that solids hold, in the last step.
  std::span<const HeldForce> forces() { return turbulence_.forces(viscous_step_.forces()); }
  /// The pressure q of (2'), valid if the report says is_coupled; ghosts valid to width 1. [Pa]
  const CellField<double>& pressure() const { return pressure_; }

 private:
  ViscousLiquid liquid(const ProjectionTrial& trial, const ParticleStore& particles, const TagViscosities& of_tags,
                       const ViscosityRange& viscosity);
  double dt_over_density(const ProjectionTrial& trial) const;
  std::string diffuse(const ProjectionTrial& trial, const ViscousLiquid& liquid, const Projection& projection,
                      FreeBodies& bodies, ViscosityReport& report);
  static std::optional<MovedBodies> bodies_at_start(const ProjectionTrial& trial, FreeBodies& bodies);
  std::string project_around(const ProjectionTrial& trial, const ViscousLiquid& liquid, PressurePhase& pressure,
                             VelocityExtension& extension, StepReport& report);

  const Communicator& comm_;
  Timers& timers_;
  double density_;  ///< [kg/m^3]
  ViscosityOptions options_;
  CellViscosity find_viscosities_;
  CellViscosities viscosities_;  ///< filled if the liquids' viscosities differ
  FaceField<double> projected_;  ///< change of velocity by the first projection [m/s]
  CellField<double> pressure_;   ///< q~ [m/s], then q [Pa]
  ViscousStep viscous_step_;
  Turbulence turbulence_;
};

}  // namespace freshet
