// SPDX-License-Identifier: Apache-2.0
// How long a step may be.
#include "freshet/driver/simulation.hpp"
#include "freshet/fluid/prescribed.hpp"
#include "freshet/fluid/seen_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

/// Largest speed of the liquid that the step begins with [m/s], and acceleration by forces [m/s^2].
Simulation::Pace Simulation::pace() const {
  Pace pace{std::max(report_.sums.max_speed, scene_.sources().largest_speed(time())), 0.0};
  for (const auto& force : forces_) pace.acceleration += force->largest_acceleration(time(), pace.speed);
  if (vortex_boost_.is_on()) pace.speed *= vortex_boost_.largest_gain();
  return pace;
}

/// Farthest way of a particle in dt without pressure [cells]
double Simulation::expected_displacement(double dt) const {
  const auto [speed, acceleration] = pace();
  return (speed + acceleration * dt) * dt / domain_.dx();
}

double Simulation::capillary_limit() const {
  if (!has_tension()) return std::numeric_limits<double>::infinity();
  const double share = parameters_.time.splitting == Splitting::reflection ? 0.5 : 1.0;  // tension acts for a pair
  return share * parameters_.time.capillary *
         capillary_step(parameters_.fluid.density, domain_.dx(), parameters_.fluid.surface_tension);
}

double Simulation::largest_dt() const {
  const auto& time = parameters_.time;
  const double longest = std::min(time.max_dt > 0.0 ? time.max_dt : parameters_.run.end_time, capillary_limit());
  Pace pace = this->pace();
  if (numbers_.step == 0) pace.acceleration = std::max(pace.acceleration, numbers_.start_acceleration);
  if (numbers_.foreseen == 0.0) return seen_step(longest_step(time.cfl, longest, pace), pace);
  pace.acceleration = 0.0;  // particles have the velocity of the middle of a step as long as was foreseen
  return seen_step(longest_step(time.cfl, std::min(longest, numbers_.foreseen), pace), pace);
}

/// The longest step, up to dt, that sees what bodies, the tank and sources do within it. [s]
double Simulation::seen_step(double dt, const Pace& pace) const {
  if (is_prescribed()) return dt;
  const double length = parameters_.time.cfl * domain_.dx();
  dt = freshet::seen_step(scene_.bodies(), domain_, time(), dt, length);
  dt = scene_.sources().seen_step(time(), dt, length);
  if (!scene_.frame()) return dt;
  dt = freshet::seen_step(*scene_.frame(), domain_, time(), dt, length);
  return longest_fitting(0.0, dt, [&](double h) {
    constexpr double rounding = 1.0 + 1e-9;
    double acceleration = 0.0;
    for (const auto& force : forces_) acceleration += force->largest_acceleration_in(time(), h, pace.speed);
    return (pace.speed + acceleration * h) * h <= rounding * length;
  });
}

/// Time in which the fastest of liquid and bodies moves so many cells, and no longer than max_dt. [s]
double Simulation::longest_step(double cells, double max_dt, const Pace& pace) const {
  const double distance = cells * domain_.dx();
  if (is_prescribed()) return std::min(max_dt, distance / prescribed_speed(parameters_.motion.field));
  const auto [of_liquid, a] = pace;
  const auto limit = [&, a = a](double u) {
    const double speed = u + std::sqrt(u * u + 4.0 * a * distance);  // (u + a dt) dt = distance, free of cancellation
    return speed > 0.0 ? std::min(max_dt, 2.0 * distance / speed) : max_dt;
  };
  const double dt = limit(of_liquid);
  if (!flow_.solids.any_moving()) return dt;
  const auto fits = [&, a = a](double h) {
    constexpr double rounding = 1.0 + 1e-9;
    return largest_way(scene_.bodies(), domain_, time(), h) + a * h * h <= rounding * distance;
  };
  if (fits(dt)) return dt;
  // what fits a body that keeps its mean speed
  const double shorter = limit(largest_way(scene_.bodies(), domain_, time(), dt) / dt);
  return longest_fitting(shorter < dt && fits(shorter) ? shorter : 0.0, dt, fits);
}

}  // namespace freshet
