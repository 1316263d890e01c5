// SPDX-License-Identifier: Apache-2.0
#include "freshet/solids/seen_step.hpp"

#include "freshet/geometry/motion_course.hpp"

#include <algorithm>

namespace freshet {

double step_to_jump(double at, double jump, double time, double dt, double length) {
  constexpr double rounding = 1e-9;  // a step that ends at a jump may miss it by this part of the next one
  if (at - time <= rounding * dt || at >= time + dt || dt * jump <= unseen_part * length) return dt;
  return std::min(dt, std::max(at - time, unseen_part * length / jump));
}

double seen_step(const RigidMotion& motion, double reach, double time, double dt, double length) {
  for (double at = motion.next_stretch(time); at < time + dt; at = motion.next_stretch(at)) {
    const MotionRates before = motion.rates(at, RigidMotion::Side::before);
    const MotionRates after = motion.rates(at, RigidMotion::Side::after);
    const double jump = (after.translation - before.translation).norm() + reach * (after.turn - before.turn).norm();
    dt = step_to_jump(at, jump, time, dt, length);
  }
  return longest_fitting(0.0, dt, [&](double h) {
    const MotionCourse course = course_of(motion, time, time + h);
    return course.speed_change_of(reach) * h <= length && course.hidden_speed_of(reach) * h <= unseen_part * length;
  });
}

double seen_step(const RigidMotion& tank, const Domain& domain, double time, double dt, double length) {
  return seen_step(tank, domain.box().farthest(tank.pivot()), time, dt, length);
}

double seen_step(const std::vector<SolidBody>& bodies, const Domain& domain, double time, double dt, double length) {
  for (const SolidBody& body : bodies)
    if (body.motion && comes_to_domain(body, domain, time, dt))
      dt = seen_step(*body.motion, reach_in_domain(body, domain, time, dt), time, dt, length);
  return dt;
}

}  // namespace freshet
