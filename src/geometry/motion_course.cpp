// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/motion_course.hpp"

#include <algorithm>

namespace freshet {
namespace {

using Side = RigidMotion::Side;

/// The integral of |f| over a length h, from f at begin, middle and end: the larger of two rules. Simpson's rule is
/// exact for a parabola that keeps its sign, the trapezium rule of both halves where f changes sign in the middle.
double integral_of_length(double h, const Vec3& begin, const Vec3& middle, const Vec3& end) {
  const double ends = begin.norm() + end.norm();
  return h * std::max((ends + 4.0 * middle.norm()) / 6.0, 0.25 * ends + 0.5 * middle.norm());
}

}  // namespace

MotionCourse course_of(const RigidMotion& motion, double from, double to) {
  MotionCourse course;
  const MotionRates first = motion.rates(from, Side::after);
  MotionRates last = first;
  const auto change_to = [&](const MotionRates& next) {
    course.speed_change += (next.translation - last.translation).norm();
    course.spin_change += (next.turn - last.turn).norm();
    course.largest_spin = std::max({course.largest_spin, last.turn.norm(), next.turn.norm()});
    last = next;
  };
  for (double begin = from; begin < to;) {
    const double end = std::min(to, motion.next_stretch(begin));
    const MotionRates at_begin = motion.rates(begin, Side::after);
    const MotionRates in_middle = motion.rates(0.5 * (begin + end), Side::after);
    const MotionRates at_end = motion.rates(end, Side::before);
    for (const MotionRates& next : {at_begin, in_middle, at_end}) change_to(next);
    course.way += integral_of_length(end - begin, at_begin.translation, in_middle.translation, at_end.translation);
    course.turn += integral_of_length(end - begin, at_begin.turn, in_middle.turn, at_end.turn);
    begin = end;
  }
  course.hidden_speed = std::max(0.0, course.speed_change - (last.translation - first.translation).norm());
  course.hidden_spin = std::max(0.0, course.spin_change - (last.turn - first.turn).norm());
  return course;
}

}  // namespace freshet
