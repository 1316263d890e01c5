// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/contact_impulses.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace freshet {
namespace {

constexpr double slop = 1e-3;           ///< overlap that is left as it is [cells]
constexpr double taken_back = 0.2;      ///< part of an overlap above slop that a step takes back
constexpr double fastest_return = 0.1;  ///< largest overlap that a step of normal length takes back [cells]
constexpr int most_sweeps = 1000;       ///< limit of sweeps; one goes forwards and backwards
constexpr double converged = 1e-11;     ///< largest change of a velocity in the last sweep [cells a step]
constexpr double guessed = 1e-6;        ///< `converged` where a projection follows, which holds contacts exactly
constexpr double small_push = 1e-3;  ///< change of the speed of parting that needs no other projection [cells a step]
constexpr double small_slip = 5e-3;  ///< change of the speed of slip that needs none [cells a step]
constexpr double added_mass = 0.5;   ///< added mass of a sphere over the mass that it displaces (Lamb 1932, section 92)
constexpr double sticking = 1.0 - 1e-9;  ///< part of the largest friction below which a contact sticks
constexpr double vanishing = 1e-9;       ///< part of the response of unjoined bodies that counts as no response

/// The normal and two unit vectors across it; the first tangent lies in the plane z = const if the normal does.
Mat3 axes_of(const Vec3& normal) {
  Mat3 axes;
  axes.col(0) = normal;
  axes.col(1) = std::abs(normal.z()) < 0.9 ? Vec3(-normal.y(), normal.x(), 0.0).normalized()
                                           : Vec3(0.0, -normal.z(), normal.y()).normalized();
  axes.col(2) = normal.cross(Vec3(axes.col(1)));
  return axes;
}

Vec6 wrench(const Vec3& arm, const Vec3& impulse) {
  return joined(impulse, arm.cross(impulse));
}

Vec3 point_velocity(const Vec6& velocity, const Vec3& arm) {
  return velocity.head<3>() + Vec3(velocity.tail<3>()).cross(arm);
}

}  // namespace

Vec3 ContactImpulses::parting(const Contact& contact, std::span<const Vec6> velocities) const {
  const auto at = [&](int body) -> const Vec6& {
    return velocities[static_cast<std::size_t>(place_of_[static_cast<std::size_t>(body)])];
  };
  const Vec3 theirs = contact.other < 0 ? contact.carried : point_velocity(at(contact.other), contact.other_arm);
  return point_velocity(at(contact.body), contact.arm) - theirs;
}

/// The change of the velocity of a touching body by an impulse on another, both by their places.
Vec6 ContactImpulses::response_of(std::size_t n, std::size_t m, const Vec6& impulse) const {
  return std::sqrt(yielding_[n] * yielding_[m]) * (inverse_[n * touching_.size() + m] * impulse);
}

void ContactImpulses::begin(std::span<const Contact> contacts, const FreeBodies& bodies, double dx,
                            const Times& times) {
  contacts_ = contacts;
  dx_ = dx;
  dt_ = times.dt;
  times_ = times;
  n_acts_ = 0;
  n_pushing_ = 0;
  is_wet_ = false;
  if (contacts.empty()) return;
  place_of_.assign(static_cast<std::size_t>(bodies.count()), -1);
  touching_.clear();
  const auto add = [&](int body) {
    if (body < 0 || place_of_[static_cast<std::size_t>(body)] >= 0) return;
    place_of_[static_cast<std::size_t>(body)] = static_cast<int>(touching_.size());
    touching_.push_back(body);
  };
  for (const Contact& contact : contacts) {
    add(contact.body);
    add(contact.other);
  }
  const std::size_t count = touching_.size();
  inverse_.assign(count * count, Mat6());
  coupled_.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    coupled_[n].clear();
    for (std::size_t m = 0; m < count; ++m) {
      Mat6& entry = inverse_[n * count + m];
      entry = bodies.inverse_mass(touching_[n], touching_[m]);
      const auto is_zero = [](double x) { return x == 0.0; };
      if (n == m || !std::all_of(entry.entries.begin(), entry.entries.end(), is_zero))
        coupled_[n].push_back(static_cast<int>(m));
    }
  }
  yielding_.assign(count, 1.0);
  given_.assign(count, Vec6::Zero());
  without_.clear();
  for (const int body : touching_) without_.push_back(bodies.velocity(body));
  rows_.assign(contacts.size(), Row());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    rows_[c].axes = axes_of(contact.normal);
    double unjoined = 0.0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 unit = rows_[c].axes.col(k);
      unjoined += bodies.flexibility(contact.body, wrench(contact.arm, unit)) +
                  bodies.flexibility(contact.other, wrench(contact.other_arm, unit));
    }
    rows_[c].least_response = vanishing * unjoined;
  }
}

/// The velocities of parting that contacts ask for, from V' before any of them acts.
void ContactImpulses::set_targets(const FreeBodies& bodies) {
  std::vector<Vec6>& last = before_;
  last.clear();
  for (const int body : touching_) {
    const BodyReport report = bodies.report(body);
    last.push_back(joined(report.velocity, report.angular));
  }
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const Contact& contact = contacts_[c];
    double& target = rows_[c].target;
    target = -contact.gap / dt_;
    if (target > 0.0)
      target = std::min(taken_back * std::max(0.0, -contact.gap - slop * dx_) / dt_,
                        fastest_return * dx_ / std::max(dt_, times_.normal));
    const double approach = -contact.normal.dot(parting(contact, velocity_));
    const double at_start = -contact.normal.dot(parting(contact, last));
    const double gap = std::max(contact.gap, 0.0);
    if (contact.restitution == 0.0 || at_start <= 0.0 || approach * dt_ <= gap) continue;
    const double growth = (approach - at_start) / times_.acting;
    const double gained = growth * (times_.lag - std::min(gap / approach, dt_));  // since the impact
    const double rebound = contact.restitution * std::max(approach - gained, 0.0) - gained;
    target = std::max(target, rebound);
  }
}

/// Responses of contacts to their own impulses.
void ContactImpulses::set_responses() {
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const Contact& contact = contacts_[c];
    Row& row = rows_[c];
    const auto a = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(contact.body)]);
    for (int k = 0; k < 3; ++k) {
      const Vec3 unit = row.axes.col(k);
      const Vec6 mine = wrench(contact.arm, unit);
      Vec3 change = point_velocity(response_of(a, a, mine), contact.arm);
      if (contact.other >= 0) {
        const auto b = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(contact.other)]);
        const Vec6 theirs = wrench(contact.other_arm, -unit);
        change += point_velocity(response_of(a, b, theirs), contact.arm);
        change -= point_velocity(response_of(b, a, mine) + response_of(b, b, theirs), contact.other_arm);
      }
      row.response.col(k) = row.axes.transpose() * change;
    }
  }
}

/// Let an impulse at a contact act on the velocities.
void ContactImpulses::push(const Contact& contact, const Vec3& impulse) {
  const auto act_on = [&](int body, const Vec6& on_body) {
    const auto m = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(body)]);
    given_[m] += on_body;
    for (const int n : coupled_[m])
      velocity_[static_cast<std::size_t>(n)] += response_of(static_cast<std::size_t>(n), m, on_body);
  };
  act_on(contact.body, wrench(contact.arm, impulse));
  if (contact.other >= 0) act_on(contact.other, wrench(contact.other_arm, -impulse));
}

/// Correct the impulse of one contact. \return the change of its velocity of parting [m/s]
double ContactImpulses::correct(std::size_t c) {
  Row& row = rows_[c];
  const Contact& contact = contacts_[c];
  const Mat3& response = row.response;
  if (!(response(0, 0) > row.least_response)) return 0.0;  // both are held, or joined
  const Vec3 velocity = row.axes.transpose() * parting(contact, velocity_);
  Vec3 next = row.impulse;
  next[0] = std::max(0.0, next[0] - (velocity[0] - row.target) / response(0, 0));
  const double most = contact.friction * next[0];
  const double in_tangents = response(1, 1) + response(2, 2);
  if (most == 0.0) {
    next[1] = next[2] = 0.0;
  } else if (in_tangents > row.least_response) {
    const Vec3 slip = velocity + response.col(0) * (next[0] - row.impulse[0]);
    // one number for both tangents, so that friction is opposite to the slip where it is at its bound
    const double stiffest =
        0.5 * (in_tangents + std::hypot(response(1, 1) - response(2, 2), response(1, 2) + response(2, 1)));
    next.tail<2>() -= slip.tail<2>() / stiffest;
    const double size = std::hypot(next[1], next[2]);
    if (size > most) next.tail<2>() *= most / size;
  }
  const Vec3 change = next - row.impulse;
  row.impulse = next;
  if (change.isZero(0.0)) return 0.0;
  push(contact, row.axes * change);
  return (response * change).cwiseAbs().maxCoeff();
}

/// Sweep until velocities change by less than `smallest` [cells a step]. The changes of the sweeps are directions of
/// conjugate gradients.
void ContactImpulses::sweep(double smallest) {
  double last = 0.0;
  for (Row& row : rows_) row.direction.setZero();
  for (int n = 0; n < most_sweeps; ++n) {
    double largest = 0.0;
    for (Row& row : rows_) row.before = row.impulse;
    for (std::size_t c = 0; c < rows_.size(); ++c) largest = std::max(largest, correct(c));
    for (std::size_t c = rows_.size(); c-- > 0;) largest = std::max(largest, correct(c));
    if (largest <= smallest * dx_ / dt_ || n + 1 == most_sweeps) return;  // impulses of a sweep are allowed ones
    double size = 0.0;                                                    // energy of the change
    for (const Row& row : rows_) size += row.response.diagonal().dot((row.impulse - row.before).cwiseAbs2());
    const double part = n > 0 && size < last ? size / last : 0.0;
    last = size;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      Row& row = rows_[c];
      const Vec3 change = row.impulse - row.before;
      const Vec3 further = part * row.direction;
      row.direction = further + change;
      if (further.isZero(0.0)) continue;
      row.impulse += further;
      push(contacts_[c], row.axes * further);
    }
  }
}

/// Find which bodies are in liquid, and how much less they yield there.
void ContactImpulses::set_yielding(const FreeBodies& bodies) {
  for (std::size_t n = 0; n < touching_.size(); ++n) {
    if (velocity_[n] == without_[n]) continue;
    const BodyMass& mass = bodies.body(touching_[n]).mass;
    yielding_[n] = mass.mass / (mass.mass + added_mass * mass.displaced);
    is_wet_ = true;
  }
}

/// Set the impulses to those that acted in the last projection.
void ContactImpulses::take_impulses(const FreeBodies& bodies) {
  for (Row& row : rows_) {
    row.impulse.setZero();
    for (int k = 0; k < row.n_held; ++k) row.impulse[k] = bodies.held_impulse(row.first_held + k);
  }
}

/// Find the impulses that the velocities ask for.
void ContactImpulses::solve(double smallest) {
  given_.assign(touching_.size(), Vec6::Zero());
  set_responses();
  sweep(smallest);
}

/// Whether the contacts ask for the velocities of the last projection.
bool ContactImpulses::agrees() const {
  for (const Contact& contact : contacts_) {
    const Vec3 change = parting(contact, velocity_) - parting(contact, before_);
    const double along = contact.normal.dot(change);
    if (std::abs(along) > small_push * dx_ / dt_) return false;
    if ((change - along * contact.normal).norm() > small_slip * dx_ / dt_) return false;
  }
  return true;
}

/// Find the impulses that bodies need beside those of the last projection, as if the liquid did not answer.
void ContactImpulses::solve_alone() {
  velocity_ = before_;
  yielding_.assign(touching_.size(), 1.0);
  for (Row& row : rows_) row.impulse.setZero();
  solve(converged);
}

/// Push the bodies by the impulses found last.
void ContactImpulses::push_bodies(FreeBodies& bodies) {
  pushes_.assign(static_cast<std::size_t>(bodies.count()), Vec6::Zero());
  for (std::size_t n = 0; n < touching_.size(); ++n) pushes_[static_cast<std::size_t>(touching_[n])] = given_[n];
  bodies.push(pushes_);
}

/// The row that holds the velocity of parting along one of a contact's axes.
HeldRow ContactImpulses::held_row(std::size_t c, int axis) const {
  const Contact& contact = contacts_[c];
  const Vec3 along = rows_[c].axes.col(axis);
  HeldRow row;
  row.body = contact.body;
  row.other = contact.other;
  row.of_body = wrench(contact.arm, along);
  row.target = axis == 0 ? rows_[c].target : 0.0;
  if (contact.other >= 0)
    row.of_other = wrench(contact.other_arm, -along);
  else
    row.target += along.dot(contact.carried);
  row.reference = rows_[c].least_response / vanishing;
  return row;
}

/// Let the next projection hold the contacts that push. Friction holds the tangents of those that stick; where they
/// slip it is a drag, which at the velocity found now is Coulomb's.
void ContactImpulses::hold(FreeBodies& bodies) {
  held_.clear();
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    Row& row = rows_[c];
    const double most = contacts_[c].friction * row.impulse[0];
    row.first_held = static_cast<int>(held_.size());
    row.n_held = !(row.impulse[0] > 0.0) ? 0 : most > 0.0 ? 3 : 1;
    const Vec3 slip = row.axes.transpose() * parting(contacts_[c], velocity_);
    const bool slips = std::hypot(row.impulse[1], row.impulse[2]) >= sticking * most;
    for (int k = 0; k < row.n_held; ++k) {
      held_.push_back(held_row(c, k));
      if (k > 0 && slips) held_.back().compliance = std::hypot(slip[1], slip[2]) / most;
    }
  }
  bodies.hold(held_);
}

int ContactImpulses::count_pushing() const {
  return static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.impulse[0] > 0.0; }));
}

bool ContactImpulses::act(FreeBodies& bodies, Round round) {
  FRESHET_EXPECT(!contacts_.empty());
  velocity_.clear();
  for (const int body : touching_) velocity_.push_back(bodies.velocity(body));
  if (n_acts_++ == 0) {
    set_yielding(bodies);
    set_targets(bodies);
  } else {
    take_impulses(bodies);
  }
  before_ = velocity_;
  solve(is_wet_ ? guessed : converged);
  n_pushing_ = count_pushing();
  if (is_wet_ && round != Round::last && !agrees()) {
    hold(bodies);
    return true;
  }
  if (is_wet_) solve_alone();
  push_bodies(bodies);
  return false;
}

}  // namespace freshet
