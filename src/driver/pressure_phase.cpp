// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/pressure_phase.hpp"

#include "freshet/core/error.hpp"
#include "freshet/solids/walls.hpp"

namespace freshet {

PressurePhase::PressurePhase(const Communicator& comm, const Parameters& parameters, Timers& timers, FreeBodies& bodies)
    : timers_(timers),
      bodies_(bodies),
      density_(parameters.fluid.density),
      warm_start_(parameters.pressure.warm_start),
      projection_(comm, parameters.pressure) {
  if (!bodies_.empty()) projection_.set_bodies(&bodies_);
}

double PressurePhase::to_scaled(const ProjectionTrial& trial) const {
  return trial.splitting.acting_time(trial.dt) / (density_ * trial.flow.velocity.layout().domain().dx());
}

std::string PressurePhase::operator()(const ProjectionTrial& trial, ProjectionReport& report) {
  const auto region = timers_.region("pressure");
  auto& [flow, surface, inflow, splitting, dt, air] = trial;
  const double scale = to_scaled(trial);
  const double dx = flow.velocity.layout().domain().dx();
  const bool has_acted = splitting.begin_pressure(flow.pressure);
  scale_field(flow.pressure, has_acted || warm_start_ ? scale : 0.0);
  if (!bodies_.empty()) {
    bodies_.predict(dt, splitting.acting_time(dt));
    flow.solids.set_free_velocity(dt);
  }
  std::string failure;
  try {
    report = projection_(surface.labels(), flow.solids, flow.velocity, flow.pressure, inflow, surface.distance(),
                         {surface.curvature(), surface.tension_strength(scale, dx)}, splitting.acted_part(dt),
                         air.prepare(dt, splitting.acting_time(dt)));
  } catch (const RunError& error) {  // every rank throws it
    failure = error.what();
  }
  scale_field(flow.pressure, 1.0 / scale);
  if (!bodies_.empty() && failure.empty()) {
    flow.solids.set_free_velocity(dt);
    hold_sticky_walls(flow.solids, flow.velocity);
  }
  return failure;
}

}  // namespace freshet
