// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/domain_options.hpp"
#include "freshet/parallel/reduction.hpp"
#include "freshet/turbulence/eddy_viscosity.hpp"
#include "freshet/turbulence/wall_law.hpp"

#include <span>
#include <vector>

namespace freshet {

/// What the grid does not resolve of a turbulent flow: the stress of its eddies and that of its layers at walls.
///
/// Both are forces of u^n in (2) of Simulation::advance(). Neither needs a solve.
class Turbulence {
 public:
  /// \param[in] viscosity  of the liquid [Pa s] \param[in] density  [kg/m^3]
  Turbulence(const DomainOptions& domain, const TurbulenceOptions& options, double viscosity, double density);

  /// Add the stresses' changes within dt to the velocity. Without a model and a wall law nothing happens.
  /// \param[in] before  u^n, its ghosts and those of the labels are refreshed to width 1 [m/s]
  /// \param[in] solids  with their velocities during the step \param[in] dt  [s]
  /// \param[in,out] velocity  owned [m/s]
  /// Parallel: collective if a model or a wall law is on; OpenMP; the same bits on any number of ranks and threads
  void operator()(FaceField<double>& before, LabelField& labels, const SolidFields& solids, double dt,
                  FaceField<double>& velocity);

  /// Let the friction of the last step know that bodies which the liquid moves give way to it: see WallLaw::give_way().
  void give_way(std::span<const Twist> changes, double dt, FaceField<double>& velocity) {
    wall_law_.give_way(changes, dt, velocity, lost_);
  }
  /// Find the fields below for a velocity, such as that of a snapshot; ghosts of both are refreshed to width 1.
  /// Parallel: as operator()
  void measure(FaceField<double>& velocity, LabelField& labels, const SolidFields& solids, double dt);

  /// Give this rank's part of the energy lost to a reduction. Local
  void add_to(Reduction& reduction);
  /// Kinetic energy that both stresses took in the last step. [J] \pre the numbers of add_to() have been reduced
  double energy_lost() const { return density_ * dx_ * dx_ * dx_ * total_.round(); }

  /// Let forces() hold the wall law's.
  void keep_forces() { wall_law_.keep_forces(); }
  /// Other forces, followed by the forces of the wall law in the last step. Valid until the next call
  std::span<const HeldForce> forces(std::span<const HeldForce> others);

  /// Fields of the last step or of measure(), owned cells; null before both, and without a model or a wall law.
  const CellField<float>* eddy_viscosity() const { return has_eddies_ ? &eddies_.viscosity() : nullptr; }  ///< [m^2/s]
  const CellField<float>* y_plus() const { return has_walls_ ? &wall_law_.y_plus() : nullptr; }
  const CellField<float>* wall_stress() const { return has_walls_ ? &wall_law_.stress() : nullptr; }  ///< [Pa]
  const CellField<float>* wall_part() const { return has_walls_ ? &wall_law_.part() : nullptr; }  ///< WallLaw::part()

 private:
  void act(FaceField<double>& before, LabelField& labels, const SolidFields& solids, double dt,
           FaceField<double>* velocity);

  double dx_;         ///< [m]
  double density_;    ///< [kg/m^3]
  double viscosity_;  ///< kinematic [m^2/s]
  EddyViscosity eddies_;
  WallFaces walls_;
  WallLaw wall_law_;
  ExactSum lost_;   ///< energy of this rank over density times dx^3 [m^2/s^2]
  ExactSum total_;  ///< energy of all ranks, after the reduction
  std::vector<HeldForce> forces_;
  bool has_eddies_ = false, has_walls_ = false;
};

}  // namespace freshet
