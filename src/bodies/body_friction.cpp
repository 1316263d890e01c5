// SPDX-License-Identifier: Apache-2.0
// FreeBodies: the friction of the liquid along bodies with a wall law.
#include "freshet/bodies/free_bodies.hpp"

#include <algorithm>

namespace freshet {
namespace {

constexpr std::size_t n_sums = 42;  ///< numbers of a body: its load, and the matrix of its drag by rows

}  // namespace

/// Find the bodies' loads while they keep their velocities, and how these loads change with the velocities.
/// Parallel: collective (one sum)
void FreeBodies::sum_friction(std::span<const HeldForce> forces, const Communicator& comm) {
  friction_sums_.assign(n_sums * bodies_.size(), ExactSum());
  for (const HeldForce& force : forces) {
    if (force.solid < 0 || of_solid_[static_cast<std::size_t>(force.solid)] < 0) continue;
    const Vec3 axis = Vec3::Unit(force.axis);
    const Vec6 along = joined(axis, arm_of(force.solid, force.at).cross(axis));
    ExactSum* sum =
        &friction_sums_[n_sums * static_cast<std::size_t>(of_solid_[static_cast<std::size_t>(force.solid)])];
    for (int i = 0; i < 6; ++i) (sum++)->add(force.force * along[i]);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) (sum++)->add(force.drag * along[i] * along[j]);
  }
  comm.sum_in_place(std::span<ExactSum>(friction_sums_));
}

/// The change of a body's velocity for which its friction gives way: w (M + dt D)^-1 dt F, 0 along held axes.
///
/// r = q / (1 + q) for the largest eigenvalue q of dt M^-1 D; the trace of (M + dt D)^-1 dt D is no less. With z = 1 /
/// q, w = (1 - z/2)^2 (1 + z): the friction along its eigenvector is s(q) / q of F, as that of WallLaw. For q up to 1/2
/// it is F, also where pressure or a cable keeps the body from giving way.
Vec6 FreeBodies::change_by_friction(std::size_t n, const Vec6& force, const Mat6& drag, double dt) const {
  Mat6 system = plain_mass(n);
  for (std::size_t i = 0; i < system.entries.size(); ++i) system.entries[i] += dt * drag.entries[i];
  Vec6 impulse = dt * force;
  for (int i = 0; i < 6; ++i) {
    if (!is_held(n, i)) continue;
    for (int j = 0; j < 6; ++j) system(i, j) = i == j ? 1.0 : 0.0;
    impulse[i] = 0.0;
  }
  const Mat6 inverse = inverse_of(system);
  double r = 0.0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (!is_held(n, i) && !is_held(n, j)) r += inverse(i, j) * dt * drag(j, i);
  if (3.0 * r <= 1.0) return Vec6::Zero();
  const double z = r < 1.0 ? (1.0 - r) / r : 0.0;
  return (1.0 - 0.5 * z) * (1.0 - 0.5 * z) * (1.0 + z) * (inverse * impulse);
}

std::span<const Twist> FreeBodies::set_friction(const SolidFields& solids, std::span<const HeldForce> forces, double dt,
                                                const Communicator& comm) {
  friction_changes_.clear();
  const auto has_wall_law = [&solids](const FreeBody& body) {
    return model_of(solids.bodies()[static_cast<std::size_t>(body.solid)].slip).has_law;
  };
  if (std::ranges::none_of(bodies_, has_wall_law)) return friction_changes_;
  find_solids(solids);
  sum_friction(forces, comm);
  friction_changes_.resize(of_solid_.size());
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    const ExactSum* sum = &friction_sums_[n_sums * n];
    Vec6 force;
    Mat6 drag;
    for (int i = 0; i < 6; ++i) force[i] = (sum++)->round();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) drag(i, j) = (sum++)->round();
    const Vec6 change = change_by_friction(n, force, drag, dt);
    friction_[n] = force - drag * change;
    for (std::size_t s = 0; s < of_solid_.size(); ++s)
      if (of_solid_[s] == static_cast<int>(n)) friction_changes_[s] = {change.head<3>(), change.tail<3>(), centers_[s]};
  }
  return friction_changes_;
}

}  // namespace freshet
