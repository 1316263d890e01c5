// SPDX-License-Identifier: Apache-2.0
// What can go wrong in a step, and what is done about it.
//
// The first half of a step, up to the extrapolated velocity, changes no particle. All that a smaller dt can mend shows
// there: a solver that does not converge, a velocity that is no number, or one that would throw particles far across
// the grid. So the velocity is judged before a particle is touched, and a step that is begun again needs no copy of
// them. Particles that are missed after they have moved end the run: no smaller dt would bring them back.
#include "freshet/core/error.hpp"
#include "freshet/diagnostics/extremes.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/grid/regrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

bool has_open_face(const Domain& domain) {
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (const int side : {0, 1})
      if (domain.condition(axis, side) == FaceCondition::open) return true;
  return false;
}

}  // namespace

Simulation::Failure Simulation::try_velocity(double dt) {
  solids_.set_velocity(dt);
  try {
    apply_forces(dt);  //                                     holds u*
    project(dt);       //                                     holds u^{n+1} in the liquid
  } catch (const RunError& error) {
    return {"pressure", error.what()};
  }
  extrapolate(dt);  //                                        holds u^{n+1} in the band too
  if (!std::isfinite(max_face_velocity_)) return {"pressure", "the velocity is not a number"};
  if (report_.cfl > parameters_.time.runaway_cfl)
    return {"pressure", fmt::format("the velocity would carry particles {:.3g} cells (time.runaway_cfl is {:g})",
                                    report_.cfl, parameters_.time.runaway_cfl)};
  return {};
}

double Simulation::find_velocity(double dt) {
  for (report_.retries = 0;; ++report_.retries) {
    report_.dt = dt;
    const Failure failure = try_velocity(dt);
    if (failure.reason.empty()) break;
    if (report_.retries >= parameters_.time.max_retries || 0.5 * dt < parameters_.time.min_dt ||
        !all_finite(particles_, *layout_))
      give_up(failure, dt);
    copy_owned(velocity_old_, velocity_);  //                 holds u^n again
    pressure_.fill(0.0);                   // what the failed solve left is no start
    dt *= 0.5;
  }
  if (report_.retries > 0) ++numbers_.retried_steps;
  return dt;
}

void Simulation::give_up(const Failure& failure, double dt) const {
  const std::string face = describe_fastest_face(velocity_);
  const std::string particle = describe_fastest_particle(particles_, *layout_);
  throw RunError(fmt::format(
      "step {}, phase {}: {}. Tried {} times, at last with dt = {:.3e} s. {} {} Lower time.cfl, or look at the state "
      "in failure/snapshots",
      step_, failure.phase, failure.reason, report_.retries + 1, dt, face, particle));
}

void Simulation::check_health(GlobalIndex particles_before) {
  if (lost_ > 0) {
    const ParticleId none = std::numeric_limits<ParticleId>::max();
    ParticleId first = none;
    for (const ParticleId id : lost_here_) first = std::min(first, id);
    const std::string who =
        first_message(comm_, first == none ? "" : fmt::format("id {} on rank {}", first, comm_.rank()));
    throw RunError(
        fmt::format("step {}, phase move: {} particles have no position any more, among them {}. Lower time.cfl", step_,
                    lost_, who));
  }
  if (!std::isfinite(report_.sums.kinetic_energy))
    throw RunError(fmt::format("step {}, phase blend: a particle's velocity is not a number. {} Lower time.cfl", step_,
                               describe_fastest_particle(particles_, *layout_)));
  if (report_.left_domain > 0 && !has_open_face(domain_))
    throw RunError(fmt::format("step {}, phase move: {} particles left a closed domain. {} Lower time.cfl", step_,
                               report_.left_domain, describe_fastest_particle(particles_, *layout_)));
  const GlobalIndex came = report_.emitted + report_.reseeded;
  const GlobalIndex went = report_.left_domain + report_.absorbed + report_.removed;
  if (report_.particles + went != particles_before + came)
    throw RunError(fmt::format(
        "step {}, phase migrate: {} particles became {}; {} went through open faces, {} into sinks, {} were removed, "
        "{} came from sources, {} were reseeded. This is a fault of freshet",
        step_, particles_before, report_.particles, report_.left_domain, report_.absorbed, report_.removed,
        report_.emitted, report_.reseeded));
}

}  // namespace freshet
