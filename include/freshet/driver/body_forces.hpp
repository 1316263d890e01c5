// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"

#include <memory>
#include <utility>

namespace freshet {

/// The body forces of a run, and the stresses along its surface, all terms together.
class BodyForces {
 public:
  /// \param[in] terms  those that report their energy come first \param[in] particle_mass  [kg]
  BodyForces(ForceTerms terms, int particles_per_cell, double particle_mass)
      : terms_(std::move(terms)), particles_per_cell_(particles_per_cell), particle_mass_(particle_mass) {}

  void add(std::unique_ptr<ForceTerm> term) { terms_.push_back(std::move(term)); }
  /// Whether a term is a stress along the surface.
  bool shears_surface() const;
  /// Whether the terms read the deposit's weights.
  bool reads_weights() const;
  /// Upper bound of the acceleration about a time where nothing is faster than `speed` [m/s]. [m/s^2]
  double largest_acceleration(double time, double speed) const;
  /// Upper bound of its mean over a step of dt from a time on. [m/s^2]
  double largest_acceleration_in(double time, double dt, double speed) const;

  /// Refresh the ghosts that the terms read, of a velocity, the labels and the weights. Parallel: collective
  void refresh(FaceField<double>& velocity, LabelField& labels, FaceField<double>& weight) const;
  /// Refresh those of a velocity alone. Parallel: collective
  void refresh(FaceField<double>& velocity) const;
  /// What the terms see that act from a time on. [s]
  ForceInput input(double from, const FaceField<double>& velocity, const LabelField& labels,
                   const FaceField<double>& weight) const;
  /// Add to a velocity what the terms do in a time. [s]
  /// \param[in,out] velocity  owned faces; before, it is input.velocity [m/s]
  /// \return the kinetic energy that vorticity confinement adds, on all ranks [J]; else 0
  /// Parallel: collective with vorticity confinement, else local; OpenMP
  double act(const ForceInput& input, double length, FaceField<double>& velocity) const;

 private:
  ForceTerms terms_;
  int particles_per_cell_;
  double particle_mass_;  ///< [kg]
};

}  // namespace freshet
