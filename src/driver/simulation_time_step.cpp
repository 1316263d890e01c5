// SPDX-License-Identifier: Apache-2.0
// How long a step may be.
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/fluid/vortex.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

double Simulation::largest_dt() const {
  const double max_dt = parameters_.time.max_dt > 0.0 ? parameters_.time.max_dt : parameters_.run.end_time;
  const double way = parameters_.time.cfl * domain_.dx();
  if (is_prescribed()) return std::min(max_dt, way / enright_speed);
  double a = 0.0;
  for (const auto& force : forces_) a += force->largest_acceleration(time_);
  double of_particles = std::max(report_.sums.max_speed, sources_.largest_speed(time_));
  if (boosts_by(VortexMethod::confinement)) a += confinement_bound(parameters_.vortex.boost, of_particles);
  if (boosts_by(VortexMethod::weights))
    of_particles *= 1.0 + vortex_weight_factor * vortex_weight_bound * parameters_.vortex.boost;
  const auto limit = [&](double u) {
    const double speed = u + std::sqrt(u * u + 4.0 * a * way);  // (u + a dt) dt = way, free of cancellation
    return speed > 0.0 ? std::min(max_dt, 2.0 * way / speed) : max_dt;
  };
  double dt = limit(of_particles);
  // A body may speed up within the step: as often as its mean speed in dt asks for less.
  for (int round = 0; solids_.any_moving() && round < 8; ++round) {
    const double of_bodies = limit(std::max(of_particles, solid_speed(dt)));
    if (of_bodies >= dt) break;
    dt = of_bodies;
  }
  return dt;
}

double Simulation::solid_speed(double dt) const {
  return largest_speed(bodies_, domain_, time_, dt);
}

}  // namespace freshet
