// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "viscosity/body_stress.hpp"
#include "viscosity/strain_operator.hpp"
#include "viscosity/stress_weights.hpp"

#include <vector>

namespace freshet::viscous {

/// Implements ViscousStep::act_explicitly(). Blocks with one viscosity and neither bodies of open fractions nor thin
/// walls nearby use add_thin_stress(), which stores no weights; others use StressWeights and StrainOperator.
class ThinStep {
 public:
  /// \param[out] forces  forces on solids and walls; null: none are found
  /// \param[in,out] moved  bodies that the liquid moves; null: none
  /// Parallel: collective; OpenMP
  void operator()(const ViscousLiquid& liquid, double dt_over_density, FaceField<double>& before,
                  FaceField<double>& velocity, std::vector<HeldForce>* forces, MovedBodies* moved);

 private:
  void find_weights(const ViscousLiquid& liquid, double scale, const FaceField<double>& before);
  void set_faces(const ViscousLiquid& liquid, const FaceField<double>& before);
  void add_stress(const FaceField<double>& before, FaceField<double>& velocity) const;

  StressWeights weights_;
  StrainOperator strain_;
  BodyStress bodies_;
  FaceField<double> u_;  ///< u^n with held faces; ghosts valid to width 1 [m/s]
};

}  // namespace freshet::viscous
