// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/viscous_phase.hpp"

#include "freshet/grid/halo.hpp"
#include "freshet/grid/regrid.hpp"

#include <fmt/format.h>

#include <utility>

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
  pressure.bodies().set_stress({});
  if (viscosity.largest > 0.0) {
    const ViscousLiquid liquid = this->liquid(trial, particles, of_tags, viscosity);
    const bool is_thin = ViscousStep::is_thin(liquid, dt_over_density(trial));
    if (!is_thin) return project_around(trial, liquid, pressure, extension, report);
    const auto region = timers_.region("viscosity");  // explicit: the stress of u^n is a force
    std::optional<MovedBodies> moved = bodies_at_start(trial, pressure.bodies());
    viscous_step_.act_explicitly(liquid, dt_over_density(trial), trial.flow.velocity_old, trial.flow.velocity,
                                 moved ? &*moved : nullptr);
    if (moved) moved->bodies.set_stress(moved->impulses);
  }
  return pressure(trial, report.projection);
}

/// The bodies at the start of a trial, with the response that they have in it. Collective
std::optional<MovedBodies> ViscousPhase::bodies_at_start(const ProjectionTrial& trial, FreeBodies& bodies) {
  if (bodies.empty()) return std::nullopt;
  bodies.predict(trial.dt, trial.splitting.acting_time(trial.dt));
  Dense response = bodies.response();
  bodies.give_up();
  return MovedBodies{bodies, std::move(response)};
}

/// Solve for the velocity under the viscous stress alone. \return why the solve failed; empty if it did not
std::string ViscousPhase::diffuse(const ProjectionTrial& trial, const ViscousLiquid& liquid,
                                  const Projection& projection, FreeBodies& bodies, ViscosityReport& report) {
  const auto region = timers_.region("viscosity");
  const ViscousPressure coupled{projection.coefficients().unknown, pressure_};
  const bool is_split = options_.coupling == ViscousCoupling::split;
  if (!is_split) pressure_.reset(trial.flow.velocity.layout(), 0.0);
  std::optional<MovedBodies> moved;
  if (!bodies.empty()) moved.emplace(MovedBodies{bodies, bodies.response()});
  report = viscous_step_(liquid, dt_over_density(trial), trial.flow.velocity, is_split ? nullptr : &coupled,
                         moved ? &*moved : nullptr);
  if (moved) bodies.set_stress(moved->impulses);
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
  failure = diffuse(trial, liquid, pressure.projection(), pressure.bodies(), report.viscosity);
  if (!failure.empty()) return failure;
  for_each_face(projected_, flow.velocity, [](double change, double& u) { u -= change; });
  failure = pressure(trial, report.projection);
  if (report.viscosity.is_coupled) {
    pressure_.layout().halo().gather(pressure_, 1);
    scale_field(pressure_, 1.0 / pressure.to_scaled(trial));
    add_field(pressure_, flow.pressure);
  }
  report.projection.solve.add_earlier(first);
  return failure;
}

}  // namespace freshet
