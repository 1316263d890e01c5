// SPDX-License-Identifier: Apache-2.0
// FreeBodies that joints connect.
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr double resolved_joint = 0.1;  ///< dt^2 k / m up to which a spring's force at the start of the step is taken
constexpr double kept_joint = 1e-14;    ///< error of joints that counts as none [m over 1 m], [rad]
constexpr double open_joint = 0.01;     ///< error of joints that ends the run, if it cannot be mended [cells], [rad]
constexpr int most_mending_rounds = 50;

}  // namespace

BodyPlace FreeBodies::place(int n) const {
  if (n < 0) return {};  // the ground
  const State& state = states_[static_cast<std::size_t>(n)];
  return {state.center, state.rotation};
}

double FreeBodies::flexibility(int n, const Vec6& row) const {
  if (n < 0) return 0.0;
  const BodyMass& mass = bodies_[static_cast<std::size_t>(n)].mass;
  const Vec3 turn = states_[static_cast<std::size_t>(n)].rotation.transpose() * row.tail<3>();
  return row.head<3>().squaredNorm() / mass.mass + turn.dot(mass.inertia.inverse() * turn);
}

double FreeBodies::flexibility(const Joint& joint, const JointRow& row) const {
  return flexibility(joint.body, row.body) + flexibility(joint.other, row.other);
}

/// Add the forces of the joints' springs at the start of the step, and find what acts at its end.
void FreeBodies::find_joint_loads(double dt) {
  for (std::size_t j = 0; j < joint_trials_.size(); ++j) {
    const Joint& joint = links_.joints[j];
    JointTrial& trial = joint_trials_[j];
    trial = {};
    if (!has_free_coordinate(joint.kind)) continue;
    trial.row = free_coordinate(joint, place(joint.body), place(joint.other), joint_values_[j]);
    trial.pull = joint.stiffness * (trial.row.value - joint.rest);
    trial.drag = acting_ * joint.damping;
    const double stiff = acting_ * dt * joint.stiffness;
    if (stiff * flexibility(joint, trial.row) > resolved_joint) trial.drag += stiff;
    loads_[static_cast<std::size_t>(joint.body)] -= trial.pull * trial.row.body;
    if (joint.other >= 0) loads_[static_cast<std::size_t>(joint.other)] -= trial.pull * trial.row.other;
  }
}

/// Hold the held axes of an assembly's bodies.
void FreeBodies::hold_axes(Assembly& assembly) const {
  for (std::size_t i = 0; i < assembly.bodies().size(); ++i) {
    const auto n = static_cast<std::size_t>(assembly.bodies()[i]);
    const FreeBody& body = bodies_[n];
    for (int axis = 0; axis < 6; ++axis)
      if (is_held(n, axis))
        assembly.hold(static_cast<int>(i), axis, axis < 3 ? body.velocity[axis] : body.angular[axis - 3]);
  }
}

void FreeBodies::predict_assembly(Assembly& assembly, double dt) {
  for (std::size_t i = 0; i < assembly.bodies().size(); ++i) {
    Mat6 system;
    const Vec6 momenta = begin_body(static_cast<std::size_t>(assembly.bodies()[i]), dt, system);
    assembly.set_body(static_cast<int>(i), system, momenta);
  }
  for (const Assembly::Member& member : assembly.members()) {
    const JointTrial& trial = joint_trials_[static_cast<std::size_t>(member.joint)];
    if (trial.drag > 0.0) assembly.add_drag(member, trial.row, trial.drag);
  }
  hold_axes(assembly);
  assembly.solve();
  find_rows(assembly, 0.0);
  set_assembly_rows(assembly);
  keep_joints(assembly, dt);
  for (std::size_t i = 0; i < assembly.bodies().size(); ++i) {
    Trial& trial = trials_[static_cast<std::size_t>(assembly.bodies()[i])];
    trial.predicted = trial.velocity = assembly.velocity(static_cast<int>(i));
    trial.response = Mat6();
    trial.jointed.setZero();
  }
}

/// Find the rows of an assembly's joints where its velocities bring the bodies in dt. [s]
void FreeBodies::find_rows(const Assembly& assembly, double dt) {
  const auto place_after = [&](int in_assembly) {
    if (in_assembly < 0) return BodyPlace();
    const BodyPlace now = place(assembly.bodies()[static_cast<std::size_t>(in_assembly)]);
    return dt > 0.0 ? now.moved(dt, assembly.velocity(in_assembly)) : now;
  };
  joint_rows_.clear();
  for (const Assembly::Member& member : assembly.members())
    append_rows(links_.joints[static_cast<std::size_t>(member.joint)], place_after(member.body),
                place_after(member.other), joint_rows_);
}

/// Give an assembly the rows that find_rows() found.
void FreeBodies::set_assembly_rows(Assembly& assembly) {
  of_rows_.clear();
  for (const Assembly::Member& member : assembly.members())
    for (int r = 0; r < member.n_rows; ++r)
      of_rows_.push_back(flexibility(links_.joints[static_cast<std::size_t>(member.joint)],
                                     joint_rows_[static_cast<std::size_t>(member.first_row + r)]));
  assembly.set_rows(joint_rows_, of_rows_);
}

/// Set of_rows_ to the errors of joints after dt. \return the largest one
double FreeBodies::largest_error(const Assembly& assembly, double dt) {
  find_rows(assembly, dt);
  of_rows_.clear();
  double largest = 0.0;
  for (const JointRow& row : joint_rows_) {
    of_rows_.push_back(row.value);
    largest = std::max(largest, std::abs(row.value));
  }
  return largest;
}

/// Change the velocities of an assembly by impulses of its joints, along their rows at the start of the step, such that
/// the joints hold at its end. Where the step is too long for that, the joints' rates vanish at its start.
void FreeBodies::keep_joints(Assembly& assembly, double dt) {
  if (assembly.n_rows() == 0) return;
  const auto keep_rates = [&] {
    of_rows_.resize(static_cast<std::size_t>(assembly.n_rows()));
    assembly.rates(of_rows_);
    assembly.mend(of_rows_);
  };
  keep_rates();
  const double first = largest_error(assembly, dt);
  double error = first;
  for (int round = 0; round < most_mending_rounds && error > kept_joint; ++round) {
    for (double& value : of_rows_) value /= dt;
    assembly.mend(of_rows_);
    const double next = largest_error(assembly, dt);
    if (!(next < 0.9 * error)) {  // rounding; or it does not converge
      error = next;
      break;
    }
    error = next;
  }
  if (error <= first) return;
  assembly.forget_mending();
  keep_rates();
}

/// End the trial of an assembly: find the joints' impulses and reports.
void FreeBodies::take_joint_impulses(Assembly& assembly) {
  if (acting_ == 0.0) return;  // no trial
  for (const int n : assembly.bodies()) {
    Trial& trial = trials_[static_cast<std::size_t>(n)];
    impulses_[static_cast<std::size_t>(n)] = trial.impulse + trial.pushed + trial.held;
    trial.jointed.setZero();
  }
  assembly.find_impulses(impulses_);
  for (const Assembly::Member& member : assembly.members()) {
    const JointTrial& joint = joint_trials_[static_cast<std::size_t>(member.joint)];
    report_joint(member, assembly);
    const double drag = joint.drag * joint_reports_[static_cast<std::size_t>(member.joint)].rate;
    const auto give = [&](int in_assembly, const Vec6& impulse) {
      if (in_assembly < 0) return;
      trials_[static_cast<std::size_t>(assembly.bodies()[static_cast<std::size_t>(in_assembly)])].jointed += impulse;
    };
    give(member.body, assembly.impulse_on_body(member) - drag * joint.row.body);
    give(member.other, assembly.impulse_on_other(member) - drag * joint.row.other);
  }
}

/// Report what a joint did in the step. \pre its impulses are found
void FreeBodies::report_joint(const Assembly::Member& member, const Assembly& assembly) {
  const Joint& joint = links_.joints[static_cast<std::size_t>(member.joint)];
  const JointTrial& trial = joint_trials_[static_cast<std::size_t>(member.joint)];
  JointReport& report = joint_reports_[static_cast<std::size_t>(member.joint)];
  report.rate = trial.row.body.dot(trials_[static_cast<std::size_t>(joint.body)].velocity);
  if (joint.other >= 0) report.rate += trial.row.other.dot(trials_[static_cast<std::size_t>(joint.other)].velocity);
  report.effort = -trial.pull - trial.drag / acting_ * report.rate;
  report.power = joint.damping * report.rate * report.rate;
  const Vec6 force = assembly.impulse_on_body(member) / acting_;
  const State& state = states_[static_cast<std::size_t>(joint.body)];
  report.force = force.head<3>();
  report.moment = Vec3(force.tail<3>()) - (state.rotation * joint.point).cross(report.force);
}

/// Bring the bodies of an assembly back onto their joints, by Newton's method. Displacements are the least ones in the
/// mass matrix's norm. Errors: RunError if held axes and joints contradict each other
void FreeBodies::mend_places(Assembly& assembly) {
  if (assembly.n_rows() == 0) return;
  double error = largest_error(assembly, 0.0);
  for (int round = 0; round < most_mending_rounds && error > kept_joint; ++round) {
    const std::vector<double>& errors = of_errors_ = of_rows_;
    set_assembly_rows(assembly);
    const std::span<const double> way = assembly.displacement(errors);
    places_before_.clear();
    for (const int n : assembly.bodies()) places_before_.push_back(place(n));
    for (std::size_t i = 0; i < assembly.bodies().size(); ++i) {
      State& state = states_[static_cast<std::size_t>(assembly.bodies()[i])];
      Vec6 own;
      for (int d = 0; d < 6; ++d) own[d] = way[6 * i + static_cast<std::size_t>(d)];
      const BodyPlace mended = BodyPlace{state.center, state.rotation}.moved(1.0, own);
      state.center = mended.center;
      state.rotation = mended.rotation;
    }
    const double next = largest_error(assembly, 0.0);
    const bool has_settled = !(next < 0.5 * error);  // rounding, or a joint that held axes do not allow
    if (!(next < error)) {
      for (std::size_t i = 0; i < assembly.bodies().size(); ++i) {
        State& state = states_[static_cast<std::size_t>(assembly.bodies()[i])];
        state.center = places_before_[i].center;
        state.rotation = places_before_[i].rotation;
      }
    } else {
      error = next;
    }
    if (has_settled) break;
  }
  if (error > open_joint * std::min(domain_.dx(), 1.0)) refuse_open_joint(assembly);
}

/// Report the joint of an assembly with the largest error. Errors: RunError
void FreeBodies::refuse_open_joint(const Assembly& assembly) {
  largest_error(assembly, 0.0);
  const Assembly::Member* worst = nullptr;
  double largest = 0.0;
  for (const Assembly::Member& member : assembly.members())
    for (int r = member.first_row; r < member.first_row + member.n_rows; ++r) {
      const double error = std::abs(joint_rows_[static_cast<std::size_t>(r)].value);
      if (worst != nullptr && !(error > largest)) continue;
      worst = &member;
      largest = error;
    }
  throw RunError(fmt::format(
      "phase move: the joint '{}' stands open by {:.3g} m (or rad) at t = {:.6g} s: the axes that its bodies "
      "hold (body.fixed) and the other joints do not let it close. Free an axis, or leave a joint out",
      links_.joints[static_cast<std::size_t>(worst->joint)].name, largest, time_));
}

/// Find the free coordinates at the present places.
void FreeBodies::measure_joints() {
  for (std::size_t j = 0; j < joint_values_.size(); ++j) {
    const Joint& joint = links_.joints[j];
    if (has_free_coordinate(joint.kind))
      joint_values_[j] = free_coordinate(joint, place(joint.body), place(joint.other), joint_values_[j]).value;
    joint_reports_[j].value = joint_values_[j];
  }
}

/// Set a body's angular momentum to that of its rotation and angular velocity.
void FreeBodies::set_momentum(int n) {
  State& state = states_[static_cast<std::size_t>(n)];
  const Mat3& inertia = bodies_[static_cast<std::size_t>(n)].mass.inertia;
  state.momentum = state.rotation * inertia * state.rotation.transpose() * state.velocity.tail<3>();
}

void FreeBodies::set_state(int n, const BodyPlace& place, const Vec6& velocity) {
  State& state = states_[static_cast<std::size_t>(n)];
  state.center = place.center;
  state.rotation = without_drift(place.rotation);
  state.velocity = velocity;
  set_momentum(n);
  if (const int number = assembly_of_[static_cast<std::size_t>(n)]; number >= 0) {
    Assembly& assembly = assemblies_[static_cast<std::size_t>(number)];
    for (std::size_t i = 0; i < assembly.bodies().size(); ++i)
      assembly.set_body(static_cast<int>(i), plain_mass(static_cast<std::size_t>(assembly.bodies()[i])), Vec6::Zero());
    hold_axes(assembly);
    assembly.solve();
    mend_places(assembly);
    for (const int m : assembly.bodies()) set_momentum(m);
    measure_joints();
  }
  give_up();
}

}  // namespace freshet
