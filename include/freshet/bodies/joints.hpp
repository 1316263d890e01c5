// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/bodies/joint_parameters.hpp"
#include "freshet/bodies/rigid_body.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace freshet {

/// Where a body is.
struct BodyPlace {
  Vec3 center = Vec3::Zero();        ///< centre of mass [m]
  Mat3 rotation = Mat3::Identity();  ///< rotation since the start
  /// The place after dt with constant velocities. [s], [m/s], [rad/s]
  BodyPlace moved(double dt, const Vec6& velocity) const;
};

/// A joint between a body and another body or the ground. It measures the motion of the body relative to the other
/// one, to which its axis is fixed.
struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  int body = 0;                     ///< index among the bodies that the liquid moves
  int other = -1;                   ///< index of the other body; -1: the ground
  Vec3 point = Vec3::Zero();        ///< anchor from the centre of the body, in its axes [m]
  Vec3 other_point = Vec3::Zero();  ///< anchor from the centre of the other body; of the ground its place [m]
  std::array<Vec3, 3> axes{};       ///< the axis and two unit vectors across it, in axes of the start
  double stiffness = 0.0;           ///< stiffness of the free coordinate [N/m] or [N m/rad]
  double damping = 0.0;             ///< [kg/s] or [N m s/rad]
  double rest = 0.0;                ///< free coordinate without force [m] or [rad]
};

/// A joint from its keys. \param[in] of_solid  number of the body that a solid is. \param[in] centers  centres of mass
/// of the bodies at the start [m] \param[in] thickness  of the slab in 2-D [m]; 1 in 3-D. Parallel: local
Joint make_joint(const JointParameters& parameters, const std::vector<int>& of_solid, const std::vector<Vec3>& centers,
                 double thickness);

/// One number that a joint holds at 0: its present value, and the rows whose products with the velocities of both
/// bodies make its rate. [m] or [rad]
struct JointRow {
  double value = 0.0;
  Vec6 body = Vec6::Zero();
  Vec6 other = Vec6::Zero();
};

/// Number of rows of a joint of some kind.
int count_rows(JointKind kind);
/// Append a joint's rows: for all kinds but the spring the points that must coincide, or lie on the axis; then the
/// rotations that both bodies share. Parallel: local
void append_rows(const Joint& joint, const BodyPlace& body, const BodyPlace& other, std::vector<JointRow>& rows);

/// Whether a joint has a coordinate that is free and measured: angle, displacement or length.
bool has_free_coordinate(JointKind kind);
/// The free coordinate and the rows of its rate. \param[in] near  value from which an angle differs by less than half a
/// turn. Parallel: local \pre has_free_coordinate()
JointRow free_coordinate(const Joint& joint, const BodyPlace& body, const BodyPlace& other, double near);

}  // namespace freshet
