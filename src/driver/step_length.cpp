// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_length.hpp"

#include "freshet/fluid/prescribed.hpp"
#include "freshet/solids/seen_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freshet {

StepLength::Pace StepLength::pace(double max_speed) const {
  const double time = given_.numbers.time;
  Pace pace{std::max(max_speed, given_.scene.sources().largest_speed(time)), 0.0};
  pace.acceleration =
      std::max(given_.forces.largest_acceleration(time, pace.speed), given_.bodies.largest_acceleration());
  pace.speed *= given_.transfer.largest_gain();
  return pace;
}

double StepLength::expected_displacement(double max_speed, double dt) const {
  const auto [speed, acceleration] = pace(max_speed);
  return std::min(given_.parameters.time.cfl, (speed + acceleration * dt) * dt / given_.domain.dx());
}

double StepLength::displacement_limit(double held) const {
  return std::min(tolerated_overshoot * given_.parameters.time.cfl, held);
}

StepTrials StepLength::trials(double dt, double max_speed, double held) const {
  const auto& time = given_.parameters.time;
  return StepTrials({time.cfl, displacement_limit(held), time.runaway_cfl, time.min_dt, time.max_retries}, dt,
                    max_speed / given_.domain.dx());
}

double StepLength::capillary_limit() const {
  return given_.parameters.time.capillary * given_.surface.longest_step(given_.domain.dx());
}

double StepLength::largest_dt(double max_speed) const {
  const auto& time = given_.parameters.time;
  const double longest = std::min(time.max_dt > 0.0 ? time.max_dt : given_.parameters.run.end_time, capillary_limit());
  Pace pace = this->pace(max_speed);
  pace.acceleration = std::max(pace.acceleration, acceleration_of_start());
  const double foreseen = given_.splitting.foreseen_step();
  if (foreseen == 0.0) return seen_step(longest_step(time.cfl, longest, pace), pace);
  pace.acceleration = given_.bodies.largest_acceleration();  // the predicted velocity includes the liquid's forces
  return seen_step(longest_step(time.cfl, std::min(longest, foreseen), pace), pace);
}

/// Acceleration of the next step by the pressure of the start that the velocity does not contain yet [m/s^2].
/// Velocities that lag behind the first step know a part of its gain only: the second step gains as much for each
/// second, and the rest of the first.
double StepLength::acceleration_of_start() const {
  const RunNumbers& numbers = given_.numbers;
  if (numbers.step == 0) return numbers.start_acceleration;
  if (numbers.step > 1 || numbers.velocity_lead >= 0.0) return 0.0;
  return numbers.start_acceleration * numbers.dt / (numbers.dt + numbers.velocity_lead);
}

double StepLength::crossing_time(double max_speed) const {
  return longest_step(1.0, given_.parameters.run.end_time, pace(max_speed));
}

/// Longest step up to dt that resolves the motions of bodies, tank and sources. [s]
double StepLength::seen_step(double dt, const Pace& pace) const {
  if (is_prescribed()) return dt;
  const auto& [parameters, domain, scene, forces, transfer, splitting, surface, solids, bodies, numbers] = given_;
  const double time = numbers.time;
  const double length = parameters.time.cfl * domain.dx();
  dt = freshet::seen_step(scene.bodies(), domain, time, dt, length);
  dt = scene.sources().seen_step(time, dt, length);
  if (!scene.frame()) return dt;
  dt = freshet::seen_step(*scene.frame(), domain, time, dt, length);
  return longest_fitting(0.0, dt, [&, &all = forces](double h) {
    constexpr double rounding = 1.0 + 1e-9;
    const double acceleration = all.largest_acceleration_in(time, h, pace.speed);
    return (pace.speed + acceleration * h) * h <= rounding * length;
  });
}

/// Time in which the fastest of liquid and bodies moves by `cells`, at most max_dt. [s]
double StepLength::longest_step(double cells, double max_dt, const Pace& pace) const {
  const Domain& domain = given_.domain;
  const std::vector<SolidBody>& bodies = given_.scene.bodies();
  const double time = given_.numbers.time;
  const double distance = cells * domain.dx();
  if (is_prescribed()) return std::min(max_dt, distance / prescribed_speed(given_.parameters.motion.field));
  const auto [of_liquid, a] = pace;
  const auto limit = [&, a = a](double u) {
    const double speed = u + std::sqrt(u * u + 4.0 * a * distance);  // from (u + a dt) dt = distance
    return speed > 0.0 ? std::min(max_dt, 2.0 * distance / speed) : max_dt;
  };
  const double dt = limit(of_liquid);
  if (!given_.solids.any_moving()) return dt;
  const auto fits = [&, a = a](double h) {
    constexpr double rounding = 1.0 + 1e-9;
    return largest_way(bodies, domain, time, h) + a * h * h <= rounding * distance;
  };
  if (fits(dt)) return dt;
  // first guess: the body keeps its mean speed
  const double shorter = limit(largest_way(bodies, domain, time, dt) / dt);
  return longest_fitting(shorter < dt && fits(shorter) ? shorter : 0.0, dt, fits);
}

}  // namespace freshet
