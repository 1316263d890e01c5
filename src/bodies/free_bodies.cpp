// SPDX-License-Identifier: Apache-2.0
// FreeBodies: state and motion. body_rows.cpp has their part in the pressure's system.
#include "freshet/bodies/free_bodies.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr const char* solid_array = "solid";      ///< number of each body's solid
constexpr const char* pressed_array = "pressed";  ///< State::pressed, six numbers a body
constexpr const char* joint_array = "joint";      ///< free coordinate of each joint

/// Visit the arrays of numbers that a checkpoint keeps of a body.
template <class State, class Visit>
void for_each_array(State& state, Visit&& visit) {
  const auto visit_one = [&](const char* name, auto& matrix) {
    visit(name, std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
  };
  visit_one("center", state.center);
  visit_one("rotation", state.rotation);
  visit_one("velocity", state.velocity);
  visit_one("momentum", state.momentum);
  visit_one("force", state.force);
}

[[noreturn]] void refuse(const std::string& what) {
  throw FileError("the checkpoint does not fit together: " + what + ".");
}

/// An array of a checkpoint. Errors: FileError if it is missing or has not n elements
std::span<const double> array_of(const KeptArrays& kept, const std::string& name, std::size_t n) {
  const auto found = kept.find(name);
  if (found == kept.end()) refuse(fmt::format("it has no {} of bodies", name));
  if (found->second.size() != n) refuse(fmt::format("{} of bodies has another length", name));
  return found->second;
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

FreeBodies::FreeBodies(const Domain& domain, double density, const Vec3& gravity, std::vector<FreeBody> bodies,
                       BodyLinks links)
    : domain_(domain),
      scale_(density * domain.cell_volume()),
      gravity_(gravity),
      bodies_(std::move(bodies)),
      links_(std::move(links)),
      assemblies_(make_assemblies(count(), links_.joints)),
      assembly_of_(bodies_.size(), -1),
      place_of_(bodies_.size(), -1),
      trials_(bodies_.size()),
      joint_reports_(links_.joints.size()),
      joint_trials_(links_.joints.size()),
      friction_(bodies_.size(), Vec6::Zero()),
      line_tension_(bodies_.size(), Vec6::Zero()),
      stress_(bodies_.size(), Vec6::Zero()),
      loads_(bodies_.size(), Vec6::Zero()),
      mooring_drag_(bodies_.size()),
      changes_(bodies_.size(), Vec6::Zero()),
      impulses_(bodies_.size(), Vec6::Zero()) {
  constexpr unsigned out_of_plane = 1U << 2U | 1U << 3U | 1U << 4U;
  for (FreeBody& body : bodies_) {
    FRESHET_EXPECT(body.path != nullptr);
    if (domain.dimension() == 2) body.fixed |= out_of_plane;
    State state{body.mass.center, Mat3::Identity(), Vec6::Zero(), body.mass.inertia * body.angular, Vec6::Zero()};
    state.velocity = joined(body.velocity, body.angular);
    states_.push_back(state);
  }
  for (std::size_t a = 0; a < assemblies_.size(); ++a)
    for (std::size_t i = 0; i < assemblies_[a].bodies().size(); ++i) {
      const auto n = static_cast<std::size_t>(assemblies_[a].bodies()[i]);
      assembly_of_[n] = static_cast<int>(a);
      place_of_[n] = static_cast<int>(i);
    }
  joint_values_.assign(links_.joints.size(), 0.0);
  measure_joints();
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
    trials_[n] = {states_[n].velocity, states_[n].velocity, Mat6(),       Vec6::Zero(),
                  Vec6::Zero(),        Vec6::Zero(),        Vec6::Zero(), Vec6::Zero(),
                  Vec6::Zero(),        states_[n].momentum, Mat6()};
  }
  held_.clear();
  foresees_ = false;
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
  held_.clear();
  find_loads(dt);
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    if (assembly_of_[n] < 0) predict_body(n, dt);
  for (Assembly& assembly : assemblies_) predict_assembly(assembly, dt);
  for (std::size_t n = 0; n < bodies_.size(); ++n) move_path(n, trials_[n].predicted);
}

void FreeBodies::set_loads(std::span<const Vec6> loads) {
  FRESHET_EXPECT(loads.empty() || loads.size() == bodies_.size());
  given_loads_.assign(loads.begin(), loads.end());
}

void FreeBodies::set_stress(std::span<const Vec6> impulses) {
  FRESHET_EXPECT(impulses.empty() || impulses.size() == bodies_.size());
  stress_.assign(bodies_.size(), Vec6::Zero());
  std::ranges::copy(impulses, stress_.begin());
}

void FreeBodies::set_line_tension(const SolidFields& solids, std::span<const LinePull> pieces, double tension,
                                  const Communicator& comm) {
  if (empty() || tension == 0.0) return;
  find_solids(solids);
  line_sums_.assign(6 * bodies_.size(), ExactSum());
  for (const LinePull& piece : pieces) {
    const int n = of_solid_[static_cast<std::size_t>(piece.solid)];
    if (n < 0) continue;
    const Vec6 load = joined(piece.pull, arm_of(piece.solid, piece.at).cross(piece.pull));
    for (int i = 0; i < 6; ++i) line_sums_[6 * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)].add(load[i]);
  }
  comm.sum_in_place(std::span<ExactSum>(line_sums_));
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    for (int i = 0; i < 6; ++i) line_tension_[n][i] = tension * line_sums_[6 * n + static_cast<std::size_t>(i)].round();
}

void FreeBodies::ask_for_loads(double time, double dt) {
  if (own_loads_.empty()) return;
  given_loads_.assign(bodies_.size(), Vec6::Zero());
  for (const Loads& add_to : own_loads_) add_to(time, dt, given_loads_);
}

/// Find the forces at the start of the step of all that acts on bodies from outside.
void FreeBodies::find_loads(double dt) {
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    loads_[n] = friction_[n] + line_tension_[n] + stress_[n] / acting_;
    if (!given_loads_.empty()) loads_[n] += given_loads_[n];
    mooring_drag_[n] = Mat6();
  }
  find_joint_loads(dt);
  for (const Mooring& mooring : links_.moorings) add_mooring(mooring, dt);
}

/// Add a mooring's force at the start of the step, and to the mass what acts at its end: damping and, if stiff, the
/// change of the force.
void FreeBodies::add_mooring(const Mooring& mooring, double dt) {
  const auto n = static_cast<std::size_t>(mooring.body);
  const State& state = states_[n];
  const Vec3 arm = state.rotation * mooring.point;
  const Vec3 velocity = state.velocity.head<3>() + Vec3(state.velocity.tail<3>()).cross(arm);
  const MooringForce line = force_of(mooring, state.center + arm, velocity);
  loads_[n].head<3>() += line.still;
  loads_[n].tail<3>() += arm.cross(line.still);
  Mat3 drag = acting_ * line.damping;
  if (acting_ * dt * line.stiffness.trace() > resolved_spring * bodies_[n].mass.mass)
    drag += acting_ * dt * line.stiffness;
  std::array<Vec3, 6> of_point;  // the fairlead's velocity by each number of V
  for (std::size_t d = 0; d < 3; ++d) {
    const Vec3 axis = Vec3::Unit(static_cast<int>(d));
    of_point[d] = axis;
    of_point[3 + d] = axis.cross(arm);
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      const double added = of_point[static_cast<std::size_t>(i)].dot(drag * of_point[static_cast<std::size_t>(j)]);
      mooring_drag_[n](i, j) += added;
      if (i != j) mooring_drag_[n](j, i) += added;
    }
}

/// The force and the moment at the present place of all that does not come from the liquid, gravity and damping.
Vec6 FreeBodies::present_force(std::size_t n) const {
  const auto number = static_cast<int>(n);
  Vec6 force = joined(bodies_[n].force, bodies_[n].moment);
  if (!given_loads_.empty()) force += given_loads_[n];
  Mat6 unused;
  add_springs(n, 0.0, force, unused);
  for (std::size_t m = 0; m < links_.moorings.size(); ++m) {
    if (links_.moorings[m].body != number) continue;
    const Vec3 pull = mooring_report(static_cast<int>(m)).still;
    force += joined(pull, Vec3(states_[n].rotation * links_.moorings[m].point).cross(pull));
  }
  for (std::size_t j = 0; j < links_.joints.size(); ++j) {
    const Joint& joint = links_.joints[j];
    if ((joint.body != number && joint.other != number) || !has_free_coordinate(joint.kind)) continue;
    const JointRow row = free_coordinate(joint, place(joint.body), place(joint.other), joint_values_[j]);
    force -= joint.stiffness * (row.value - joint.rest) * (joint.body == number ? row.body : row.other);
  }
  for (int axis = 0; axis < 6; ++axis)
    if (is_held(n, axis)) force[axis] = 0.0;
  return force;
}

double FreeBodies::largest_acceleration() const {
  double largest = 0.0;
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    const BodyMass& body = bodies_[n].mass;
    const Vec6 force = present_force(n);
    const double mass = body.mass + (states_[n].force.isZero(0.0) ? 0.0 : body.displaced);
    const double gyration = std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass);
    largest = std::max(largest, (force.head<3>().norm() + force.tail<3>().norm() / gyration) / mass);
  }
  return largest;
}

MooringForce FreeBodies::mooring_report(int mooring) const {
  const Mooring& line = links_.moorings[static_cast<std::size_t>(mooring)];
  const State& state = states_[static_cast<std::size_t>(line.body)];
  const Vec3 arm = state.rotation * line.point;
  return force_of(line, state.center + arm, state.velocity.head<3>() + Vec3(state.velocity.tail<3>()).cross(arm));
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
    // the velocity of the point along the spring is this times V
    const Vec6 along = joined(way / length, arm.cross(way / length));
    force -= spring[6] * (length - spring[7]) * along;
    if (acting_ * dt * spring[6] <= resolved_spring * body.mass.mass) continue;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) held_back(i, j) += acting_ * dt * spring[6] * along[i] * along[j];
  }
}

/// The mass matrix M of a body at its present place.
Mat6 FreeBodies::plain_mass(std::size_t n) const {
  const BodyMass& mass = bodies_[n].mass;
  const Mat3 inertia = turned(mass.inertia, states_[n].rotation);
  Mat6 matrix;
  for (int d = 0; d < 3; ++d) {
    matrix(d, d) = mass.mass;
    for (int e = 0; e < 3; ++e) matrix(3 + d, 3 + e) = inertia(d, e);
  }
  return matrix;
}

/// Begin a trial of a body. \param[out] system  its mass matrix with what acts at the end of the step, no axis held
/// \return momenta without what acts at the end of the step
Vec6 FreeBodies::begin_body(std::size_t n, double dt, Mat6& system) {
  const FreeBody& body = bodies_[n];
  const State& state = states_[n];
  Trial& trial = trials_[n];
  const Vec3 velocity = state.velocity.head<3>();
  Vec6 force = joined(body.force + body.mass.mass * gravity_, body.moment);
  force += loads_[n];
  Mat6 held_back = mooring_drag_[n];
  for (int d = 0; d < 3; ++d) {
    held_back(d, d) += acting_ * (body.damping + body.quadratic_damping * velocity.norm());
    held_back(3 + d, 3 + d) += acting_ * body.angular_damping;
  }
  add_springs(n, dt, force, held_back);
  trial.held_back = held_back;
  trial.momentum = state.momentum + acting_ * force.tail<3>();
  // velocities without what acts at the end of the step
  const Vec6 free = joined(velocity + acting_ / body.mass.mass * force.head<3>(), spin_of(n, trial.momentum, dt));
  const Mat3 inertia = turned(body.mass.inertia, state.rotation);
  system = plain_mass(n);
  for (std::size_t i = 0; i < system.entries.size(); ++i) system.entries[i] = held_back.entries[i] + system.entries[i];
  trial.impulse.setZero();
  trial.pushed.setZero();
  trial.held.setZero();
  return joined(body.mass.mass * free.head<3>(), inertia * free.tail<3>());
}

void FreeBodies::predict_body(std::size_t n, double dt) {
  const FreeBody& body = bodies_[n];
  Trial& trial = trials_[n];
  Mat6 system;
  Vec6 right = begin_body(n, dt, system);
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
}

Pose FreeBodies::pose(int n) const {
  const auto body = static_cast<std::size_t>(n);
  const State& state = states_[body];
  return {state.rotation, state.center - state.rotation * bodies_[body].mass.center};
}

Mat6 FreeBodies::inverse_mass(int n, int m) const {
  const int assembly = assembly_of_[static_cast<std::size_t>(n)];
  Mat6 inverse;
  if (assembly < 0 && n == m)
    for (std::size_t i = 0; i < inverse.entries.size(); ++i)
      inverse.entries[i] = trials_[static_cast<std::size_t>(n)].response.entries[i] / scale_;
  if (assembly < 0 || assembly_of_[static_cast<std::size_t>(m)] != assembly) return inverse;
  const Dense& response = assemblies_[static_cast<std::size_t>(assembly)].response();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      inverse(i, j) =
          response(6 * place_of_[static_cast<std::size_t>(n)] + i, 6 * place_of_[static_cast<std::size_t>(m)] + j);
  return inverse;
}

/// Set changes_, the changes of all velocities by impulses on all bodies.
void FreeBodies::set_change(std::span<const Vec6> impulses) {
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    changes_[n] = assembly_of_[n] < 0
                      ? Vec6(trials_[n].response * Vec6(impulses[n] / scale_))
                      : assemblies_[static_cast<std::size_t>(assembly_of_[n])].change(place_of_[n], impulses);
}

void FreeBodies::push(std::span<const Vec6> impulses) {
  FRESHET_EXPECT(impulses.size() == bodies_.size());
  set_change(impulses);
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    Trial& trial = trials_[n];
    trial.predicted += changes_[n];
    trial.velocity += changes_[n];
    trial.pushed += impulses[n];
    move_path(n, trial.velocity);
  }
}

void FreeBodies::take_back_pressure() {
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    Trial& trial = trials_[n];
    trial.velocity = trial.predicted;
    trial.impulse.setZero();
    trial.held.setZero();
  }
  obey_held_rows();
  for (std::size_t n = 0; n < bodies_.size(); ++n) move_path(n, trials_[n].velocity);
}

void FreeBodies::hold(std::span<const HeldRow> rows) {
  joined_.resize(bodies_.size());
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    joined_[n] = assembly_of_[n] < 0 ? static_cast<int>(n)
                                     : assemblies_[static_cast<std::size_t>(assembly_of_[n])].bodies().front();
  held_.set(rows, count(), joined_, [this](int n, int m) { return inverse_mass(n, m); });
}

/// Change the velocities of the trial to such that obey the held rows.
void FreeBodies::obey_held_rows() {
  if (held_.empty()) return;
  velocities_.clear();
  for (const Trial& trial : trials_) velocities_.push_back(trial.velocity);
  held_.obey(velocities_, impulses_);
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    trials_[n].velocity = velocities_[n];
    trials_[n].held = impulses_[n];
  }
}

void FreeBodies::end_step(double dt, double time) {
  time_ = time;
  for (Assembly& assembly : assemblies_) take_joint_impulses(assembly);
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    State& state = states_[n];
    const Trial& trial = trials_[n];
    state.center += dt * trial.velocity.head<3>();
    state.rotation = without_drift(turn_by(dt * trial.velocity.tail<3>()) * state.rotation);
    state.velocity = trial.velocity;
    state.momentum = trial.momentum + trial.impulse.tail<3>() + trial.pushed.tail<3>() + trial.held.tail<3>() +
                     trial.jointed.tail<3>();
    state.pressed = foresees_ && acting_ > 0.0 ? Vec6(trial.pressed / acting_) : Vec6(Vec6::Zero());
    if (acting_ > 0.0) state.force = (trial.impulse + stress_[n]) / acting_ + friction_[n] + line_tension_[n];
    for (int d = 0; d < 3; ++d)
      for (int i = 0; i < 6; ++i) state.momentum[d] -= trial.held_back(3 + d, i) * trial.velocity[i];
  }
  for (Assembly& assembly : assemblies_) mend_places(assembly);
  measure_joints();
  acting_ = 0.0;
  give_up();
}

void FreeBodies::set_time(double time) {
  time_ = time;
  for (const FreeBody& body : bodies_) body.path->time = time;
}

KeptArrays FreeBodies::kept() const {
  KeptArrays arrays;
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    arrays[solid_array].push_back(bodies_[n].solid);
    for_each_array(states_[n], [&](const char* name, std::span<const double> values) {
      arrays[name].insert(arrays[name].end(), values.begin(), values.end());
    });
  }
  if (std::ranges::any_of(states_, [](const State& state) { return !state.pressed.isZero(0.0); }))
    for (const State& state : states_)
      arrays[pressed_array].insert(arrays[pressed_array].end(), state.pressed.data(), state.pressed.data() + 6);
  if (!joint_values_.empty()) arrays[joint_array] = joint_values_;
  return arrays;
}

KeptArrays FreeBodies::kept_as_numbers(const std::function<const double*(const std::string&)>& find) const {
  const auto read = [&](const std::string& name) {
    const double* const found = find(name);
    if (found == nullptr) refuse(fmt::format("it has no {}", name));
    return *found;
  };
  KeptArrays arrays;
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    arrays[solid_array].push_back(bodies_[n].solid);
    for_each_array(states_[n], [&](const char* name, std::span<const double> values) {
      for (std::size_t i = 0; i < values.size(); ++i)
        arrays[name].push_back(read(fmt::format("body.{}.{}{}", bodies_[n].solid, name, i)));
    });
  }
  for (std::size_t j = 0; j < joint_values_.size(); ++j)
    arrays[joint_array].push_back(read(fmt::format("joint.{}.value", j)));
  return arrays;
}

void FreeBodies::go_on(const KeptArrays& kept, double time) {
  time_ = time;
  if (empty()) return;
  const std::span<const double> solids = array_of(kept, solid_array, bodies_.size());
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    if (solids[n] != bodies_[n].solid) refuse("its bodies are other solids");
    for_each_array(states_[n], [&](const char* name, std::span<double> values) {
      const std::span<const double> all = array_of(kept, name, bodies_.size() * values.size());
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(n * values.size()), values.size(), values.begin());
    });
  }
  if (kept.contains(pressed_array)) {  // between the steps of a pair, if the pressure acted
    const std::span<const double> all = array_of(kept, pressed_array, 6 * bodies_.size());
    for (std::size_t n = 0; n < bodies_.size(); ++n) std::copy_n(&all[6 * n], 6, states_[n].pressed.data());
  }
  if (!joint_values_.empty())
    std::ranges::copy(array_of(kept, joint_array, joint_values_.size()), joint_values_.begin());
  for (const State& state : states_)
    if (!((state.rotation.transpose() * state.rotation - Mat3::Identity()).norm() < 1e-6) ||
        !(state.rotation.determinant() > 0.0))
      refuse("the rotation of a body is none");
  constexpr double farthest = 1e12;  // no place and no speed is beyond it, in SI units
  for (const State& state : states_)
    if (!(state.center.norm() < farthest) || !(state.velocity.norm() < farthest)) refuse("a body is out of all bounds");
  for (std::size_t j = 0; j < joint_values_.size(); ++j) {
    const Joint& joint = links_.joints[j];
    if (!has_free_coordinate(joint.kind)) continue;
    const double value = free_coordinate(joint, place(joint.body), place(joint.other), joint_values_[j]).value;
    if (!(std::abs(value - joint_values_[j]) < 1e-6 * (1.0 + std::abs(value))))
      refuse(fmt::format("the value of joint {} is not that of the bodies", j));
  }
  give_up();
}

}  // namespace freshet
