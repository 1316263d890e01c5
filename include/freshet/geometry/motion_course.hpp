// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"

namespace freshet {

/// What a rigid motion does between two times, whether or not its poses at both ends show it.
///
/// Numbers of translation and rotation stand apart: for points within a distance of the pivot they are added up, the
/// rotation's times that distance.
struct MotionCourse {
  double way = 0.0;           ///< length of the pivot's path [m]
  double turn = 0.0;          ///< angle turned through, to and fro [rad]
  double speed_change = 0.0;  ///< all changes of the pivot's velocity, to and fro [m/s]
  double spin_change = 0.0;   ///< all changes of the angular velocity, to and fro [rad/s]
  double hidden_speed = 0.0;  ///< the part of speed_change that the velocities at both ends do not show [m/s]
  double hidden_spin = 0.0;   ///< the part of spin_change that the angular velocities at both ends do not show [rad/s]
  double largest_spin = 0.0;  ///< largest angular speed [rad/s]

  /// Bound of the way of the points within a distance of the pivot. [m]
  double way_of(double reach) const { return way + reach * turn; }
  double speed_change_of(double reach) const { return speed_change + reach * spin_change; }
  double hidden_speed_of(double reach) const { return hidden_speed + reach * hidden_spin; }
};

/// The course of a motion between two times; a jump of its velocity at either end does not count. [s]
/// None of its numbers falls when `to` grows.
MotionCourse course_of(const RigidMotion& motion, double from, double to);

}  // namespace freshet
