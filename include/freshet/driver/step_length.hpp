// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/free_bodies.hpp"
#include "freshet/config/parameters.hpp"
#include "freshet/driver/body_forces.hpp"
#include "freshet/driver/particle_transfer.hpp"
#include "freshet/driver/run_numbers.hpp"
#include "freshet/driver/scene.hpp"
#include "freshet/driver/step_trials.hpp"
#include "freshet/driver/time_splitting.hpp"
#include "freshet/free_surface/free_surface.hpp"

namespace freshet {

/// What bounds dt: all of it must outlive the StepLength.
struct StepInfluences {
  const Parameters& parameters;
  const Domain& domain;
  const Scene& scene;
  const BodyForces& forces;
  const ParticleTransfer& transfer;
  const TimeSplitting& splitting;
  const FreeSurface& surface;
  const SolidFields& solids;
  const FreeBodies& bodies;
  const RunNumbers& numbers;
};

/// Says how long a step may be. All functions are local and return the same on all ranks.
///
/// \param[in] max_speed  largest speed of a particle as the step begins [m/s]
class StepLength {
 public:
  explicit StepLength(const StepInfluences& given) : given_(given) {}

  /// Same as Simulation::largest_dt(). [s]
  double largest_dt(double max_speed) const;
  /// The part of largest_dt() that surface tension allows [s]; infinite without it.
  double capillary_limit() const;
  /// Displacement in dt that the liquid's speed and the forces bound, at most time.cfl: the projection seldom speeds
  /// the liquid up beyond the speed that dt was chosen for. [cells]
  double expected_displacement(double max_speed, double dt) const;
  /// Largest displacement for which a trial of a step is accepted at once. \param[in] held  bound of it [cells]
  double displacement_limit(double held) const;
  /// Trials of a step, see StepTrials. \param[in] held  as above
  StepTrials trials(double dt, double max_speed, double held) const;
  /// Time in which the fastest of liquid and bodies crosses a cell, at most the length of the run. [s]
  double crossing_time(double max_speed) const;
  /// Largest speed of the liquid as a step begins, including the liquid of sources. [m/s]
  double initial_speed(double max_speed) const { return pace(max_speed).speed; }

 private:
  struct Pace {
    double speed = 0.0;         ///< largest speed of the liquid as the step begins [m/s]
    double acceleration = 0.0;  ///< largest acceleration by forces [m/s^2]
  };
  Pace pace(double max_speed) const;
  bool is_prescribed() const { return given_.parameters.motion.is_prescribed(); }
  double seen_step(double dt, const Pace& pace) const;
  double longest_step(double cells, double max_dt, const Pace& pace) const;
  double acceleration_of_start() const;

  StepInfluences given_;
};

}  // namespace freshet
