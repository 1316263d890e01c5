// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/geometry/motion_parameters.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/parallel/communicator.hpp"

#include <Eigen/Geometry>

#include <memory>
#include <string>
#include <vector>

namespace freshet {

using Mat3 = Eigen::Matrix3d;

/// Where a rigid body stands: x = translation + rotation X, X where it stood in the case file. [m]
struct Pose {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();  ///< [m]
  Vec3 to_world(const Vec3& X) const { return translation + rotation * X; }
  Vec3 to_body(const Vec3& x) const { return rotation.transpose() * (x - translation); }
};

/// The velocities of a rigid body's points: u(x) = linear + angular x (x - center).
struct Twist {
  Vec3 linear = Vec3::Zero();   ///< [m/s]
  Vec3 angular = Vec3::Zero();  ///< [rad/s]
  Vec3 center = Vec3::Zero();   ///< [m]
  Vec3 at(const Vec3& x) const { return linear + angular.cross(x - center); }
};

/// How far a body has moved and turned at one time, measured from its place in the case file.
struct MotionSample {
  double time = 0.0;                ///< [s]
  Vec3 translation = Vec3::Zero();  ///< of the pivot [m]
  Vec3 turn = Vec3::Zero();         ///< rotation vector: axis times angle [rad]; whole turns count
};

/// How fast a MotionSample changes with time.
struct MotionRates {
  Vec3 translation = Vec3::Zero();  ///< [m/s]
  Vec3 turn = Vec3::Zero();         ///< rate of the rotation vector, whose length bounds the angular speed [rad/s]
};

class WaveMaker;

/// A prescribed rigid motion. It is a function of time alone: nothing needs to be stored from step to step.
///
/// Constant velocities, the paddle of a wave-maker, or samples in time: between them linear, or (smooth) cubic Hermite
/// polynomials whose slopes are those of the parabola through three neighbouring samples; before the first and after
/// the last one it rests.
class RigidMotion {
 public:
  /// Constant velocities from time 0 on. \param[in] angular rotation vector per second [rad/s]
  RigidMotion(const Vec3& pivot, const Vec3& velocity, const Vec3& angular);
  /// \pre at least one sample; times ascend
  RigidMotion(const Vec3& pivot, std::vector<MotionSample> samples, MotionInterpolation interpolation);

  /// The motion of a wave-maker's paddle. \param[in] pivot  a flap's hinge [m]
  RigidMotion(const Vec3& pivot, std::shared_ptr<const WaveMaker> paddle);

  Pose pose(double time) const;
  /// The constant twist that carries pose(time) into pose(time + dt) along a screw. dt > 0
  ///
  /// The velocities of such a twist have no divergence. Those along straight lines from the first pose to the second
  /// do. Source: Murray, Li & Sastry 1994, section 2.4 (logarithm of a rigid motion)
  Twist twist(double time, double dt) const;
  const Vec3& pivot() const { return pivot_; }
  MotionSample at(double time) const;  ///< displacement and rotation at a time
  /// The rates just before or just after a time: they differ at the samples of a linear motion.
  enum class Side { before, after };
  MotionRates rates(double time, Side side) const;
  /// The first time after `time` at which the rates may jump or a new stretch of the motion begins; infinite if there
  /// is none. Over a stretch the rates change smoothly: linearly, as a parabola of a quarter of the way between two
  /// samples, or as a sixteenth of a paddle's shortest period. [s]
  double next_stretch(double time) const;

 private:
  Vec3 pivot_;
  Vec3 velocity_ = Vec3::Zero();
  Vec3 angular_ = Vec3::Zero();
  std::vector<MotionSample> samples_;
  MotionInterpolation interpolation_ = MotionInterpolation::smooth;
  std::shared_ptr<const WaveMaker> paddle_;
};

/// The motion that a case file describes; null if it is at rest.
///
/// \param[in] gravity  which a paddle's waves feel [m/s^2]
/// Errors: InputError, on all ranks, for a table that cannot be read, is not the one whose hash is given, or leaves the
/// plane in 2-D. Parallel: collective
std::shared_ptr<const RigidMotion> make_motion(const Communicator& comm, const MotionParameters& parameters,
                                               const std::string& case_file, int dimension,
                                               const Vec3& gravity = {0.0, -9.81, 0.0});

/// Samples from text: one a line, `time x y z` or `time x y z rx ry rz` [s], [m], [degrees], separated by commas,
/// semicolons or blanks; empty lines and text after a # are ignored.
///
/// A first line of names says in which order the columns stand: time, and any of x, y, z, rx, ry, rz; missing
/// columns count as 0. Capitals, units in brackets, quotes and a byte order mark are accepted.
/// \param[in] name       of the file, for messages
/// \param[in] dimension  2: only displacements along x and y and rotations about z are legal
/// Errors: InputError "<file>:<line>: ..." Local
std::vector<MotionSample> parse_motion_table(const std::string& text, const std::string& name, int dimension = 3);

/// A shape that has moved.
class PosedShape final : public Shape {
 public:
  PosedShape(std::shared_ptr<const Shape> shape, const Pose& pose) : shape_(std::move(shape)), pose_(pose) {}
  double signed_distance(const Vec3& x) const override { return shape_->signed_distance(pose_.to_body(x)); }
  double exact_distance(const Vec3& x) const override { return shape_->exact_distance(pose_.to_body(x)); }
  Box bounds() const override;

 private:
  std::shared_ptr<const Shape> shape_;
  Pose pose_;
};

}  // namespace freshet
