// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/grid/field.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// One term of the body forces: adds its acceleration times dt to the face velocities.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;
  /// u_f += dt a(x_f, t). \param[in,out] velocity owned faces [m/s]
  /// \param[in] velocity_old  u^n, ghosts valid to width 1 [m/s]. Parallel: local; OpenMP
  virtual void apply(FaceField<double>& velocity, const FaceField<double>& velocity_old, double time,
                     double dt) const = 0;
  /// Largest acceleration the term can give about a time; limits the time step. [m/s^2]
  virtual double largest_acceleration(double time) const = 0;
};

/// The same acceleration everywhere.
class Gravity : public ForceTerm {
 public:
  explicit Gravity(const Vec3& acceleration) : acceleration_(acceleration) {}
  void apply(FaceField<double>& velocity, const FaceField<double>& velocity_old, double time, double dt) const override;
  double largest_acceleration(double /*time*/) const override { return acceleration_.norm(); }

 private:
  Vec3 acceleration_;  ///< [m/s^2]
};

/// Gravity and the forces of inertia in a tank that moves: the grid is fixed to the tank.
///
///   a = R^T (g - p'') - w x (w x r) - w' x r - 2 w x u,   r = x - pivot
///
/// with the tank's rotation R, its pivot's way p and its angular velocity w in the tank's axes. p'' and w' are the
/// differences of p' and w between the ends of the step: over any steps they add up to what the tank's motion has
/// changed by, kicks at keyframes included. R and the other w are those of the step as a whole.  Source: Goldstein,
/// Poole & Safko 2002, equation 4.91
class MovingFrame : public ForceTerm {
 public:
  MovingFrame(const Domain& domain, const Vec3& gravity, std::shared_ptr<const RigidMotion> motion)
      : domain_(domain), gravity_(gravity), motion_(std::move(motion)) {}
  void apply(FaceField<double>& velocity, const FaceField<double>& velocity_old, double time, double dt) const override;
  double largest_acceleration(double time) const override;

 private:
  /// The frame's numbers, in the tank's axes.
  struct Inertia {
    Vec3 uniform;   ///< R^T (g - p'') [m/s^2]
    Vec3 rate;      ///< w [rad/s]
    Vec3 rate_dot;  ///< w' [rad/s^2]
  };
  Inertia inertia(double time, double dt) const;

  Domain domain_;
  Vec3 gravity_;  ///< at rest [m/s^2]
  std::shared_ptr<const RigidMotion> motion_;
};

using ForceTerms = std::vector<std::unique_ptr<ForceTerm>>;

}  // namespace freshet
