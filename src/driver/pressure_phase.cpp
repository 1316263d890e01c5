// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/pressure_phase.hpp"

#include "freshet/core/error.hpp"
#include "freshet/driver/step_trials.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/solids/walls.hpp"

#include <span>
#include <utility>

namespace freshet {
namespace {

constexpr int most_rounds = 4;  ///< projections after the first one in which bodies touch

}  // namespace

PressurePhase::PressurePhase(const Communicator& comm, const Parameters& parameters, Timers& timers, FreeBodies& bodies,
                             std::vector<ContactSurface> surfaces)
    : timers_(timers),
      bodies_(bodies),
      search_(Domain(parameters.domain), std::move(surfaces)),
      density_(parameters.fluid.density),
      warm_start_(parameters.pressure.warm_start),
      farthest_(tolerated_overshoot * parameters.time.cfl),
      projection_(comm, parameters.pressure) {
  if (!bodies_.empty()) projection_.set_bodies(&bodies_);
}

double PressurePhase::to_scaled(const ProjectionTrial& trial) const {
  return trial.splitting.acting_time(trial.dt) / (density_ * trial.flow.velocity.layout().domain().dx());
}

/// Project the velocity once, with the pressure as p~. Collective
ProjectionReport PressurePhase::project(const ProjectionTrial& trial, Bubbles* bubbles) {
  const auto& [flow, surface, inflow, splitting, dt, crossing_time, air] = trial;
  const SurfaceTension tension{surface.curvature(),
                               surface.tension_strength(to_scaled(trial), flow.velocity.layout().domain().dx())};
  return projection_(surface.labels(), flow.solids, flow.velocity, flow.pressure, inflow, surface.place(), tension,
                     bubbles);
}

/// Let bodies that touch push each other, and project again from u* where that moves liquid. Collective
void PressurePhase::touch(const ProjectionTrial& trial, Bubbles* bubbles, ProjectionReport& report) {
  for (int round = 0;; ++round) {
    const auto may_follow =
        round < most_rounds ? ContactImpulses::Round::more_may_follow : ContactImpulses::Round::last;
    if (!impulses_.act(bodies_, may_follow)) break;
    copy_owned(unprojected_, trial.flow.velocity);
    bodies_.take_back_pressure();
    if (bubbles != nullptr) bubbles = trial.air.prepare(trial.dt, trial.splitting.acting_time(trial.dt));
    trial.flow.solids.set_free_velocity(trial.dt);
    projection_.keep_rows();
    const SolveReport before = report.solve;
    report = project(trial, bubbles);
    report.solve.add_earlier(before);
  }
  contacts_ = impulses_.pushing();
}

std::string PressurePhase::operator()(const ProjectionTrial& trial, ProjectionReport& report) {
  const auto region = timers_.region("pressure");
  auto& [flow, surface, inflow, splitting, dt, crossing_time, air] = trial;
  const double scale = to_scaled(trial);
  const double dx = flow.velocity.layout().domain().dx();
  scale_field(flow.pressure, warm_start_ ? scale : 0.0);
  contacts_ = 0;
  if (!bodies_.empty()) {
    bodies_.set_foreseen(splitting.foreseen_pressure(), splitting.foreseen_step());
    bodies_.predict(dt, splitting.acting_time(dt));
    flow.solids.set_free_velocity(dt);
    const std::span<const Contact> contacts = search_.find(bodies_, flow.solids, dt, farthest_ * dx);
    impulses_.begin(contacts, bodies_, dx, {dt, splitting.acting_time(dt), splitting.velocity_lag(dt), crossing_time});
  }
  if (!impulses_.empty()) {
    unprojected_.reset(flow.velocity.layout(), 0.0);
    copy_owned(flow.velocity, unprojected_);
  }
  Bubbles* const bubbles = air.prepare(dt, splitting.acting_time(dt));
  std::string failure;
  try {
    report = project(trial, bubbles);
    if (!impulses_.empty()) touch(trial, bubbles, report);
  } catch (const RunError& error) {  // every rank throws it
    failure = error.what();
  }
  scale_field(flow.pressure, 1.0 / scale);
  if (!bodies_.empty() && failure.empty()) {
    flow.solids.set_free_velocity(dt);
    projection_.follow_bodies(flow.solids, flow.velocity);
    hold_sticky_walls(flow.solids, flow.velocity);
  }
  return failure;
}

}  // namespace freshet
