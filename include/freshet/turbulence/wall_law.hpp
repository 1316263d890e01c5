// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/turbulence/eddy_viscosity.hpp"
#include "freshet/turbulence/wall_faces.hpp"
#include "freshet/viscosity/viscous_step.hpp"

#include <span>
#include <vector>

namespace freshet {

/// The stress of walls by the law of the wall: -rho u_tau^2 t on liquid that slides along t relative to the wall.
///
/// u_tau follows from u^n at each WallFace and its distance from the wall (friction_velocity()), and so does the
/// stress: with the velocity v of u^n along the wall, relative to it, a face loses s(k dt) v. Here k = u_tau^2 w / (|v|
/// dx o) for the part w of a cell's area of wall and the open part o of the face, whose mass slows down; at a face of
/// several walls q is the sum of their k dt, and each has its part of s(q). s(q) is q up to 1/2, and 1 - 1 / (4 q)
/// beyond: the stress never reverses the velocity. In a uniform channel its steady balance with gravity has no error of
/// the size of dt.
///
/// What forces add to u^n in the same step does not count. Pressure takes most of it back, and all of a weight at rest:
/// a wall that dragged on g dt would leave an acceleration of k dt g, upwards.
class WallLaw {
 public:
  /// u -= s(k dt) v on owned faces in liquid.
  /// \param[in] viscosity  kinematic [m^2/s] \param[in] density  [kg/m^3]
  /// \param[in,out] velocity  owned [m/s]; null: stress() and y_plus() are found, and nothing changes
  /// \param[in,out] lost  as EddyViscosity::apply()
  /// Parallel: local; OpenMP
  void apply(const EddyInput& flow, const WallFaces& walls, double viscosity, double density,
             FaceField<double>* velocity, ExactSum& lost);
  /// Let liquid feel that bodies which it moves give way to the friction of the last step. Needs keep_forces().
  /// \param[in] changes  of the solids' velocities, by solid; empty: none \param[in] dt  that of apply() [s]
  /// \param[in,out] velocity, lost  as in apply(). Parallel: local
  void give_way(std::span<const Twist> changes, double dt, FaceField<double>& velocity, ExactSum& lost);
  /// Find the forces on bodies and sides in later steps.
  void keep_forces() { keeps_forces_ = true; }
  /// The forces of the last step, in the order of blocks.
  const std::vector<HeldForce>& forces() const { return forces_; }
  /// Stress [Pa] and dimensionless distance y u_tau / nu of the last step in the cells whose low faces stand beside a
  /// wall: means over these faces, by the part of a cell's area of wall that a face stands for and by the square of the
  /// sliding direction's component along it; 0 in other cells. Owned
  const CellField<float>& stress() const { return stress_; }
  const CellField<float>& y_plus() const { return y_plus_; }
  /// The sum of these weights in each cell. Over a plane wall they add up to the number of cells beside it.
  const CellField<float>& part() const { return part_; }

 private:
  /// Face of a force.
  struct Face {
    LocalIndex block;
    int number;
    double share;  ///< part of a cell's mass that moves with it
    double mass;   ///< [kg]
  };
  template <class Shape>
  double apply_in_block(const EddyInput& flow, const WallFaces& walls, double viscosity, double density,
                        FaceField<double>* velocity, LocalIndex block);

  bool keeps_forces_ = false;
  std::vector<Twist> twists_;  ///< motion of each body, over the interval over which forces act
  CellField<float> stress_, y_plus_, part_;
  std::vector<std::vector<HeldForce>> forces_of_blocks_;
  std::vector<HeldForce> forces_;
  std::vector<std::vector<Face>> faces_of_blocks_;
  std::vector<Face> faces_;  ///< those of forces_
};

}  // namespace freshet
