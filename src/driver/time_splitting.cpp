// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/time_splitting.hpp"

#include "freshet/grid/regrid.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

double TimeSplitting::acting_time(double dt) const {
  const bool to_end = splitting_ == Splitting::first_order && numbers_.foreseen == 0.0;
  return (to_end ? dt : 0.5 * dt) - numbers_.velocity_lead + numbers_.foreseen;
}

double TimeSplitting::velocity_lead(Holder holder) const {
  if (holder == Holder::particles) return numbers_.velocity_lead;
  return numbers_.velocity_lead > 0.0 ? -numbers_.velocity_lead : numbers_.velocity_lead;
}

double TimeSplitting::pressure_lead() const {
  return numbers_.velocity_lead == 0.0 || is_prescribed_ ? 0.0 : -numbers_.dt;
}

void TimeSplitting::restore_lead() {
  if (numbers_.velocity_lead == RunNumbers::not_known)
    numbers_.velocity_lead = splitting_ == Splitting::first_order ? 0.0 : -0.5 * numbers_.dt;
}

TimeSplitting::PlaceInPair TimeSplitting::place() const {
  if (numbers_.step == 0 || is_prescribed_) return PlaceInPair::none;
  if (numbers_.foreseen > 0.0) return PlaceInPair::second;  // also after a restart with another splitting
  return splitting_ == Splitting::reflection ? PlaceInPair::first : PlaceInPair::none;
}

/// Time of the velocities after a step of dt, less the time of its end. [s]
double TimeSplitting::lead_after(double dt) const {
  if (is_prescribed_) return -0.5 * dt;
  if (place() == PlaceInPair::none && splitting_ == Splitting::first_order) return 0.0;
  return place() == PlaceInPair::first ? 0.5 * dt : -0.5 * dt;
}

void TimeSplitting::begin_step(const CellField<double>& pressure) {
  if (place() != PlaceInPair::second) return;
  first_pressure_.reset(pressure.layout(), 0.0);
  copy_owned_cells(pressure, first_pressure_);
}

double TimeSplitting::apply_forces(const BodyForces& forces, const LabelField& labels, double time, double dt,
                                   FlowFields& flow) {
  copy_owned(flow.velocity_old, flow.velocity);
  if (place() == PlaceInPair::second) return mend_foresight(forces, labels, time, dt, flow);
  ForceInput input = forces.input(time, flow.velocity_old, labels, flow.weight);
  if (place() == PlaceInPair::none && splitting_ != Splitting::first_order) {
    input.last_step = -2.0 * numbers_.velocity_lead;
    input.step = dt;
  } else {
    input.time += numbers_.velocity_lead;
  }
  const double energy = forces.act(input, acting_time(dt), flow.velocity);
  if (place() == PlaceInPair::first) {
    before_projection_.reset(flow.velocity.layout(), 0.0);
    copy_owned(flow.velocity, before_projection_);
  }
  return energy;
}

/// The first step of a pair predicted a second one of its own length. If this one has another dt [s], add the forces
/// over the interval between the middles of the two, or subtract them.
double TimeSplitting::mend_foresight(const BodyForces& forces, const LabelField& labels, double time, double dt,
                                     FlowFields& flow) {
  const double longer = dt - numbers_.foreseen;
  if (longer == 0.0) return 0.0;
  const ForceInput input =
      forces.input(time + 0.5 * std::min(dt, numbers_.foreseen), flow.velocity_old, labels, flow.weight);
  const double energy = forces.act(input, 0.5 * std::abs(longer), flow.velocity);
  if (longer > 0.0) return energy;
  for_each_face(flow.velocity_old, flow.velocity, [](double before, double& u) { u = 2.0 * before - u; });
  return -energy;
}

bool TimeSplitting::begin_pressure(CellField<double>& pressure) const {
  if (place() != PlaceInPair::second) return false;
  copy_owned_cells(first_pressure_, pressure);
  return true;
}

/// The predicted change is dt a plus the projection's change of this step, scaled from acting_time(dt) to dt.
double TimeSplitting::foresee(const BodyForces& forces, const LabelField& labels, double time, double dt,
                              FlowFields& flow) {
  forces.refresh(flow.velocity);
  foresight_.reset(flow.velocity.layout(), 0.0);
  copy_owned(flow.velocity, foresight_);
  const ForceInput input = forces.input(time + 0.5 * dt, flow.velocity, labels, flow.weight);
  const double energy = forces.act(input, dt, foresight_);
  for_each_face(flow.velocity, foresight_, [](double u, double& next) { next -= u; });
  for_each_face(flow.velocity, before_projection_, [](double u, double& before) { before = u - before; });
  for_each_face(before_projection_, foresight_,
                [factor = dt / acting_time(dt)](double projected, double& change) { change += factor * projected; });
  return energy;
}

void TimeSplitting::extend_foresight(int layers, VelocityExtension& extension, FreeSurface& surface,
                                     const SolidFields& solids) {
  if (foresees()) extension.extend_change(layers, surface, solids, foresight_);
}

void TimeSplitting::finish_foresight(VelocityExtension& extension, const Projection& projection,
                                     const FlowFields& flow) {
  if (!foresees()) return;
  for_each_face(flow.velocity, foresight_, [](double u, double& change) { change += u; });
  extension.into_solids(flow.solids, projection, foresight_);
}

void TimeSplitting::end_step(double dt) {
  const bool is_first = place() == PlaceInPair::first;
  numbers_.velocity_lead = lead_after(dt);
  numbers_.foreseen = is_first ? dt : 0.0;
}

}  // namespace freshet
