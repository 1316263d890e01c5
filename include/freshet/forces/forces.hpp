// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/fluid_options.hpp"
#include "freshet/geometry/rigid_motion.hpp"
#include "freshet/grid/domain_options.hpp"
#include "freshet/grid/field.hpp"
#include "freshet/keys/declare.hpp"

#include <memory>
#include <vector>

namespace freshet {

/// Input of a body force: the flow at the start of the step.
struct ForceInput {
  const FaceField<double>& velocity;  ///< u^n [m/s], ghosts valid to width reach_of() of the terms
  const LabelField& labels;           ///< ghosts valid to the same width
  double time;                        ///< t^n [s]
  /// The deposit's weights, particles_per_cell inside the liquid, for terms that shear the surface; ghosts valid to
  /// width 1.
  const FaceField<double>* weight = nullptr;
  double particles_per_cell = 1.0;
  /// Lengths of the previous and of this step if u is the velocity at the middle of a step: forces then act for the
  /// second half of the one and the first half of the other. Both are 0 if u is that of a step's end. [s]
  double last_step = 0.0;
  double step = 0.0;

  double from() const { return time - 0.5 * last_step; }  ///< time from which on forces act [s]
};

/// One term of the body forces: it adds its acceleration times dt to the face velocities.
///
/// Terms add up; each one reads u^n, not the result of the terms before it. A new term is a class with its options and
/// a row of ForceOptions.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// u_f += dt a(x_f, t).
  /// \param[in]     dt        [s]
  /// \param[in,out] velocity  owned faces [m/s]; another field than flow.velocity
  /// Parallel: local; OpenMP
  virtual void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const = 0;

  /// Upper bound of |a| near a time for liquid that moves at most at `speed` [m/s]; it limits the time step. [m/s^2]
  virtual double largest_acceleration(double time, double speed) const = 0;

  /// Upper bound of the mean of |a| over [time, time + dt], for terms that change within a step. [m/s^2]
  virtual double largest_acceleration_in(double time, double /*dt*/, double speed) const {
    return largest_acceleration(time, speed);
  }

  /// Width of the ghosts that apply() reads. [cells]
  virtual int reach() const { return 0; }

  /// True if the run reports the kinetic energy that the term adds (boost_energy in steps.csv).
  virtual bool reports_energy() const { return false; }

  /// Whether the term is a stress along the surface, which shears the velocity there: see ParticleTransfer::blend().
  /// Such a term gets ForceInput::weight.
  virtual bool shears_surface() const { return false; }
};

using ForceTerms = std::vector<std::unique_ptr<ForceTerm>>;

/// Widest ghosts that any of the terms reads. [cells]
int reach_of(const ForceTerms& terms);

/// What the options of a force are checked against.
struct ForceScene {
  const DomainOptions& domain;
  const FluidOptions& fluid;
};

/// Gravity, in the axes of the tank: a = R^T g.
class Gravity : public ForceTerm {
 public:
  /// \param[in] gravity  in the laboratory [m/s^2]
  /// \param[in] frame    motion of the tank, R its rotation; null: at rest
  explicit Gravity(const Vec3& gravity, std::shared_ptr<const RigidMotion> frame = {})
      : gravity_(gravity), frame_(std::move(frame)) {}
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  double largest_acceleration(double /*time*/, double /*speed*/) const override { return gravity_.norm(); }

 private:
  Vec3 gravity_;  ///< [m/s^2]
  std::shared_ptr<const RigidMotion> frame_;
};

/// The forces of inertia in a tank that moves: the grid is fixed to the tank.
///
///   a = -R^T p'' - w x (w x r) - w' x r - 2 w x u,   r = x - pivot
///
/// with the tank's rotation R, the displacement p of its pivot and its angular velocity w in the tank's axes. p'' and
/// w' are the differences of p' and w between the ends of the step: over any steps they add up to the change of the
/// tank's velocity, kicks at keyframes included. R and the other w are those of the whole step. Source: Goldstein,
/// Poole & Safko 2002, equation 4.91
class MovingFrame : public ForceTerm {
 public:
  MovingFrame(const Domain& domain, std::shared_ptr<const RigidMotion> motion)
      : domain_(domain), motion_(std::move(motion)) {}
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  double largest_acceleration(double time, double speed) const override;
  double largest_acceleration_in(double time, double dt, double speed) const override;
  int reach() const override { return 1; }

 private:
  /// Velocities of the tank.
  struct Rates {
    Vec3 linear;   ///< velocity of the pivot, in the laboratory [m/s]
    Vec3 angular;  ///< angular velocity, in the tank's axes [rad/s]
  };
  /// The frame's rates, in the tank's axes.
  struct Inertia {
    Vec3 uniform;   ///< -R^T p'' [m/s^2]
    Vec3 rate;      ///< w [rad/s]
    Vec3 rate_dot;  ///< w' [rad/s^2]
  };
  Rates mean_rates(double from, double to) const;
  Rates rates(double time) const;
  /// Inertia over dt from a time on, in which the tank's rates change from `before` to `after`.
  Inertia inertia(double from, double dt, const Rates& before, const Rates& after) const;

  Domain domain_;
  std::shared_ptr<const RigidMotion> motion_;
};

/// The Coriolis force of a frame of reference that turns steadily: a = -2 Omega x u.
///
/// The centrifugal force is taken to be part of gravity, as on the turning Earth. One step turns u by the angle
/// -2 |Omega| dt about Omega, which is the exact solution, so that a uniform velocity keeps its speed at any dt.
/// Source: Gill 1982, Atmosphere-Ocean Dynamics, section 4.5
class Coriolis : public ForceTerm {
 public:
  explicit Coriolis(const Vec3& rotation) : rotation_(rotation) {}
  void apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const override;
  double largest_acceleration(double /*time*/, double speed) const override { return 2.0 * rotation_.norm() * speed; }
  int reach() const override { return 1; }

 private:
  Vec3 rotation_;  ///< Omega [rad/s]
};

}  // namespace freshet
