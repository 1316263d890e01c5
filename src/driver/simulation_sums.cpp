// SPDX-License-Identifier: Apache-2.0
// What a simulation counts and weighs.
#include "freshet/driver/simulation.hpp"

namespace freshet {

int Simulation::particles_per_cell() const {
  const int n = parameters_.particles.per_axis;
  return domain_.dimension() == 3 ? n * n * n : n * n;
}

double Simulation::particle_mass() const {
  return parameters_.fluid.density * domain_.cell_volume() / particles_per_cell();
}

double Simulation::volume_drift() const {
  const GlobalIndex came = numbers_.emitted - report_.emitted;  // before the step
  const GlobalIndex went = numbers_.absorbed - report_.absorbed + numbers_.left_domain - report_.left_domain;
  const double expected =
      static_cast<double>(numbers_.initial_liquid_cells) + static_cast<double>(came - went) / particles_per_cell();
  return expected > 0.0 ? static_cast<double>(report_.liquid_cells) / expected - 1.0 : 0.0;
}

void Simulation::count_edits() {
  numbers_.emitted += report_.emitted;
  numbers_.absorbed += report_.absorbed;
  numbers_.reseeded += report_.reseeded;
  numbers_.removed += report_.removed;
  numbers_.held_back += report_.held_back;
  numbers_.spread += report_.spread;
  numbers_.boost_energy += report_.boost_energy;
}

void Simulation::measure_particles() {
  const auto region = timers_.region("statistics");
  report_.sums = sum_particles(particles_, *layout_, particle_mass(), parameters_.fluid.gravity);
  report_.particles = report_.sums.count;
}

}  // namespace freshet
