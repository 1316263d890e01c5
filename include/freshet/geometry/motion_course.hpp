// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/rigid_motion.hpp"

namespace freshet {

/// The path of a rigid motion between two times, including what its poses at both ends do not show.
///
/// Numbers of translation and of rotation are separate: for a point at a distance from the pivot, the rotation's number
/// times that distance is added.
struct MotionCourse {
  double way = 0.0;           ///< length of the pivot's path [m]
  double turn = 0.0;          ///< angle turned through, to and fro [rad]
  double speed_change = 0.0;  ///< all changes of the pivot's velocity, to and fro [m/s]
  double spin_change = 0.0;   ///< all changes of the angular velocity, to and fro [rad/s]
  double hidden_speed = 0.0;  ///< the part of speed_change that the velocities at both ends do not show [m/s]
  double hidden_spin = 0.0;   ///< the part of spin_change that the angular velocities at both ends do not show [rad/s]
  double largest_spin = 0.0;  ///< largest angular speed [rad/s]

  /// Upper bound of the path length of points within the distance `reach` of the pivot. [m]
  double way_of(double reach) const { return way + reach * turn; }
  double speed_change_of(double reach) const { return speed_change + reach * spin_change; }
  double hidden_speed_of(double reach) const { return hidden_speed + reach * hidden_spin; }
};

/// The course of a motion between two times [s]. A jump of the velocity at either end does not count. No number of the
/// course falls when `to` grows.
MotionCourse course_of(const RigidMotion& motion, double from, double to);

}  // namespace freshet
