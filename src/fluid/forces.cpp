// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/forces.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/padded.hpp"

#include <cmath>

namespace freshet {

void Gravity::apply(FaceField<double>& velocity, const FaceField<double>& /*velocity_old*/, double /*time*/,
                    double dt) const {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  const int cells = layout.cells_per_block();
  for (int d = 0; d < velocity.dimension(); ++d) {
    const double change = dt * acceleration_[d];
    if (change == 0.0) continue;
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < n_owned; ++b) {
      double* u = velocity[d].block(b);
      for (int c = 0; c < cells; ++c) u[c] += change;
    }
  }
}

namespace {

/// How fast a tank moves.
struct Rates {
  Vec3 linear;   ///< of its pivot [m/s]
  Vec3 angular;  ///< in its axes [rad/s]
};

/// The mean over a moment before a time, which is a function of time alone: what it changes by adds up over any steps,
/// and a kick at a keyframe's time comes after it.
Rates rates(const RigidMotion& motion, double time) {
  constexpr double moment = 1e-5;  // short against the motions of tanks; differences over it are good to 1e-10 [s]
  const double from = time - moment;
  const double since = time - from;  // as rounding leaves it
  return {(motion.at(time).translation - motion.at(from).translation) / since,
          motion.pose(time).rotation.transpose() * motion.twist(from, since).angular};
}

}  // namespace

MovingFrame::Inertia MovingFrame::inertia(double time, double dt) const {
  const Mat3 to_tank = motion_->pose(time + 0.5 * dt).rotation.transpose();
  const Rates before = rates(*motion_, time);
  const Rates after = rates(*motion_, time + dt);
  return {to_tank * (gravity_ - (after.linear - before.linear) / dt), to_tank * motion_->twist(time, dt).angular,
          (after.angular - before.angular) / dt};
}

double MovingFrame::largest_acceleration(double time) const {
  constexpr double moment = 1e-3;  // short against the motions of tanks [s]
  const Inertia now = inertia(time, moment);
  const Vec3 upper = domain_.origin() + domain_.dx() * domain_.cells().cast<double>();
  const Vec3& pivot = motion_->pivot();
  const double r = (domain_.origin() - pivot).cwiseAbs().cwiseMax((upper - pivot).cwiseAbs()).norm();
  return now.uniform.norm() + r * (now.rate.squaredNorm() + now.rate_dot.norm());
}

void MovingFrame::apply(FaceField<double>& velocity, const FaceField<double>& velocity_old, double time,
                        double dt) const {
  const BlockLayout& layout = velocity.layout();
  const Inertia now = inertia(time, dt);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Block = decltype(shape);
    const PaddedExtents<Block> extents(1);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      constexpr int padded_size = 10 * 10 * 10;
      double u[3 * padded_size];
      for (int d = 0; d < Block::dim; ++d) {
        fill_padded(velocity_old[d], b, extents, u + d * extents.size());
        if (layout.touches_boundary(b))
          apply_domain_faces(layout.domain(), layout.first_cell(b), d, extents, u + d * extents.size());
      }
      const Vec3 corner = layout.first_cell(b).cast<double>();
      for (int c = 0; c < Block::cells; ++c) {
        const Vec3i n(c % Block::nx, c / Block::nx % Block::ny, c / (Block::nx * Block::ny));
        for (int d = 0; d < Block::dim; ++d) {
          const Vec3 cell = corner + n.cast<double>() + Vec3::Constant(0.5) - 0.5 * Vec3::Unit(d);
          const Vec3 r = domain_.origin() + domain_.dx() * cell - motion_->pivot();
          const Vec3 u_f = velocity_at_face(u, extents, d, n.x(), n.y(), n.z());
          const Vec3 a = now.uniform - now.rate.cross(now.rate.cross(r) + 2.0 * u_f) - now.rate_dot.cross(r);
          velocity[d].block(b)[c] += dt * a[d];
        }
      }
    });
  });
}

}  // namespace freshet
