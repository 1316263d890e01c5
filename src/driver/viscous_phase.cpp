// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/viscous_phase.hpp"

#include "freshet/core/error.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"

#include <fmt/format.h>

namespace freshet {

ViscousPhase::ViscousPhase(const Communicator& comm, const Parameters& parameters, Timers& timers)
    : comm_(comm),
      timers_(timers),
      density_(parameters.fluid.density),
      options_(parameters.viscosity),
      viscous_step_(comm, parameters.viscosity),
      turbulence_(parameters.domain, parameters.turbulence, largest_viscosity(parameters), parameters.fluid.density) {}

double ViscousPhase::dt_over_density(const ProjectionTrial& trial) const {
  return trial.splitting.acting_time(trial.dt) / density_;
}

/// The liquid as input of a viscous step. Collective
ViscousLiquid ViscousPhase::liquid(const ProjectionTrial& trial, const ParticleStore& particles,
                                   const TagViscosities& of_tags, const ViscosityRange& viscosity) {
  FreeSurface& surface = trial.surface;
  if (!viscosity.is_one_value()) {
    const auto region = timers_.region("viscosity");
    find_viscosities_(particles, surface.labels().layout(), of_tags, viscosities_);
  }
  return {surface.labels(), trial.flow.solids, surface.place(), viscosity.largest,
          viscosity.is_one_value() ? nullptr : &viscosities_};
}

std::string ViscousPhase::operator()(const ProjectionTrial& trial, const ParticleStore& particles,
                                     const TagViscosities& of_tags, PressurePhase& pressure,
                                     VelocityExtension& extension, StepReport& report) {
  const ViscosityRange viscosity = viscosities_in_use(comm_, particles, of_tags);
  if (viscosity.largest > 0.0) {
    const ViscousLiquid liquid = this->liquid(trial, particles, of_tags, viscosity);
    const bool is_thin = ViscousStep::is_thin(liquid, dt_over_density(trial));
    if (!is_thin && pressure.moves_bodies())
      throw RunError(fmt::format(
          "the liquid is too viscous for bodies that it moves: a step of {:.3g} s needs a solve for the stress, which "
          "does not act on bodies yet. Lower fluid.viscosity or time.max_dt, or take larger cells (src/limits.md)",
          trial.dt));
    if (!is_thin) return project_around(trial, liquid, pressure, extension, report);
    const auto region = timers_.region("viscosity");  // explicit: the stress of u^n is a force
    viscous_step_.act_explicitly(liquid, dt_over_density(trial), trial.flow.velocity_old, trial.flow.velocity);
  }
  return pressure(trial, report.projection);
}

/// Solve for the velocity under the viscous stress alone. \return why the solve failed; empty if it did not
std::string ViscousPhase::diffuse(const ProjectionTrial& trial, const ViscousLiquid& liquid,
                                  const Projection& projection, ViscosityReport& report) {
  const auto region = timers_.region("viscosity");
  const ViscousPressure coupled{projection.coefficients().unknown, pressure_};
  const bool is_split = options_.coupling == ViscousCoupling::split;
  if (!is_split) pressure_.reset(trial.flow.velocity.layout(), 0.0);
  report = viscous_step_(liquid, dt_over_density(trial), trial.flow.velocity, is_split ? nullptr : &coupled);
  if (report.converged) return {};
  return fmt::format("the viscous solve left a residual of {:.2e} after {} iterations (viscosity.max_iterations = {})",
                     report.relative_residual, report.iterations, options_.max_iterations);
}

/// (2') and (3). The second projection solves for the whole p, which the conditions at walls and the surface tension
/// refer to. The pressure is p + q.
std::string ViscousPhase::project_around(const ProjectionTrial& trial, const ViscousLiquid& liquid,
                                         PressurePhase& pressure, VelocityExtension& extension, StepReport& report) {
  FlowFields& flow = trial.flow;
  projected_.reset(flow.velocity.layout(), 0.0);
  copy_owned(flow.velocity, projected_);
  std::string failure = pressure(trial, report.projection);
  if (!failure.empty()) return failure;
  const SolveReport first = report.projection.solve;
  extension(1, trial.dt, trial.surface, flow.solids, pressure.projection(), flow.velocity);
  for_each_face(flow.velocity, projected_, [](double u, double& change) { change = u - change; });
  failure = diffuse(trial, liquid, pressure.projection(), report.viscosity);
  if (!failure.empty()) return failure;
  for_each_face(projected_, flow.velocity, [](double change, double& u) { u -= change; });
  failure = pressure(trial, report.projection);
  if (report.viscosity.is_coupled) {
    pressure_.layout().halo().gather(pressure_, 1);
    scale_field(pressure_, 1.0 / pressure.to_scaled(trial));
    add_field(pressure_, flow.pressure);
  }
  report.projection.solve.iterations += first.iterations;
  report.projection.solve.setup_seconds += first.setup_seconds;
  report.projection.solve.solve_seconds += first.solve_seconds;
  return failure;
}

}  // namespace freshet
