// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/time_splitting.hpp"

#include "freshet/core/error.hpp"
#include "freshet/grid/regrid.hpp"

#include <algorithm>

namespace freshet {

double TimeSplitting::acting_time(double dt) const {
  const bool to_end = splitting_ == Splitting::first_order && numbers_.foreseen == 0.0;
  return (to_end ? dt : 0.5 * dt) - lead_at_start();
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

double TimeSplitting::apply_forces(const BodyForces& forces, const LabelField& labels, double time, double dt,
                                   FlowFields& flow) {
  copy_owned(flow.velocity_old, flow.velocity);
  if (place() == PlaceInPair::second)
    for_each_face(change_, flow.velocity, [](double change, double& u) { u -= change; });
  ForceInput input = forces.input(time, flow.velocity_old, labels, flow.weight);
  if (place() != PlaceInPair::first && (splitting_ != Splitting::first_order || numbers_.foreseen > 0.0)) {
    input.last_step = -2.0 * lead_at_start();
    input.step = dt;
  } else {
    input.time += numbers_.velocity_lead;
  }
  const double energy = forces.act(input, acting_time(dt), flow.velocity);
  if (place() == PlaceInPair::first) {
    predicted_.reset(flow.velocity.layout(), 0.0);
    copy_owned(flow.velocity, predicted_);
  }
  return energy;
}

/// The predicted change is dt a plus the projection's change of this step, scaled from acting_time(dt) to dt.
void TimeSplitting::foresee(const BodyForces& forces, const LabelField& labels, double time, double dt,
                            FlowFields& flow) {
  forces.refresh(flow.velocity);
  change_.reset(flow.velocity.layout(), 0.0);
  copy_owned(flow.velocity, change_);
  forces.act(forces.input(time + 0.5 * dt, flow.velocity, labels, flow.weight), dt, change_);
  for_each_face(flow.velocity, change_, [](double u, double& next) { next -= u; });
  for_each_face(flow.velocity, predicted_, [](double u, double& before) { before = u - before; });
  for_each_face(predicted_, change_,
                [factor = dt / acting_time(dt)](double projected, double& change) { change += factor * projected; });
}

void TimeSplitting::extend_foresight(int layers, VelocityExtension& extension, FreeSurface& surface,
                                     const SolidFields& solids) {
  if (foresees()) extension.extend_change(layers, surface, solids, change_);
}

void TimeSplitting::finish_foresight(VelocityExtension& extension, const Projection& projection,
                                     const FlowFields& flow) {
  if (!foresees()) return;
  copy_owned(flow.velocity, predicted_);
  for_each_face(change_, predicted_, [](double change, double& u) { u += change; });
  extension.into_solids(flow.solids, projection, predicted_);
  copy_owned(predicted_, change_);  // on walls and in solids the sum was not kept
  for_each_face(flow.velocity, change_, [](double u, double& change) { change -= u; });
}

void TimeSplitting::end_step(double dt) {
  const bool is_first = place() == PlaceInPair::first;
  numbers_.velocity_lead = lead_after(dt);
  numbers_.foreseen = is_first ? dt : 0.0;
}

void TimeSplitting::carry_to(const BlockLayout& next) {
  if ((numbers_.foreseen == 0.0 && !foresees()) || change_.dimension() == 0) return;  // or nothing is restored yet
  for (int d = 0; d < change_.dimension(); ++d) transfer_field(change_[d], buffer_, next, 0.0);
  if (pressure_.is_bound()) transfer_field(pressure_, buffer_, next, 0.0);
}

void TimeSplitting::keep_pressure(const CellField<double>& pressure) {
  pressure_.reset(pressure.layout(), 0.0);
  copy_owned(pressure, pressure_);
}

void TimeSplitting::restore_change(std::span<const std::vector<double>> change, const BlockLayout& layout) {
  if (numbers_.foreseen == 0.0) return;
  change_.reset(layout, 0.0);
  const auto n_faces = static_cast<std::size_t>(layout.n_owned()) * static_cast<std::size_t>(layout.cells_per_block());
  const auto fits = [&](const std::vector<double>& faces) { return faces.size() == n_faces; };
  if (change.size() != static_cast<std::size_t>(change_.dimension()) || !std::ranges::all_of(change, fits))
    throw FileError("the checkpoint does not fit together: it lacks the change of velocity that its step predicted.");
  for (int d = 0; d < change_.dimension(); ++d)
    std::ranges::copy(change[static_cast<std::size_t>(d)], change_[d].block(0));
}

}  // namespace freshet
