// SPDX-License-Identifier: Apache-2.0
// FreeBodies: state and motion. body_rows.cpp has their part in the pressure's system.
#include "freshet/bodies/free_bodies.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace freshet {
namespace {

constexpr double radians_in_degree = std::numbers::pi / 180.0;
constexpr double resolved_spring = 0.1;  ///< dt^2 k / m up to which a spring's force at the start of the step is taken

/// Moments of inertia in the axes of space.
Mat3 turned(const Mat3& inertia, const Mat3& rotation) {
  return rotation * inertia * rotation.transpose();
}

/// Visit the numbers that a checkpoint keeps of a body.
template <class State, class Visit>
void for_each_number(State& state, Visit&& visit) {
  const auto visit_all = [&](const char* name, auto& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) visit(fmt::format("{}{}", name, i), *(matrix.data() + i));
  };
  visit_all("center", state.center);
  visit_all("rotation", state.rotation);
  visit_all("velocity", state.velocity);
  visit_all("momentum", state.momentum);
  visit_all("force", state.force);
}

}  // namespace

FreeBody free_body(const BodyParameters& parameters, const BodyMass& mass, double thickness) {
  FreeBody body;
  body.mass = mass;
  body.fixed = fixed_axes(parameters);
  body.velocity = parameters.velocity;
  body.angular = radians_in_degree * parameters.angular_velocity;
  body.force = thickness * parameters.force;
  body.moment = thickness * parameters.moment;
  body.damping = thickness * parameters.damping;
  body.quadratic_damping = thickness * parameters.quadratic_damping;
  body.angular_damping = thickness * parameters.angular_damping;
  body.springs = parameters.springs;
  for (std::vector<double>& spring : body.springs) spring[6] *= thickness;
  return body;
}

FreeBodies::FreeBodies(const Domain& domain, double density, const Vec3& gravity, std::vector<FreeBody> bodies)
    : domain_(domain), scale_(density * domain.cell_volume()), gravity_(gravity), bodies_(std::move(bodies)) {
  constexpr unsigned out_of_plane = 1U << 2U | 1U << 3U | 1U << 4U;
  for (FreeBody& body : bodies_) {
    FRESHET_EXPECT(body.path != nullptr);
    if (domain.dimension() == 2) body.fixed |= out_of_plane;
    State state{body.mass.center, Mat3::Identity(), Vec6::Zero(), body.mass.inertia * body.angular, Vec6::Zero()};
    state.velocity << body.velocity, body.angular;
    states_.push_back(state);
  }
  trials_.resize(bodies_.size());
  give_up();
}

BodyReport FreeBodies::report(int n) const {
  const State& state = states_[static_cast<std::size_t>(n)];
  return {state.center,          state.rotation,       state.velocity.head<3>(), state.velocity.tail<3>(),
          state.force.head<3>(), state.force.tail<3>()};
}

void FreeBodies::move_path(std::size_t n, const Vec6& velocity) {
  const State& state = states_[n];
  *bodies_[n].path = {time_, state.center, state.rotation, velocity.head<3>(), velocity.tail<3>()};
}

void FreeBodies::give_up() {
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    move_path(n, states_[n].velocity);
    trials_[n] = {states_[n].velocity, states_[n].velocity, Mat6(), Vec6::Zero(), Vec6::Zero(),
                  Vec6::Zero(),        states_[n].momentum, Mat6()};
  }
}

/// The mean angular velocity over dt of a body with an angular momentum along its free axes; held axes keep theirs.
Vec3 FreeBodies::spin_of(std::size_t n, const Vec3& momentum, double dt) const {
  const FreeBody& body = bodies_[n];
  const State& state = states_[n];
  if ((body.fixed >> 3U) == 0) return free_spin(body.mass.inertia, state.rotation, momentum, dt);
  Vec3 spin = state.velocity.tail<3>();
  for (int round = 0; round < 2; ++round) {  // about the place in the middle of the step
    const Mat3 half = turn_by(0.5 * dt * spin) * state.rotation;
    const Mat3 inertia = turned(body.mass.inertia, round == 0 ? state.rotation : half);
    Mat3 system = inertia;
    Vec3 right = momentum;
    for (int d = 0; d < 3; ++d) {
      if (!is_held(n, 3 + d)) continue;
      system.row(d) = Vec3::Unit(d).transpose();
      right[d] = body.angular[d];
    }
    spin = system.inverse() * right;
  }
  return spin;
}

void FreeBodies::predict(double dt, double acting) {
  FRESHET_EXPECT(dt > 0.0 && acting > 0.0);
  acting_ = acting;
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    predict_body(n, dt);
    move_path(n, trials_[n].predicted);
  }
}

/// Add a body's springs. \param[in,out] force  at the start of the step \param[in,out] held_back  added to the mass by
/// stiff springs, which act at the end of the step
void FreeBodies::add_springs(std::size_t n, double dt, Vec6& force, Mat6& held_back) const {
  const FreeBody& body = bodies_[n];
  const State& state = states_[n];
  for (const std::vector<double>& spring : body.springs) {
    const Vec3 arm = state.rotation * (Vec3(spring[0], spring[1], spring[2]) - body.mass.center);
    const Vec3 way = state.center + arm - Vec3(spring[3], spring[4], spring[5]);
    const double length = way.norm();
    if (length == 0.0) continue;
    Vec6 along;  // the velocity of the point along the spring is this times V
    along << way / length, arm.cross(way / length);
    force -= spring[6] * (length - spring[7]) * along;
    if (acting_ * dt * spring[6] <= resolved_spring * body.mass.mass) continue;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) held_back(i, j) += acting_ * dt * spring[6] * along[i] * along[j];
  }
}

void FreeBodies::predict_body(std::size_t n, double dt) {
  const FreeBody& body = bodies_[n];
  const State& state = states_[n];
  Trial& trial = trials_[n];
  const Vec3 velocity = state.velocity.head<3>();
  Vec6 force;
  force << body.force + body.mass.mass * gravity_, body.moment;
  Mat6 held_back;
  for (int d = 0; d < 3; ++d) {
    held_back(d, d) = acting_ * (body.damping + body.quadratic_damping * velocity.norm());
    held_back(3 + d, 3 + d) = acting_ * body.angular_damping;
  }
  add_springs(n, dt, force, held_back);
  trial.held_back = held_back;
  trial.momentum = state.momentum + acting_ * force.tail<3>();
  Vec6 free;  // velocities without what acts at the end of the step
  free << velocity + acting_ / body.mass.mass * force.head<3>(), spin_of(n, trial.momentum, dt);
  const Mat3 inertia = turned(body.mass.inertia, state.rotation);
  Vec6 right;  // momenta
  right << body.mass.mass * free.head<3>(), inertia * free.tail<3>();
  Mat6 system = held_back;
  for (int d = 0; d < 3; ++d) {
    system(d, d) += body.mass.mass;
    for (int e = 0; e < 3; ++e) system(3 + d, 3 + e) += inertia(d, e);
  }
  for (int i = 0; i < 6; ++i) {
    if (!is_held(n, i)) continue;
    for (int j = 0; j < 6; ++j) system(i, j) = i == j ? 1.0 : 0.0;
    right[i] = i < 3 ? body.velocity[i] : body.angular[i - 3];
  }
  const Mat6 inverse = inverse_of(system);
  trial.predicted = trial.velocity = inverse * right;
  trial.response = Mat6();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (!is_held(n, i) && !is_held(n, j)) trial.response(i, j) = 0.5 * scale_ * (inverse(i, j) + inverse(j, i));
  trial.impulse.setZero();
  trial.pushed.setZero();
}

Pose FreeBodies::pose(int n) const {
  const auto body = static_cast<std::size_t>(n);
  const State& state = states_[body];
  return {state.rotation, state.center - state.rotation * bodies_[body].mass.center};
}

Mat6 FreeBodies::inverse_mass(int n, int m) const {
  Mat6 inverse;
  if (n != m) return inverse;
  inverse = trials_[static_cast<std::size_t>(n)].response;
  for (double& entry : inverse.entries) entry /= scale_;
  return inverse;
}

void FreeBodies::push(std::span<const Vec6> impulses) {
  FRESHET_EXPECT(impulses.size() == bodies_.size());
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    Trial& trial = trials_[n];
    const Vec6 change = trial.response * Vec6(impulses[n] / scale_);
    trial.predicted += change;
    trial.velocity += change;
    trial.pushed += impulses[n];
    move_path(n, trial.velocity);
  }
}

void FreeBodies::take_back_pressure() {
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    Trial& trial = trials_[n];
    trial.velocity = trial.predicted;
    trial.impulse.setZero();
    move_path(n, trial.velocity);
  }
}

void FreeBodies::end_step(double dt, double time) {
  time_ = time;
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    State& state = states_[n];
    const Trial& trial = trials_[n];
    state.center += dt * trial.velocity.head<3>();
    state.rotation = without_drift(turn_by(dt * trial.velocity.tail<3>()) * state.rotation);
    state.velocity = trial.velocity;
    state.momentum = trial.momentum + trial.impulse.tail<3>() + trial.pushed.tail<3>();
    if (acting_ > 0.0) state.force = trial.impulse / acting_;
    for (int d = 0; d < 3; ++d)
      for (int i = 0; i < 6; ++i) state.momentum[d] -= trial.held_back(3 + d, i) * trial.velocity[i];
  }
  acting_ = 0.0;
  give_up();
}

void FreeBodies::set_time(double time) {
  time_ = time;
  for (const FreeBody& body : bodies_) body.path->time = time;
}

std::vector<std::pair<std::string, double>> FreeBodies::kept() const {
  std::vector<std::pair<std::string, double>> numbers;
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    for_each_number(states_[n], [&](const std::string& name, double value) {
      numbers.emplace_back(fmt::format("body.{}.{}", bodies_[n].solid, name), value);
    });
  return numbers;
}

void FreeBodies::go_on(const std::function<const double*(const std::string&)>& find, double time) {
  time_ = time;
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    for_each_number(states_[n], [&](const std::string& name, double& value) {
      const std::string full = fmt::format("body.{}.{}", bodies_[n].solid, name);
      const double* const found = find(full);
      if (found == nullptr) throw FileError(fmt::format("the checkpoint does not fit together: it has no {}.", full));
      value = *found;
    });
  for (const State& state : states_)
    if (!((state.rotation.transpose() * state.rotation - Mat3::Identity()).norm() < 1e-6) ||
        !(state.rotation.determinant() > 0.0))
      throw FileError("the checkpoint does not fit together: the rotation of a body is none.");
  give_up();
}

}  // namespace freshet
