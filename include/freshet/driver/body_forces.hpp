// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

#include <memory>
#include <utility>

namespace freshet {

/// The body forces of a run, and the stresses along its surface, all terms together.
class BodyForces {
 public:
  /// \param[in] terms  the terms that report their energy come first \param[in] particle_mass  [kg]
  BodyForces(ForceTerms terms, int particles_per_cell, double particle_mass)
      : terms_(std::move(terms)), particles_per_cell_(particles_per_cell), particle_mass_(particle_mass) {}

  void add(std::unique_ptr<ForceTerm> term) { terms_.push_back(std::move(term)); }
  /// Whether a term is a stress along the surface.
  bool shears_surface() const;
  /// Whether the terms read the deposit's weights.
  bool reads_weights() const;
  /// Upper bound of the acceleration near `time` [s] of liquid that moves at most at `speed` [m/s]. [m/s^2]
  double largest_acceleration(double time, double speed) const;
  /// Upper bound of the mean acceleration over [time, time + dt] of liquid that moves at most at `speed`. [m/s^2]
  double largest_acceleration_in(double time, double dt, double speed) const;

  /// Refresh the ghosts of velocity, labels and weights that the terms read. Parallel: collective
  void refresh(FaceField<double>& velocity, LabelField& labels, FaceField<double>& weight) const;
  /// Refresh the ghosts of the velocity that the terms read. Parallel: collective
  void refresh(FaceField<double>& velocity) const;
  /// The flow and the time `from` [s] as the terms read them.
  ForceInput input(double from, const FaceField<double>& velocity, const LabelField& labels,
                   const FaceField<double>& weight) const;
  /// Add to a velocity what the terms change in a time `length`. [s]
  /// \param[in,out] velocity  owned faces; on entry equal to input.velocity [m/s]
  /// \return the kinetic energy that vorticity confinement adds, on all ranks [J]; else 0
  /// Parallel: collective with vorticity confinement, else local; OpenMP
  double act(const ForceInput& input, double length, FaceField<double>& velocity) const;

 private:
  ForceTerms terms_;
  int particles_per_cell_;
  double particle_mass_;  ///< [kg]
};

}  // namespace freshet
