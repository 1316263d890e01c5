// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/assembly.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace freshet {
namespace {

/// The place of a body in an assembly. \pre it is there
int place_in(const std::vector<int>& bodies, int body) {
  return static_cast<int>(std::ranges::find(bodies, body) - bodies.begin());
}

}  // namespace

Assembly::Assembly(std::vector<int> bodies, const std::vector<Joint>& joints, const std::vector<int>& numbers)
    : bodies_(std::move(bodies)) {
  for (const int number : numbers) {
    const Joint& joint = joints[static_cast<std::size_t>(number)];
    const int n = count_rows(joint.kind);
    members_.push_back(
        {number, place_in(bodies_, joint.body), joint.other < 0 ? -1 : place_in(bodies_, joint.other), n_rows_, n});
    n_rows_ += n;
  }
  const auto n = static_cast<int>(6 * bodies_.size());
  for (Dense* square : {&mass_, &free_}) square->reset(n, n);
  rows_.reset(n_rows_, n);
  for (Numbers* of_bodies : {&momenta_, &alone_, &velocities_, &of_bodies_, &displacement_})
    of_bodies->assign(6 * bodies_.size(), 0.0);
  is_held_.assign(6 * bodies_.size(), 0);
  for (Numbers* of_rows : {&mended_, &impulses_, &of_rows_}) of_rows->assign(static_cast<std::size_t>(n_rows_), 0.0);
}

/// The six numbers of a body.
Vec6 Assembly::part_of(const Numbers& numbers, int place) {
  Vec6 part;
  for (int i = 0; i < 6; ++i) part[i] = numbers[static_cast<std::size_t>(6 * place + i)];
  return part;
}

void Assembly::set_body(int place, const Mat6& mass, const Vec6& momentum) {
  if (place == 0) mass_.reset(mass_.rows, mass_.columns);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) mass_(6 * place + i, 6 * place + j) = mass(i, j);
    momenta_[static_cast<std::size_t>(6 * place + i)] = momentum[i];
    is_held_[static_cast<std::size_t>(6 * place + i)] = 0;
  }
}

void Assembly::add_drag(const Member& member, const JointRow& row, double factor) {
  const auto add = [&](int body, const Vec6& of_body, int other, const Vec6& of_other) {
    if (body < 0 || other < 0) return;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) mass_(6 * body + i, 6 * other + j) += factor * (of_body[i] * of_other[j]);
  };
  add(member.body, row.body, member.body, row.body);
  add(member.body, row.body, member.other, row.other);
  add(member.other, row.other, member.body, row.body);
  add(member.other, row.other, member.other, row.other);
}

void Assembly::hold(int place, int axis, double velocity) {
  const int held = 6 * place + axis;
  for (int i = 0; i < mass_.rows; ++i) {
    if (is_held_[static_cast<std::size_t>(i)] == 0) momenta_[static_cast<std::size_t>(i)] -= mass_(i, held) * velocity;
    mass_(i, held) = mass_(held, i) = 0.0;
  }
  mass_(held, held) = 1.0;
  momenta_[static_cast<std::size_t>(held)] = velocity;
  is_held_[static_cast<std::size_t>(held)] = 1;
}

void Assembly::solve() {
  free_.entries = mass_.entries;
  invert(free_, lower_);
  for (int i = 0; i < free_.rows; ++i) {
    double velocity = 0.0;
    for (int j = 0; j < free_.columns; ++j) velocity += free_(i, j) * momenta_[static_cast<std::size_t>(j)];
    alone_[static_cast<std::size_t>(i)] = velocity;
  }
  for (int i = 0; i < free_.rows; ++i)
    if (is_held_[static_cast<std::size_t>(i)] != 0) free_(i, i) = 0.0;  // the others of its row and column are 0
  forget_mending();
}

void Assembly::forget_mending() {
  velocities_ = alone_;
  mended_.assign(mended_.size(), 0.0);
}

void Assembly::set_rows(std::span<const JointRow> rows, std::span<const double> reference) {
  FRESHET_EXPECT(static_cast<int>(rows.size()) == n_rows_);
  rows_.reset(n_rows_, mass_.columns);
  for (const Member& member : members_)
    for (int r = member.first_row; r < member.first_row + member.n_rows; ++r)
      for (int i = 0; i < 6; ++i) {
        const JointRow& row = rows[static_cast<std::size_t>(r)];
        rows_(r, 6 * member.body + i) = row.body[i];
        if (member.other >= 0) rows_(r, 6 * member.other + i) = row.other[i];
      }
  held_.set(free_, rows_, reference);
}

void Assembly::mend(std::span<const double> rates) {
  of_rows_.assign(rates.begin(), rates.end());
  held_.solve(of_rows_);
  for (std::size_t r = 0; r < of_rows_.size(); ++r) mended_[r] += of_rows_[r];
  held_.add_moved(-1.0, of_rows_, velocities_);
}

std::span<const double> Assembly::displacement(std::span<const double> errors) {
  of_rows_.assign(errors.begin(), errors.end());
  held_.solve(of_rows_);
  displacement_.assign(displacement_.size(), 0.0);
  held_.add_moved(-1.0, of_rows_, displacement_);
  return displacement_;
}

Vec6 Assembly::change(int place, std::span<const Vec6> impulses) const {
  Vec6 result = Vec6::Zero();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Vec6& given = impulses[static_cast<std::size_t>(bodies_[k])];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) result[i] += response()(6 * place + i, 6 * static_cast<int>(k) + j) * given[j];
  }
  return result;
}

void Assembly::find_impulses(std::span<const Vec6> impulses) {
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    for (std::size_t i = 0; i < 6; ++i)
      of_bodies_[6 * k + i] = impulses[static_cast<std::size_t>(bodies_[k])][static_cast<int>(i)];
  of_rows_.resize(static_cast<std::size_t>(n_rows_));
  held_.multiply_moved(of_bodies_, of_rows_);
  held_.solve(of_rows_);
  for (std::size_t r = 0; r < of_rows_.size(); ++r) impulses_[r] = mended_[r] + of_rows_[r];
}

Vec6 Assembly::impulse_on(const Member& member, int place) const {
  Vec6 result = Vec6::Zero();
  if (place < 0) return result;
  for (int r = member.first_row; r < member.first_row + member.n_rows; ++r)
    for (int i = 0; i < 6; ++i) result[i] -= rows_(r, 6 * place + i) * impulses_[static_cast<std::size_t>(r)];
  return result;
}

std::vector<Assembly> make_assemblies(int n_bodies, const std::vector<Joint>& joints) {
  std::vector<int> first(static_cast<std::size_t>(n_bodies));  // lowest number of those that a body is joined to
  std::iota(first.begin(), first.end(), 0);
  std::vector<std::uint8_t> is_joined(first.size(), 0);
  for (const Joint& joint : joints) {
    is_joined[static_cast<std::size_t>(joint.body)] = 1;
    if (joint.other < 0) continue;
    is_joined[static_cast<std::size_t>(joint.other)] = 1;
    const auto [low, high] =
        std::minmax(first[static_cast<std::size_t>(joint.body)], first[static_cast<std::size_t>(joint.other)]);
    const int from = high, to = low;
    for (int& of_body : first)
      if (of_body == from) of_body = to;
  }
  std::vector<Assembly> assemblies;
  for (int n = 0; n < n_bodies; ++n) {
    if (first[static_cast<std::size_t>(n)] != n || is_joined[static_cast<std::size_t>(n)] == 0) continue;
    std::vector<int> bodies, numbers;
    for (int m = n; m < n_bodies; ++m)
      if (first[static_cast<std::size_t>(m)] == n) bodies.push_back(m);
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (first[static_cast<std::size_t>(joints[j].body)] == n) numbers.push_back(static_cast<int>(j));
    assemblies.emplace_back(std::move(bodies), joints, numbers);
  }
  return assemblies;
}

}  // namespace freshet
