// SPDX-License-Identifier: Apache-2.0
#include "freshet/forces/forces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/geometry/motion_course.hpp"
#include "freshet/grid/domain_faces.hpp"

#include <cmath>

namespace freshet {

namespace {

/// u_f += change [m/s] on every owned face.
void add_uniform(const Vec3& change, FaceField<double>& velocity) {
  const LocalIndex n_owned = velocity.layout().n_owned();
  const int cells = velocity.layout().cells_per_block();
  for (int d = 0; d < velocity.dimension(); ++d) {
    if (change[d] == 0.0) continue;
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      double* u = velocity[d].block(b);
      for (int c = 0; c < cells; ++c) u[c] += change[d];
    }
  }
}

/// u_f += change(x, u)[d] on every owned face: x its place in cells of the domain, u the velocity there, all
/// components. \param[in] flow_velocity  ghosts valid to width 1 [m/s]
template <class Change>
void add_at_faces(const FaceField<double>& flow_velocity, FaceField<double>& velocity, Change&& change) {
  const BlockLayout& layout = velocity.layout();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      FaceTile<double, Block, 1> u;
      fill_with_sides(flow_velocity, b, u);
      const Vec3 corner = layout.first_cell(b).cast<double>();
      for (int c = 0; c < Block::cells; ++c) {
        const Vec3i n = Block::place(c);
        for (int d = 0; d < Block::dim; ++d) {
          const Vec3 x = corner + n.cast<double>() + Vec3::Constant(0.5) - 0.5 * Vec3::Unit(d);
          velocity[d].block(b)[c] += change(x, velocity_at_face(u, d, n))[d];
        }
      }
    });
  });
}

constexpr double short_moment = 1e-5;  ///< short against the motions of tanks, long against round-off [s]

}  // namespace

void Gravity::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  if (!frame_) {
    add_uniform(dt * gravity_, velocity);
    return;
  }
  const Mat3 to_tank = frame_->pose(flow.from() + 0.5 * dt).rotation.transpose();
  add_uniform(dt * (to_tank * gravity_), velocity);
}

/// Mean rates between two times.
MovingFrame::Rates MovingFrame::mean_rates(double from, double to) const {
  const double since = to - from;
  return {(motion_->at(to).translation - motion_->at(from).translation) / since,
          motion_->pose(to).rotation.transpose() * motion_->twist(from, since).angular};
}

/// Mean rates over a moment before a time. They depend on the time alone: changes add up over any steps, and a kick at
/// a keyframe's time comes after it.
MovingFrame::Rates MovingFrame::rates(double time) const {
  return mean_rates(time - short_moment, time);
}

MovingFrame::Inertia MovingFrame::inertia(double from, double dt, const Rates& before, const Rates& after) const {
  const Mat3 to_tank = motion_->pose(from + 0.5 * dt).rotation.transpose();
  return {to_tank * (before.linear - after.linear) / dt, to_tank * motion_->twist(from, dt).angular,
          (after.angular - before.angular) / dt};
}

double MovingFrame::largest_acceleration(double time, double speed) const {
  constexpr double moment = 1e-3;  // short against the motions of tanks [s]
  const Inertia now = inertia(time, moment, rates(time), rates(time + moment));
  const double r = domain_.box().farthest(motion_->pivot());
  return now.uniform.norm() + r * (now.rate.squaredNorm() + now.rate_dot.norm()) + 2.0 * now.rate.norm() * speed;
}

double MovingFrame::largest_acceleration_in(double time, double dt, double speed) const {
  const MotionCourse course = course_of(*motion_, time - short_moment, time + dt);
  const double r = domain_.box().farthest(motion_->pivot());
  const double spin = course.largest_spin;
  return course.speed_change_of(r) / dt + r * spin * spin + 2.0 * spin * speed;
}

/// If u is the velocity at the middle of a step, the tank's rates are means over the step: liquid without other forces
/// is then displaced by as much as the tank in each step, however long steps are.
void MovingFrame::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  const bool is_of_middle = flow.step > 0.0;
  const Rates before =
      is_of_middle && flow.last_step > 0.0 ? mean_rates(flow.time - flow.last_step, flow.time) : rates(flow.time);
  const Rates after = is_of_middle ? mean_rates(flow.time, flow.time + flow.step) : rates(flow.time + dt);
  const Inertia now = inertia(flow.from(), dt, before, after);
  add_at_faces(flow.velocity, velocity, [&](const Vec3& x, const Vec3& u) -> Vec3 {
    const Vec3 r = domain_.origin() + domain_.dx() * x - motion_->pivot();
    return dt * (now.uniform - now.rate.cross(now.rate.cross(r) + 2.0 * u) - now.rate_dot.cross(r));
  });
}

void Coriolis::apply(const ForceInput& flow, double dt, FaceField<double>& velocity) const {
  const Vec3 axis = rotation_.normalized();
  const double angle = 2.0 * rotation_.norm() * dt;
  const double along = std::sin(angle);
  const double inward = 2.0 * std::sin(0.5 * angle) * std::sin(0.5 * angle);  // 1 - cos(angle), free of cancellation
  add_at_faces(flow.velocity, velocity, [&](const Vec3& /*x*/, const Vec3& u) -> Vec3 {
    const Vec3 turned = axis.cross(u);
    return inward * axis.cross(turned) - along * turned;
  });
}

}  // namespace freshet
