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

/// The pose of a rigid body: x = translation + rotation X, where X is a point's place in the case file. [m]
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

/// Displacement and rotation of a body at one time, relative to its place in the case file.
struct MotionSample {
  double time = 0.0;                ///< [s]
  Vec3 translation = Vec3::Zero();  ///< displacement of the pivot [m]
  Vec3 turn = Vec3::Zero();         ///< rotation vector: axis times angle [rad]; whole turns count
};

/// Rates of change of a MotionSample.
struct MotionRates {
  Vec3 translation = Vec3::Zero();  ///< velocity of the pivot [m/s]
  Vec3 turn = Vec3::Zero();         ///< rate of the rotation vector, whose length bounds the angular speed [rad/s]
};

/// The path of a body that the liquid moves through one step: from a pose with constant velocities.
struct FreePath {
  double time = 0.0;                 ///< begin of the step [s]
  Vec3 pivot = Vec3::Zero();         ///< place of the body's pivot, its centre of mass, at that time [m]
  Mat3 rotation = Mat3::Identity();  ///< rotation at that time, relative to the case file
  Vec3 velocity = Vec3::Zero();      ///< velocity of the pivot [m/s]
  Vec3 angular = Vec3::Zero();       ///< angular velocity [rad/s]
};

class WaveMaker;

/// A prescribed rigid motion, or the path of a body that the liquid moves.
///
/// A prescribed motion is a function of time alone: nothing needs to be stored from step to step. It has constant
/// velocities, or it is the motion of a wave-maker's paddle, or it interpolates samples in time: linearly, or (smooth)
/// by cubic Hermite polynomials whose slopes are those of the parabola through three neighbouring samples. The body
/// rests before the first and after the last sample.
class RigidMotion {
 public:
  /// A motion of constant velocities from time 0 on. \param[in] angular  rotation vector per second [rad/s]
  RigidMotion(const Vec3& pivot, const Vec3& velocity, const Vec3& angular);
  /// A motion through samples. \pre there is at least one sample; times ascend
  RigidMotion(const Vec3& pivot, std::vector<MotionSample> samples, MotionInterpolation interpolation);

  /// The motion of a wave-maker's paddle. \param[in] pivot  hinge of a flap [m]
  RigidMotion(const Vec3& pivot, std::shared_ptr<const WaveMaker> paddle);

  /// The motion of a body that the liquid moves. It follows the present path, whoever changes it.
  /// \param[in] pivot  centre of mass in the case file [m]
  RigidMotion(const Vec3& pivot, std::shared_ptr<const FreePath> path);
  /// Whether the liquid moves the body.
  bool is_free() const { return path_ != nullptr; }

  Pose pose(double time) const;
  /// The constant twist that carries pose(time) into pose(time + dt) along a screw. \pre dt > 0
  ///
  /// The velocities of such a twist have no divergence, unlike velocities along straight lines from the first pose to
  /// the second. Source: Murray, Li & Sastry 1994, section 2.4 (logarithm of a rigid motion)
  Twist twist(double time, double dt) const;
  const Vec3& pivot() const { return pivot_; }
  MotionSample at(double time) const;  ///< displacement and rotation at a time
  /// The side of a time on which rates are taken: rates before and after a sample of a linear motion differ.
  enum class Side { before, after };
  MotionRates rates(double time, Side side) const;
  /// The first time after `time` at which the rates may jump or a new stretch of the motion begins; infinite if there
  /// is none. Within a stretch the rates change smoothly. A stretch is the time between two samples of a linear motion,
  /// a quarter of it in a smooth motion, or a sixteenth of a paddle's shortest period. [s]
  double next_stretch(double time) const;

 private:
  Vec3 pivot_;
  Vec3 velocity_ = Vec3::Zero();
  Vec3 angular_ = Vec3::Zero();
  std::vector<MotionSample> samples_;
  MotionInterpolation interpolation_ = MotionInterpolation::smooth;
  std::shared_ptr<const WaveMaker> paddle_;
  std::shared_ptr<const FreePath> path_;
};

/// The motion that a case file describes; null if the body is at rest.
///
/// \param[in] gravity  gravity of a paddle's waves [m/s^2]
/// Errors: InputError, on all ranks, for a table that cannot be read, is not the one whose hash is given, or leaves the
/// plane in 2-D. Parallel: collective
std::shared_ptr<const RigidMotion> make_motion(const Communicator& comm, const MotionParameters& parameters,
                                               const std::string& case_file, int dimension,
                                               const Vec3& gravity = {0.0, -9.81, 0.0});

/// Parse samples, one a line: `time x y z` or `time x y z rx ry rz` [s], [m], [degrees], separated by commas,
/// semicolons or blanks; empty lines and text after a # are ignored.
///
/// A first line of names gives the order of the columns: time, and any of x, y, z, rx, ry, rz; missing columns count as
/// 0. Capitals, units in brackets, quotes and a byte order mark are accepted.
/// \param[in] name       name of the file, for messages
/// \param[in] dimension  2: only displacements along x and y and rotations about z are legal
/// Errors: InputError "<file>:<line>: ..." Parallel: local
std::vector<MotionSample> parse_motion_table(const std::string& text, const std::string& name, int dimension = 3);

/// A shape in another pose.
class PosedShape final : public Shape {
 public:
  PosedShape(std::shared_ptr<const Shape> shape, const Pose& pose) : shape_(std::move(shape)), pose_(pose) {}
  double signed_distance(const Vec3& x) const override { return shape_->signed_distance(pose_.to_body(x)); }
  double exact_distance(const Vec3& x) const override { return shape_->exact_distance(pose_.to_body(x)); }
  double slack() const override { return shape_->slack(); }
  Box bounds() const override;
  BoundingBall ball() const override;

 private:
  std::shared_ptr<const Shape> shape_;
  Pose pose_;
};

}  // namespace freshet
