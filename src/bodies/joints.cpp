// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/joints.hpp"

#include "freshet/geometry/across.hpp"

#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double radians_of_degree = std::numbers::pi / 180.0;

/// The point of one side of a joint, and its arm from that side's centre. [m]
struct JointPoint {
  Vec3 place;
  Vec3 arm;
};
JointPoint point_of(const BodyPlace& body, const Vec3& point) {
  const Vec3 arm = body.rotation * point;
  return {body.center + arm, arm};
}

/// The row of the relative velocity of two points along a direction. \param[in] value  of the row
JointRow along(double value, const Vec3& direction, const Vec3& arm, const Vec3& other_arm) {
  JointRow row;
  row.value = value;
  row.body = joined(direction, arm.cross(direction));
  row.other = joined(-direction, -other_arm.cross(direction));
  return row;
}

/// The row of the relative angular velocity about a direction.
JointRow about(double value, const Vec3& direction) {
  JointRow row;
  row.value = value;
  row.body = joined(Vec3::Zero(), direction);
  row.other = joined(Vec3::Zero(), -direction);
  return row;
}

/// Rotation vector of a rotation. [rad]
Vec3 turn_of(const Mat3& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis();
}

/// An axis and two unit vectors across it.
std::array<Vec3, 3> axes_along(const Vec3& axis) {
  const Vec3 along = axis.normalized();
  const Vec3 across = unit_across(along);
  return {along, across, along.cross(across)};
}

}  // namespace

BodyPlace BodyPlace::moved(double dt, const Vec6& velocity) const {
  return {center + dt * velocity.head<3>(), without_drift(turn_by(dt * velocity.tail<3>()) * rotation)};
}

Joint make_joint(const JointParameters& parameters, const std::vector<int>& of_solid, const std::vector<Vec3>& centers,
                 double thickness) {
  const auto body_of = [&](std::size_t i) { return of_solid[static_cast<std::size_t>(parameters.solids[i])]; };
  Joint joint;
  joint.name = parameters.name;
  joint.kind = parameters.kind;
  joint.body = body_of(0);
  if (parameters.solids.size() > 1) joint.other = body_of(1);
  const Vec3& end = joint.kind == JointKind::spring ? parameters.end : parameters.anchor;
  joint.point = parameters.anchor - centers[static_cast<std::size_t>(joint.body)];
  joint.other_point = joint.other < 0 ? end : Vec3(end - centers[static_cast<std::size_t>(joint.other)]);
  joint.axes = axes_along(parameters.axis);
  joint.stiffness = thickness * parameters.stiffness;
  joint.damping = thickness * parameters.damping;
  if (joint.kind == JointKind::hinge) joint.rest = radians_of_degree * parameters.angle;
  if (joint.kind == JointKind::slider) joint.rest = parameters.length.value_or(0.0);
  if (joint.kind == JointKind::spring) joint.rest = parameters.length.value_or((parameters.anchor - end).norm());
  return joint;
}

int count_rows(JointKind kind) {
  switch (kind) {
    case JointKind::hinge:
    case JointKind::slider:
      return 5;
    case JointKind::ball:
      return 3;
    case JointKind::fixed:
      return 6;
    case JointKind::spring:
      break;
  }
  return 0;
}

void append_rows(const Joint& joint, const BodyPlace& body, const BodyPlace& other, std::vector<JointRow>& rows) {
  if (joint.kind == JointKind::spring) return;
  const auto [place, arm] = point_of(body, joint.point);
  const auto [other_place, other_arm] = point_of(other, joint.other_point);
  const Vec3 way = place - other_place;
  if (joint.kind == JointKind::slider) {
    // the directions turn with the other body, so that the arm of its row reaches to the body's point
    for (const std::size_t d : {1U, 2U}) {
      const Vec3 direction = other.rotation * joint.axes[d];
      rows.push_back(along(direction.dot(way), direction, arm, other_arm + way));
    }
  } else {
    for (int d = 0; d < 3; ++d) rows.push_back(along(way[d], Vec3::Unit(d), arm, other_arm));
  }
  if (joint.kind == JointKind::hinge) {
    const Vec3 turn = (other.rotation * joint.axes[0]).cross(body.rotation * joint.axes[0]);
    for (const std::size_t d : {1U, 2U}) {
      const Vec3 direction = other.rotation * joint.axes[d];
      rows.push_back(about(direction.dot(turn), direction));
    }
  } else if (joint.kind != JointKind::ball) {
    const Vec3 turn = turn_of(body.rotation * other.rotation.transpose());
    for (int d = 0; d < 3; ++d) rows.push_back(about(turn[d], Vec3::Unit(d)));
  }
}

bool has_free_coordinate(JointKind kind) {
  return kind == JointKind::hinge || kind == JointKind::slider || kind == JointKind::spring;
}

JointRow free_coordinate(const Joint& joint, const BodyPlace& body, const BodyPlace& other, double near) {
  if (joint.kind == JointKind::hinge) {
    const Vec3 of_other = other.rotation * joint.axes[1], across = other.rotation * joint.axes[2];
    const Vec3 of_body = body.rotation * joint.axes[1];
    const double angle = std::atan2(across.dot(of_body), of_other.dot(of_body));
    constexpr double turn = 2.0 * std::numbers::pi;
    return about(angle + turn * std::round((near - angle) / turn), other.rotation * joint.axes[0]);
  }
  const auto [place, arm] = point_of(body, joint.point);
  const auto [other_place, other_arm] = point_of(other, joint.other_point);
  const Vec3 way = place - other_place;
  if (joint.kind == JointKind::slider) {
    const Vec3 direction = other.rotation * joint.axes[0];
    return along(direction.dot(way), direction, arm, other_arm + way);
  }
  const double length = way.norm();
  if (length == 0.0) return {};  // a spring without length has no direction
  return along(length, way / length, arm, other_arm);
}

}  // namespace freshet
