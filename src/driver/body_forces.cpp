// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/body_forces.hpp"

#include "freshet/diagnostics/energy.hpp"
#include "freshet/grid/halo.hpp"

#include <algorithm>

namespace freshet {

bool BodyForces::shears_surface() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term->shears_surface(); });
}

bool BodyForces::reads_weights() const {
  return std::ranges::any_of(terms_, [](const auto& term) { return term->shears_surface() || term->reports_energy(); });
}

double BodyForces::largest_acceleration(double time, double speed) const {
  double sum = 0.0;
  for (const auto& term : terms_) sum += term->largest_acceleration(time, speed);
  return sum;
}

double BodyForces::largest_acceleration_in(double time, double dt, double speed) const {
  double sum = 0.0;
  for (const auto& term : terms_) sum += term->largest_acceleration_in(time, dt, speed);
  return sum;
}

void BodyForces::refresh(FaceField<double>& velocity, LabelField& labels, FaceField<double>& weight) const {
  const Halo& halo = velocity.layout().halo();
  if (const int reach = reach_of(terms_); reach > 0) halo.gather_together(reach, velocity, labels);
  if (shears_surface()) halo.gather(weight, 1);
}

void BodyForces::refresh(FaceField<double>& velocity) const {
  if (const int reach = reach_of(terms_); reach > 0) velocity.layout().halo().gather(velocity, reach);
}

ForceInput BodyForces::input(double from, const FaceField<double>& velocity, const LabelField& labels,
                             const FaceField<double>& weight) const {
  return {.velocity = velocity,
          .labels = labels,
          .time = from,
          .weight = &weight,
          .particles_per_cell = static_cast<double>(particles_per_cell_)};
}

double BodyForces::act(const ForceInput& input, double length, FaceField<double>& velocity) const {
  double boost = 0.0;
  for (const auto& term : terms_) {
    term->apply(input, length, velocity);
    if (term->reports_energy())  // such a term comes first: before it, velocity equalled input.velocity
      boost = kinetic_energy_gain(input.velocity, velocity, *input.weight, particle_mass_);
  }
  return boost;
}

}  // namespace freshet
